/** What a person should notice: warnings and errors with a way on, the rest as a quiet line. */
import type { ItemOf } from '@crewagent/protocol/timeline';
import { RotateCw } from 'lucide-react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { toShownText } from '../../ui/foreign-text.ts';
import { Note } from '../../ui/note.tsx';
import { useProblemWords } from './problem-words.ts';
import { QuietRow } from './quiet-row.tsx';
import { isTry } from './to-rows.ts';

interface NoticeRowProps {
  readonly item: ItemOf<'notice'>;
  /** How often it happened in a row. */
  readonly tries: number;
}

export function NoticeRow({ item, tries }: NoticeRowProps) {
  const { t } = useTranslation();
  const words = useProblemWords(item.code);
  const title = words.isKnown || item.level !== 'error' ? words.title : t('timeline.notDone');
  const message = toShownText(item.message);
  if (isTry(item)) {
    const words = tries > 1 ? `${t('timeline.tries', { count: tries })} · ${title}` : message || title;
    return <QuietRow icon={<RotateCw aria-hidden="true" />}>{words}</QuietRow>;
  }
  if (item.level === 'info') return <QuietRow>{`${title} · ${message}`}</QuietRow>;
  return (
    <div className="my-2">
      <Note
        level={item.level}
        title={title}
        advice={words.advice}
        details={{ label: t('text.code'), text: item.code }}
      >
        {message || undefined}
      </Note>
    </div>
  );
}

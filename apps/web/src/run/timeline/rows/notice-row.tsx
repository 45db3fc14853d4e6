/** What a person should notice: warnings and errors with a way on, the rest as a quiet line. */
import type { ItemOf } from '@crewagent/protocol/timeline';
import { RotateCw } from 'lucide-react';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { toProblemLine, useProblemWords } from '../../../ui/errors/problem-words.ts';
import { Note } from '../../../ui/note.tsx';
import { isTry } from '../to-rows.ts';
import { QuietRow } from './quiet-row.tsx';

interface NoticeRowProps {
  readonly item: ItemOf<'notice'>;
  /** How often it happened in a row. */
  readonly tries: number;
}

export function NoticeRow({ item, tries }: NoticeRowProps) {
  const { t } = useTranslation();
  const words = useProblemWords(item);
  const title = words.isKnown || item.level !== 'error' ? words.title : t('timeline.notDone');
  if (isTry(item)) {
    const line = tries > 1 ? `${t('timeline.tries', { count: tries })} · ${title}` : toProblemLine(words);
    return <QuietRow icon={<RotateCw aria-hidden="true" />}>{line}</QuietRow>;
  }
  if (item.level === 'info') return <QuietRow>{[title, words.why].filter(Boolean).join(' · ')}</QuietRow>;
  return (
    <div className="my-2">
      <Note
        level={item.level}
        title={title}
        advice={words.advice}
        details={{ label: t('text.code'), text: item.code }}
      >
        {words.why === undefined ? undefined : <span lang={words.whyLanguage}>{words.why}</span>}
      </Note>
    </div>
  );
}

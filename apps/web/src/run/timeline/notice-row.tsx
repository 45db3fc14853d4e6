/** What a person should notice: warnings and errors with a way on, the rest as a quiet line. */
import type { ItemOf } from '@crewagent/protocol/timeline';
import { useTranslation } from '../../i18n/use-translation.ts';
import { toShownText } from '../../ui/foreign-text.ts';
import { Note } from '../../ui/note.tsx';
import { useProblemWords } from './problem-words.ts';
import { QuietRow } from './quiet-row.tsx';

export function NoticeRow({ item }: { readonly item: ItemOf<'notice'> }) {
  const { t } = useTranslation();
  const words = useProblemWords(item.code);
  const title = words.isKnown || item.level !== 'error' ? words.title : t('timeline.notDone');
  const message = toShownText(item.message);
  // A notice about the model is a try that is made again by itself; where that is no use, the run stops and says so.
  if (item.level === 'warning' && item.code.startsWith('LLM_'))
    return <QuietRow>{message || title}</QuietRow>;
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

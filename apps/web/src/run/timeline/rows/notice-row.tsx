/** What a person should notice: warnings and errors with a way on, the rest as a quiet line. */
import type { ItemOf } from '@crewagent/protocol/timeline';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { useProblemWords } from '../../../ui/errors/problem-words.ts';
import { Note } from '../../../ui/note.tsx';
import { QuietRow } from './quiet-row.tsx';

export function NoticeRow({ item }: { readonly item: ItemOf<'notice'> }) {
  const { t } = useTranslation();
  const words = useProblemWords(item);
  const title = words.isKnown || item.level !== 'error' ? words.title : t('timeline.notDone');
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

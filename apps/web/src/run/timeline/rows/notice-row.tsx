/** Notices: warnings and errors with actions, the rest as a quiet line. */
import type { ItemOf } from '@crewagent/protocol/story/items';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { useProblemTexts } from '../../../ui/errors/error-texts.ts';
import { Note } from '../../../ui/note.tsx';
import { QuietRow } from './quiet-row.tsx';

export function NoticeRow({ item }: { readonly item: ItemOf<'notice'> }) {
  const { t } = useTranslation();
  const texts = useProblemTexts(item);
  const title = texts.isKnown || item.level !== 'error' ? texts.title : t('timeline.notDone');
  if (item.level === 'info') return <QuietRow>{[title, texts.why].filter(Boolean).join(' · ')}</QuietRow>;
  return (
    <div className="my-2">
      <Note
        level={item.level}
        title={title}
        advice={texts.advice}
        details={{ label: t('text.code'), text: item.code }}
      >
        {texts.why === undefined ? undefined : <span lang={texts.whyLanguage}>{texts.why}</span>}
      </Note>
    </div>
  );
}

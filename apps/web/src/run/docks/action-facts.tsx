/** What is to know about an action besides its preview: what changed since it was asked for, what its files are, what runs them. */
import {
  type ActionSentence,
  type AskedAction,
  describeChanges,
  describeWarnings,
} from '@crewagent/protocol/story/describe-action';
import { TriangleAlert } from 'lucide-react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Note } from '../../ui/note.tsx';
import { toShownName } from '../approval-reach.ts';

export function ActionFacts({ item }: { readonly item: AskedAction }) {
  const { t } = useTranslation();
  const say = ({ key, params = {} }: ActionSentence): string => {
    const { path } = params;
    return t(key, typeof path === 'string' ? { ...params, path: toShownName(path) } : params);
  };
  const changes = describeChanges(item.action).map(say);
  return (
    <>
      {changes.length > 0 ? (
        <div className="mb-2">
          <Note level="warning" title={t('asked.changed.title')} isAlert>
            <ul className="list-disc ps-4">
              {changes.map((change) => (
                <li key={change}>{change}</li>
              ))}
            </ul>
          </Note>
        </div>
      ) : undefined}
      {[...new Set(describeWarnings(item).map(say))].map((text) => (
        <Warning key={text} text={text} />
      ))}
    </>
  );
}

function Warning({ text }: { readonly text: string }) {
  return (
    <p className="mb-2 flex items-start gap-2 font-medium wrap-anywhere text-bad">
      <TriangleAlert className="mt-0.5 size-4 shrink-0" />
      {text}
    </p>
  );
}

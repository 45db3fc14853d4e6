/** A step of a method, as it was read: it is changed in the text. */
import type { AuthorNode, AuthorWorkflow } from '@crewagent/protocol/author';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../ui/button.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { titleOf } from './node-dialogs.tsx';

interface MethodNodeProps {
  readonly workflow: AuthorWorkflow;
  readonly node: AuthorNode;
  readonly onText: () => void;
}

export function MethodNode({ workflow, node, onText }: MethodNodeProps) {
  const { t } = useTranslation();
  const { id, inputs, outputs, setsVariables } = node;
  const ways = workflow.edges
    .filter(({ from }) => from === id)
    .map(({ label, to }) => `${toShownLine(label)} → ${titleOf(workflow, to)}`);
  const rows = [
    [t('author.inputs'), inputs],
    [t('author.outputs'), outputs],
    [t('author.variables'), setsVariables],
    [t('author.ways'), ways],
  ] as const;
  return (
    <div className="flex flex-col gap-3 p-4">
      <h2 className="font-medium wrap-anywhere">{titleOf(workflow, id)}</h2>
      <dl className="flex flex-col gap-2 text-sm">
        {rows
          .filter(([, values]) => values.length > 0)
          .map(([name, values]) => (
            <div key={name}>
              <dt className="text-ink-faint">{name}</dt>
              {values.map((value) => (
                <dd key={value} className="wrap-anywhere">
                  {toShownLine(value)}
                </dd>
              ))}
            </div>
          ))}
      </dl>
      <p className="text-sm text-ink-soft">{t('author.method')}</p>
      <div>
        <Button onClick={onText}>{t('author.openText')}</Button>
      </div>
    </div>
  );
}

/** Steps of a workflow in order; each expands to its text. */
import type { ShownNode } from '@crewagent/protocol/api/packages';
import { useStep } from '../api/package-queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { AgentName } from '../run/agent-name.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Fold } from '../ui/fold.tsx';
import { Markdown, withoutFrontmatter } from '../ui/markdown/markdown.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';

interface StepListProps {
  readonly hash: string;
  readonly workflow: string;
  readonly nodes: readonly ShownNode[];
  readonly openId: string | undefined;
  readonly onOpen: (nodeId: string | undefined) => void;
}

export function StepList({ hash, workflow, nodes, openId, onOpen }: StepListProps) {
  const { t } = useTranslation();
  return (
    <ol aria-label={t('packages.steps')} className="flex flex-col gap-0.5 p-2">
      {nodes.map((node, index) => (
        <li key={node.id}>
          <Fold
            isOpen={node.id === openId}
            onToggle={() => onOpen(node.id === openId ? undefined : node.id)}
            summary={
              <>
                <span className="w-5 shrink-0 text-end text-ink-faint tabular-nums">{index + 1}</span>
                <span className="min-w-0 grow truncate text-ink">{toShownLine(node.title)}</span>
                <span className="shrink-0 text-sm text-ink-faint">
                  {/* Most are plain steps. */}
                  {node.type === 'step' ? undefined : t(`nodeType.${node.type}`)}
                  {node.type !== 'step' && node.agentId ? ' · ' : undefined}
                  {node.agentId ? <AgentName packageHash={hash} agentId={node.agentId} /> : undefined}
                </span>
              </>
            }
          >
            {() => <StepText hash={hash} workflow={workflow} node={node} />}
          </Fold>
        </li>
      ))}
    </ol>
  );
}

interface StepTextProps {
  readonly hash: string;
  readonly workflow: string;
  readonly node: ShownNode;
}

function StepText({ hash, workflow, node: { id, inputs, outputs } }: StepTextProps) {
  const { t } = useTranslation();
  const { data: step, error } = useStep(hash, workflow, id);
  const files = [
    [t('packages.reads'), inputs],
    [t('packages.writes'), outputs],
  ] as const;
  return (
    <div className="flex flex-col gap-3 py-1 pe-3">
      <ErrorNote issue={error} />
      {files.map(([label, paths]) =>
        paths.length === 0 ? undefined : (
          <p key={label} className="text-sm wrap-anywhere">
            <span className="text-ink-faint">{label}</span>{' '}
            <code className="font-mono">{paths.map(toShownLine).join(', ')}</code>
          </p>
        ),
      )}
      {step ? (
        <Markdown text={withoutFrontmatter(step.text)} />
      ) : error ? undefined : (
        <Skeleton className="h-16" />
      )}
    </div>
  );
}

/** The graph of a workflow before it is started. */
import { createStory } from '@crewagent/protocol/story/story';
import { lazy, Suspense } from 'react';
import { useGraph } from '../../api/queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { isPlainSequence, toProgress } from '../../run/progress/to-progress.ts';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { Skeleton } from '../../ui/skeleton.tsx';

interface WorkflowPreviewProps {
  readonly hash: string;
  readonly workflow: string;
}

export function WorkflowPreview({ hash, workflow }: WorkflowPreviewProps) {
  const { t } = useTranslation();
  const { data: graph, error } = useGraph(hash, workflow);
  if (error) return <ErrorNote issue={error} />;
  if (!graph) return <Skeleton className="h-52" />;
  // Everything lies ahead.
  const progress = toProgress({ ...createStory(''), nodes: graph.nodes }, graph);
  const isList = isPlainSequence(progress);
  return (
    <figure className="overflow-hidden rounded-lg border bg-surface">
      <figcaption className="border-b px-3.5 py-2 text-sm text-ink-faint">
        {t('new.way', { title: toShownLine(graph.workflow.title) })}
      </figcaption>
      {isList ? (
        <ol className="flex list-decimal flex-col gap-1 py-2.5 ps-9 pe-3.5 marker:text-ink-faint">
          {graph.nodes.map(({ id, title }) => (
            <li key={id}>{toShownLine(title)}</li>
          ))}
        </ol>
      ) : (
        <div className="h-52">
          <Suspense fallback={<Skeleton className="m-4 h-40" />}>
            <ProgressGraph progress={progress} onOpenNode={() => undefined} />
          </Suspense>
        </div>
      )}
    </figure>
  );
}

const ProgressGraph = lazy(() => import('../../run/progress/graph/progress-graph.tsx'));

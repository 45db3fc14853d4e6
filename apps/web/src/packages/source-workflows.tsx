/** The converted workflows: each opens to its graph, and its edges with the lines they are based on. */
import type { ImportReport } from '@crewagent/protocol/import-report';
import { createStory } from '@crewagent/protocol/story/story';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { toProgress } from '../run/progress/to-progress.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Fold } from '../ui/fold.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';

type ImportedWorkflow = ImportReport['workflows'][number];

interface SourceWorkflowsProps {
  readonly importId: string;
  readonly report: ImportReport;
  /** Only a valid package has graphs to show. */
  readonly hasGraph: boolean;
}

export function SourceWorkflows({ importId, report, hasGraph }: SourceWorkflowsProps) {
  const { t } = useTranslation();
  const [openId, setOpenId] = useState<string>();
  const { workflows } = report;
  return (
    <section>
      <h2 className="mb-1.5 font-semibold">{t('packages.workflows', { count: workflows.length })}</h2>
      <ul aria-label={t('packages.workflowList')} className="flex flex-col gap-0.5">
        {workflows.map((workflow) => (
          <li key={workflow.id}>
            <Fold
              isOpen={openId === workflow.id}
              onToggle={() => setOpenId(openId === workflow.id ? undefined : workflow.id)}
              summary={
                <span className="min-w-0 wrap-anywhere">
                  <span className="font-medium text-ink">{toShownLine(workflow.id)}</span>
                  <span className="text-ink-faint">
                    {' · '}
                    {t(`import.kinds.${workflow.kind}`)} · {t('new.steps', { count: workflow.nodes })}
                  </span>
                </span>
              }
            >
              {() => (
                <>
                  {hasGraph ? <SourceGraph importId={importId} workflow={workflow.id} /> : undefined}
                  <Edges workflow={workflow} />
                </>
              )}
            </Fold>
          </li>
        ))}
      </ul>
    </section>
  );
}

function SourceGraph({ importId, workflow }: { readonly importId: string; readonly workflow: string }) {
  const { imports } = useApi();
  const { data: graph, error } = useQuery({
    queryKey: ['import-graph', importId, workflow],
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    queryFn: ({ signal }) => imports.graph({ importId, query: { workflow } }, { signal }),
  });
  if (error) return <ErrorNote issue={error} />;
  return (
    <div className="mb-3 h-60 overflow-hidden rounded-lg border">
      {graph ? (
        <Suspense fallback={<Skeleton className="m-4 h-48" />}>
          <ProgressGraph
            progress={toProgress({ ...createStory(''), nodes: graph.nodes }, graph)}
            onOpenNode={() => undefined}
          />
        </Suspense>
      ) : (
        <Skeleton className="m-4 h-48" />
      )}
    </div>
  );
}

const ProgressGraph = lazy(() => import('../run/progress/graph/progress-graph.tsx'));

const TONES: Readonly<Record<string, Tone>> = { exact: 'ok', inferred: 'warn', dropped: 'bad' };

function Edges({ workflow }: { readonly workflow: ImportedWorkflow }) {
  const { t } = useTranslation();
  return (
    <ul aria-label={t('import.edges')} className="flex flex-col gap-2">
      {workflow.edges.map(({ from, to, label, certainty, evidence: [first] }) => (
        <li key={`${from} ${to} ${label}`} className="min-w-0">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span className="min-w-0 wrap-anywhere">
              {toShownLine(from)} → {toShownLine(to)}
              <span className="text-ink-faint"> · {toShownLine(label)}</span>
            </span>
            <Badge tone={TONES[certainty] ?? 'neutral'}>{t(`import.certainty.${certainty}`)}</Badge>
          </p>
          {first ? (
            <p className="text-sm text-ink-faint wrap-anywhere">
              <code className="font-mono">
                {toShownLine(first.file)}
                {first.line === undefined ? '' : `:${first.line}`}
              </code>{' '}
              {first.text === undefined ? undefined : <q>{toShownLine(first.text).slice(0, 240)}</q>}
            </p>
          ) : undefined}
        </li>
      ))}
    </ul>
  );
}

/** Workflows of a package: one at a time as a graph and as a list with expandable steps. */
import { createRunView } from '@crewagent/protocol/run-view';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { ShownGraphOf, ShownPackage } from '../api/package-queries.ts';
import { useGraph } from '../api/queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { isPlainSequence, type Progress, toProgress } from '../run/progress/to-progress.ts';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Field } from '../ui/forms/field.tsx';
import { Select } from '../ui/forms/input.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { StepList } from './step-list.tsx';

interface WorkflowPreviewProps {
  readonly hash: string;
  /** The entry workflow first. */
  readonly workflows: ShownPackage['workflows'];
}

export function WorkflowPreview({ hash, workflows }: WorkflowPreviewProps) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<string>();
  const [openId, setOpenId] = useState<string>();
  const shown = workflows.find(({ ref }) => ref === chosen) ?? workflows[0];
  const { data: graph, error } = useGraph(hash, shown?.ref);
  const isOf = graph !== undefined && graph.workflow.ref === shown?.ref;
  const progress = useMemo(() => (graph ? toPreview(graph) : undefined), [graph]);
  if (!shown) return undefined;
  return (
    <section>
      <div className="mb-2.5 flex flex-wrap items-end gap-3">
        <h2 className="grow font-semibold">{t('packages.workflows', { count: workflows.length })}</h2>
        {workflows.length > 1 ? (
          <div className="w-full max-w-80">
            <Field label={t('packages.workflow')}>
              {(ids) => (
                <Select
                  {...ids}
                  value={shown.ref}
                  onChoose={(ref) => {
                    setChosen(ref);
                    setOpenId(undefined);
                  }}
                  options={workflows.map(({ ref, title }) => ({ value: ref, label: toShownLine(title) }))}
                />
              )}
            </Field>
          </div>
        ) : undefined}
      </div>
      <p className="mb-2.5 text-ink-soft wrap-anywhere">
        <span className="font-medium text-ink">{toShownLine(shown.title)}</span>
        {shown.description ? ` · ${toShownLine(shown.description)}` : ''}
      </p>
      <ErrorNote issue={error} />
      {isOf && progress ? (
        <div className="overflow-hidden rounded-lg border">
          {isPlainSequence(progress) ? undefined : (
            <div className="h-72 border-b">
              <Suspense fallback={<Skeleton className="m-4 h-56" />}>
                <ProgressGraph key={shown.ref} progress={progress} chosenId={openId} onOpenNode={setOpenId} />
              </Suspense>
            </div>
          )}
          <StepList
            key={shown.ref}
            hash={hash}
            workflow={shown.ref}
            nodes={graph.nodes}
            openId={openId}
            onOpen={setOpenId}
          />
        </div>
      ) : error ? undefined : (
        <Skeleton className="h-72" />
      )}
    </section>
  );
}

const ProgressGraph = lazy(() => import('../run/progress/graph/progress-graph.tsx'));

/** Progress of a run that has not started. */
function toPreview(graph: ShownGraphOf): Progress {
  return toProgress({ ...createRunView(''), nodes: graph.nodes }, graph);
}

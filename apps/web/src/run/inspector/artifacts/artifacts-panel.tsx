/** Artifacts tab of the inspector: the files a run or thread created or changed, with undo. */
import { FileStack } from 'lucide-react';
import { useMemo } from 'react';
import { useChanges } from '../../../api/inspector-queries.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorNote } from '../../../ui/errors/error-note.tsx';
import { useArrowKeys } from '../../../ui/rows.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { OpenRowsContext, useOpenRowsState } from '../../open-rows.ts';
import { changeMarkOf, toArtifacts } from '../../to-artifacts.ts';
import { UndoOutcome } from '../../undo/undo-outcome.tsx';
import { useUndo } from '../../undo/use-undo.ts';
import type { PanelProps } from '../use-inspected.ts';
import { ArtifactRow } from './artifact-row.tsx';
import { ArtifactToolbar } from './artifact-toolbar.tsx';

export function ArtifactsPanel({ projectId, view }: PanelProps) {
  const { t } = useTranslation();
  const isRunning = view.status.kind === 'running';
  const mark = changeMarkOf(view);
  const { data: changes, error, isPending } = useChanges(view.runId, mark);
  const artifacts = useMemo(() => toArtifacts(changes ?? []), [changes]);
  const openRows = useOpenRowsState();
  const { list, onKeyDown } = useArrowKeys<HTMLUListElement>();
  const undo = useUndo(projectId, view.runId);
  const titleOf = (nodeId: string): string => view.nodes.find(({ id }) => id === nodeId)?.title ?? nodeId;
  if (isPending) return <Skeleton className="m-3 h-24" />;
  if (error && !changes)
    return (
      <div className="p-3">
        <ErrorNote issue={error} />
      </div>
    );
  if (artifacts.length === 0)
    return (
      <EmptyState icon={<FileStack />} title={t('inspector.files.empty')}>
        {t('inspector.files.emptyText')}
      </EmptyState>
    );
  return (
    <div className="flex flex-col gap-2 p-3">
      <ArtifactToolbar
        changes={changes ?? []}
        titleOf={titleOf}
        isRunning={isRunning}
        isBusy={undo.isBusy}
        onMove={undo.run}
      />
      <UndoOutcome projectId={projectId} undo={undo} changes={changes ?? []} />
      <OpenRowsContext value={openRows}>
        <ul
          ref={list}
          onKeyDown={onKeyDown}
          aria-label={t('inspector.artifacts')}
          className="-mx-1.5 flex flex-col"
        >
          {artifacts.map((artifact) => (
            <ArtifactRow
              key={artifact.path}
              artifact={artifact}
              projectId={projectId}
              workId={view.runId}
              mark={mark}
              titleOf={titleOf}
              canMove={!isRunning && !undo.isBusy}
              onMove={undo.run}
            />
          ))}
        </ul>
      </OpenRowsContext>
    </div>
  );
}

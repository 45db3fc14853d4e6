/** Artifacts tab of the inspector: the files a run or thread created or changed, with undo. */
import type { JournalEntry } from '@crewagent/protocol/journal';
import type { Runs } from '@crewagent/protocol/story/tree-figures';
import { ChevronDown, FileStack, Redo2, Undo2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useChanges } from '../../../api/inspector-queries.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorNote } from '../../../ui/errors/error-note.tsx';
import { AlertDialog } from '../../../ui/overlays/alert-dialog.tsx';
import { Menu, type MenuList } from '../../../ui/overlays/menu.tsx';
import { useArrowKeys } from '../../../ui/rows.tsx';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { OpenRowsContext, useOpenRowsState } from '../../open-rows.ts';
import { useIsReadOnly, usePast } from '../../past.ts';
import { nodeTitle, toShownPath } from '../../shown-names.ts';
import {
  changeMarkOf,
  changesUntil,
  countFiles,
  type NodeChanges,
  toArtifacts,
  toNodeChanges,
} from '../../to-artifacts.ts';
import { type Direction, type Move, UndoOutcome, useUndo } from '../../undo/use-undo.tsx';
import type { PanelProps } from '../use-inspected.ts';
import { ArtifactRow } from './artifact-row.tsx';

interface ArtifactsPanelProps extends PanelProps {
  /** All known runs: files of a workflow that is being called are listed as they are written. */
  readonly runs: Runs;
}

export function ArtifactsPanel({ projectId, view, runs }: ArtifactsPanelProps) {
  const { t } = useTranslation();
  const isRunning = view.status.kind === 'running';
  const past = usePast();
  const isReadOnly = useIsReadOnly();
  // In a replay it is read once.
  const mark = past ? 'past' : changeMarkOf(view, runs);
  const { data, error, isPending } = useChanges(view.runId, mark);
  const changes = useMemo(
    () => (past && data ? changesUntil(data, past.ts, view) : data),
    [past, data, view],
  );
  const artifacts = useMemo(() => toArtifacts(changes ?? []), [changes]);
  const openRows = useOpenRowsState();
  const { list, onKeyDown } = useArrowKeys<HTMLUListElement>();
  const undo = useUndo(projectId, view.runId);
  const titleOf = (nodeId: string): string => nodeTitle(view, nodeId);
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
      {isReadOnly ? (
        <p className="text-sm text-ink-soft">
          {t('inspector.files.count', { count: countFiles(changes ?? []) })}
        </p>
      ) : (
        <ArtifactToolbar
          changes={changes ?? []}
          titleOf={titleOf}
          isRunning={isRunning}
          isBusy={undo.isBusy}
          onMove={undo.run}
        />
      )}
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
              onMove={isReadOnly ? undefined : undo.run}
            />
          ))}
        </ul>
      </OpenRowsContext>
    </div>
  );
}

interface ArtifactToolbarProps {
  readonly changes: readonly JournalEntry[];
  readonly titleOf: (nodeId: string) => string;
  readonly isRunning: boolean;
  readonly isBusy: boolean;
  readonly onMove: Move;
}

/** Number of files, and undo or redo for one step or all. */
function ArtifactToolbar({ changes, titleOf, isRunning, isBusy, onMove }: ArtifactToolbarProps) {
  const { t } = useTranslation();
  const [isAsking, setAsking] = useState(false);
  const nodes = toNodeChanges(changes);
  const standing = changes.filter(({ undone }) => !undone);
  const counts = {
    undo: countFiles(standing),
    redo: countFiles(changes.filter(({ undone }) => undone)),
  };
  const moveAll = (direction: Direction): void =>
    direction === 'undo' ? setAsking(true) : onMove('redo', { all: true });
  /** Empty if there is nothing to choose between. */
  const itemsFor = (direction: Direction): MenuList => {
    const countOf = (node: NodeChanges): number => (direction === 'undo' ? node.undoable : node.redoable);
    const steps = nodes.filter((node) => countOf(node) > 0);
    if (steps.length < 2) return [];
    return [
      {
        id: 'all',
        label: t('inspector.files.allOfRun', { count: counts[direction] }),
        onChoose: () => moveAll(direction),
      },
      'separator',
      ...steps.map((node) => ({
        id: node.nodeId,
        label: t('inspector.files.ofStep', {
          title: toShownLine(titleOf(node.nodeId)),
          count: countOf(node),
        }),
        onChoose: () => onMove(direction, { nodeId: node.nodeId }),
      })),
    ];
  };
  return (
    <div>
      <div className="flex items-center gap-2">
        <p className="grow text-sm text-ink-soft">
          {t('inspector.files.count', { count: countFiles(changes) })}
        </p>
        {DIRECTIONS.filter((direction) => counts[direction] > 0).map((direction) => {
          const items = itemsFor(direction);
          const look = { size: 'sm', disabled: isRunning, isBusy, icon: ICONS[direction] } as const;
          const label = t(`inspector.files.${direction}`);
          return items.length === 0 ? (
            <Button key={direction} {...look} onClick={() => moveAll(direction)}>
              {label}
            </Button>
          ) : (
            <Menu
              key={direction}
              label={label}
              items={items}
              trigger={
                <Button {...look}>
                  {label}
                  <ChevronDown className="size-3" />
                </Button>
              }
            />
          );
        })}
      </div>
      {isRunning ? <p className="mt-1 text-xs text-ink-faint">{t('inspector.files.running')}</p> : undefined}
      <AlertDialog
        isOpen={isAsking}
        title={t('inspector.files.askTitle', { count: counts.undo })}
        confirmLabel={t('action.undo')}
        onCancel={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false);
          onMove('undo', { all: true });
        }}
      >
        {t('inspector.files.askText')}
        <ul
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable with the keyboard
          tabIndex={0}
          className="mt-2 max-h-40 overflow-y-auto rounded-sm font-mono text-sm"
        >
          {[...new Set(standing.map(({ path }) => path))].map((path) => (
            <li key={path}>{toShownPath(path)}</li>
          ))}
        </ul>
      </AlertDialog>
    </div>
  );
}

const DIRECTIONS: readonly Direction[] = ['undo', 'redo'];

const ICONS = {
  undo: <Undo2 className="size-3.5" />,
  redo: <Redo2 className="size-3.5" />,
} as const;

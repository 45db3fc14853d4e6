/** How many files there are, and taking back or bringing back those of a step or of the whole run. */
import type { JournalEntry } from '@crewagent/protocol/journal';
import { ChevronDown, Redo2, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { AlertDialog } from '../../ui/alert-dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { toShownLine } from '../../ui/foreign-text.ts';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { countFiles, type NodeChanges, toNodeChanges } from './to-artifacts.ts';
import type { Direction, Move } from './use-undo.ts';

interface ArtifactToolbarProps {
  readonly changes: readonly JournalEntry[];
  readonly titleOf: (nodeId: string) => string;
  /** All of it is a run's, not a talk's. */
  readonly isWhole: boolean;
  readonly isRunning: boolean;
  readonly isBusy: boolean;
  readonly onMove: Move;
}

export function ArtifactToolbar(props: ArtifactToolbarProps) {
  const { changes, titleOf, isWhole, isRunning, isBusy, onMove } = props;
  const { t } = useTranslation();
  const [isAsking, setAsking] = useState(false);
  const nodes = toNodeChanges(changes);
  const counts = {
    undo: countFiles(changes.filter(({ undone }) => !undone)),
    redo: countFiles(changes.filter(({ undone }) => undone)),
  };
  const itemsFor = (direction: Direction): readonly MenuItem[] => {
    const countOf = (node: NodeChanges): number => (direction === 'undo' ? node.undoable : node.redoable);
    const steps = nodes.filter((node) => countOf(node) > 0);
    return [
      {
        id: 'all',
        label: t(isWhole ? 'inspector.files.allOfRun' : 'inspector.files.allOfTalk', {
          count: counts[direction],
        }),
        onChoose: () => (direction === 'undo' ? setAsking(true) : onMove('redo', { all: true })),
      },
      ...(steps.length > 0 ? (['separator'] as const) : []),
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
        {DIRECTIONS.filter((direction) => counts[direction] > 0).map((direction) => (
          <Menu
            key={direction}
            label={t(`inspector.files.${direction}`)}
            items={itemsFor(direction)}
            trigger={
              <Button size="sm" disabled={isRunning} isBusy={isBusy} icon={ICONS[direction]}>
                {t(`inspector.files.${direction}`)}
                <ChevronDown aria-hidden="true" className="size-3" />
              </Button>
            }
          />
        ))}
      </div>
      {isRunning ? <p className="mt-1 text-xs text-ink-faint">{t('inspector.files.running')}</p> : undefined}
      <AlertDialog
        isOpen={isAsking}
        title={t('inspector.files.askTitle', { count: counts.undo })}
        cancelLabel={t('action.cancel')}
        confirmLabel={t('inspector.files.askConfirm')}
        onCancel={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false);
          onMove('undo', { all: true });
        }}
      >
        {t('inspector.files.askText')}
      </AlertDialog>
    </div>
  );
}

const DIRECTIONS: readonly Direction[] = ['undo', 'redo'];

const ICONS = {
  undo: <Undo2 aria-hidden="true" className="size-3.5" />,
  redo: <Redo2 aria-hidden="true" className="size-3.5" />,
} as const;

/** Number of files, and undo or redo for one step or all. */
import type { JournalEntry } from '@crewagent/protocol/journal';
import { ChevronDown, Redo2, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { Button } from '../../../ui/button.tsx';
import { AlertDialog } from '../../../ui/overlays/alert-dialog.tsx';
import { Menu, type MenuItem } from '../../../ui/overlays/menu.tsx';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import { countFiles, type NodeChanges, toNodeChanges } from '../../to-artifacts.ts';
import type { Direction, Move } from '../../undo/use-undo.ts';

interface ArtifactToolbarProps {
  readonly changes: readonly JournalEntry[];
  readonly titleOf: (nodeId: string) => string;
  readonly isRunning: boolean;
  readonly isBusy: boolean;
  readonly onMove: Move;
}

export function ArtifactToolbar(props: ArtifactToolbarProps) {
  const { changes, titleOf, isRunning, isBusy, onMove } = props;
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
  const itemsFor = (direction: Direction): readonly MenuItem[] => {
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
                  <ChevronDown aria-hidden="true" className="size-3" />
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
            <li key={path}>{toShownLine(path).replace(/^@project\//, '')}</li>
          ))}
        </ul>
      </AlertDialog>
    </div>
  );
}

const DIRECTIONS: readonly Direction[] = ['undo', 'redo'];

const ICONS = {
  undo: <Undo2 aria-hidden="true" className="size-3.5" />,
  redo: <Redo2 aria-hidden="true" className="size-3.5" />,
} as const;

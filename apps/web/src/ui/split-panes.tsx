/**
 * Resizable panes side by side; the divider can be dragged or moved with the arrow keys. When a pane opens or closes, the others
 * stay mounted, with everything typed in them.
 */
import type { ReactNode } from 'react';
import { Group, type Layout, Panel, Separator } from 'react-resizable-panels';

export interface Pane {
  /** Also the id of its DOM element: must be unique on the page. */
  readonly id: string;
  /** CSS lengths: pixels for side panes, percent for the rest. */
  readonly defaultSize?: string;
  readonly minSize?: string;
  readonly maxSize?: string;
  readonly content: ReactNode;
}

interface SplitPanesProps {
  readonly panes: readonly Pane[];
  readonly separatorLabel: string;
  readonly layout?: Layout | undefined;
  readonly onLayout?: (layout: Layout) => void;
}

export function SplitPanes({ panes, separatorLabel, layout, onLayout }: SplitPanesProps) {
  // Initial sizes for each set of panes; afterwards the panes manage their sizes.
  const isComplete = layout !== undefined && panes.every(({ id }) => Object.hasOwn(layout, id));
  return (
    <Group
      orientation="horizontal"
      className="h-full w-full"
      defaultLayout={isComplete ? layout : undefined}
      onLayoutChanged={onLayout}
    >
      {panes.flatMap((pane, index) => [
        ...(index === 0
          ? []
          : [
              <Separator
                key={`before-${pane.id}`}
                aria-label={separatorLabel}
                className="relative w-px bg-line outline-none after:absolute after:inset-y-0 after:-inset-x-1 hover:bg-accent pointer-coarse:after:-inset-x-4 focus-visible:bg-accent focus-visible:ring-2 focus-visible:ring-accent data-[separator=active]:bg-accent"
              />,
            ]),
        <Panel
          key={pane.id}
          id={pane.id}
          defaultSize={pane.defaultSize}
          minSize={pane.minSize}
          maxSize={pane.maxSize}
          className="h-full"
        >
          {pane.content}
        </Panel>,
      ])}
    </Group>
  );
}

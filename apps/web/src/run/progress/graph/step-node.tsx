/** A node of the graph: a step, a decision, or a called workflow whose graph opens inside it. */
import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { classNames } from '../../../ui/class-names.ts';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import { NodeMark } from '../node/node-mark.tsx';
import type { ProgressNode } from '../to-progress.ts';
import type { GraphDirection } from './lay-out-graph.ts';

interface FlowData extends Record<string, unknown> {
  readonly node: ProgressNode;
  readonly direction: GraphDirection;
  /** The run that it is part of; undefined if its workflow was not called yet. */
  readonly runId: string | undefined;
  readonly isOpen: boolean;
  /** Edges can be drawn from and to it. */
  readonly isConnectable: boolean;
  /** Opens the graph of the workflow that it calls, inside of it; undefined where it calls none. */
  readonly toggle: (() => void) | undefined;
}

export type FlowNode = Node<FlowData, 'step'>;

export function StepNode({ data, selected }: NodeProps<FlowNode>) {
  const { t } = useTranslation();
  const { node, direction, isOpen, toggle, isConnectable } = data;
  const isDown = direction === 'down';
  const title = toShownLine(node.title);
  return (
    <>
      <Handle type="target" position={isDown ? Position.Top : Position.Left} isConnectable={isConnectable} />
      {node.type === 'decision' ? (
        <Decision node={node} title={title} isChosen={selected} />
      ) : (
        <div
          title={title}
          className={classNames(
            'flex h-full w-full gap-2 border px-2.5 text-start',
            isOpen ? 'items-start bg-canvas pt-1.5' : 'items-center bg-raised',
            node.type === 'merge' ? 'rounded-full' : 'rounded-lg',
            BORDERS[node.progress],
            node.progress === 'current' && !isOpen && 'bg-accent-soft',
            selected && 'ring-2 ring-accent',
          )}
        >
          <span className="flex h-full max-h-6 min-w-0 grow items-center gap-2">
            <NodeMark node={node} />
            <span
              className={classNames(isOpen ? 'truncate text-sm' : 'line-clamp-2 text-sm', textColorOf(node))}
            >
              {title}
            </span>
          </span>
          {toggle ? (
            <button
              type="button"
              aria-expanded={isOpen}
              aria-label={t(isOpen ? 'call.collapse' : 'call.expand', { title })}
              // Neither moves the graph nor opens the node.
              className="nopan nodrag -me-1 shrink-0 rounded-md p-1 text-ink-soft hover:bg-hover hover:text-ink"
              onClick={(event) => {
                event.stopPropagation();
                toggle();
              }}
            >
              {isOpen ? <ChevronDown className="size-4" /> : <ChevronRight className="size-4" />}
            </button>
          ) : undefined}
        </div>
      )}
      <Handle
        type="source"
        position={isDown ? Position.Bottom : Position.Right}
        isConnectable={isConnectable}
      />
    </>
  );
}

interface DecisionProps {
  readonly node: ProgressNode;
  readonly title: string;
  readonly isChosen: boolean | undefined;
}

/** A diamond, as in flow charts. */
function Decision({ node, title, isChosen }: DecisionProps) {
  return (
    <div title={title} className="relative flex h-full w-full items-center justify-center">
      <svg
        aria-hidden="true"
        viewBox="0 0 168 56"
        className={classNames('absolute inset-0 h-full w-full overflow-visible', DIAMONDS[node.progress])}
      >
        <path
          d="M84 -6 L172 28 L84 62 L-4 28 Z"
          strokeLinejoin="round"
          strokeWidth={isChosen ? 2.5 : 1.25}
          stroke="currentColor"
        />
      </svg>
      <span className="relative flex max-w-26 items-center gap-1.5">
        <NodeMark node={node} />
        <span className={classNames('line-clamp-2 text-xs leading-tight', textColorOf(node))}>{title}</span>
      </span>
    </div>
  );
}

function textColorOf({ progress }: ProgressNode): string {
  return progress === 'done' || progress === 'current' ? 'font-medium' : 'text-ink-soft';
}

const DIAMONDS = {
  done: 'text-ok fill-raised',
  current: 'text-accent-text fill-accent-soft',
  ahead: 'text-line-strong fill-raised',
  notNeeded: 'text-line fill-raised',
} as const;

const BORDERS = {
  done: 'border-ok',
  current: 'border-accent-text',
  ahead: 'border-line-strong',
  notNeeded: 'border-line',
} as const;

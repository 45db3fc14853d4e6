/** A node of the stage as a card: title, state, agent, time, tokens, cost and files. */
import { Handle, type NodeProps, Position } from '@xyflow/react';
import {
  Ban,
  ChevronDown,
  ChevronRight,
  Circle,
  CircleCheck,
  CircleDashed,
  CircleMinus,
  CirclePause,
  FileText,
  GitFork,
  Info,
  type LucideIcon,
  MessageCircleQuestion,
  TriangleAlert,
} from 'lucide-react';
import { createContext, type MouseEvent, type ReactNode, useContext } from 'react';
import { formatCompact, formatCost, formatDuration } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { classNames } from '../../../ui/class-names.ts';
import type { ShownPhase } from '../../../ui/phase-pill.tsx';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import { useNow } from '../../../ui/use-now.ts';
import { AgentName } from '../../agent-name.tsx';
import type { FlowNode } from '../graph/step-node.tsx';
import type { NodeFigures } from '../node/node-figures.ts';
import type { ProgressNode } from '../to-progress.ts';

/** What the cards need besides the graph; it changes with each event, the graph does not. */
export interface StageFacts {
  readonly packageHash: string | undefined;
  readonly figuresOf: (runId: string | undefined, nodeId: string) => NodeFigures | undefined;
  /** The status of the run that a current node belongs to. */
  readonly phaseOf: (runId: string | undefined) => ShownPhase;
  readonly onDetails: (node: FlowNode['data'], id: string) => void;
}

export const StageContext = createContext<StageFacts | undefined>(undefined);

export const CARD = { width: 208, height: 74 } as const;
/** Two beside each other fit on a phone. */
export const NARROW_CARD = { width: 172, height: 74 } as const;

export function StageCard({ id, data, selected }: NodeProps<FlowNode>) {
  const { t } = useTranslation();
  const facts = useContext(StageContext);
  const { node, runId, isOpen, toggle } = data;
  const title = toShownLine(node.title);
  const figures = facts?.figuresOf(runId, node.id);
  const look = lookOf(node, facts?.phaseOf(runId) ?? 'Running');
  const word = useStateWord(node, facts?.phaseOf(runId) ?? 'Running');
  return (
    <>
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <div
        title={title}
        className={classNames(
          'stage-card group relative flex h-full w-full flex-col gap-0.5 rounded-lg px-2.5 py-1.5 text-start text-sm',
          !isOpen && !figures && 'justify-center',
          look.frame,
          isOpen && 'is-open',
          selected && 'is-chosen',
        )}
      >
        <div className="flex items-center gap-1.5">
          <look.Icon aria-hidden="true" className={`size-4 shrink-0 ${look.ink}`} />
          <span
            className={classNames(
              'min-w-0 grow font-medium',
              figures || isOpen ? 'truncate' : 'line-clamp-2',
              look.isQuiet && 'text-ink-soft',
            )}
          >
            {title}
          </span>
          {isOpen ? <StateWord {...{ word, look }} /> : undefined}
          {node.type === 'decision' ? (
            <GitFork aria-hidden="true" className="size-3.5 shrink-0 rotate-180 text-ink-faint" />
          ) : undefined}
          {toggle ? (
            <CardButton
              label={t(isOpen ? 'call.collapse' : 'call.expand', { title })}
              isExpanded={isOpen}
              onPress={toggle}
            >
              {isOpen ? <ChevronDown className="size-4" /> : <ChevronRight className="size-4" />}
            </CardButton>
          ) : undefined}
          {toggle ? undefined : (
            <CardButton
              label={t('overview.details', { title })}
              className="absolute end-2 top-1.5 bg-raised opacity-0 shadow-raised group-hover:opacity-100 pointer-coarse:hidden"
              onPress={() => facts?.onDetails(data, id)}
            >
              <Info className="size-3.5" />
            </CardButton>
          )}
        </div>
        {isOpen ? undefined : (
          <div className="flex items-baseline gap-2">
            <span className="min-w-0 grow truncate text-ink-soft">
              <StateWord {...{ word, look }} />
              {node.agentId ? (
                <>
                  {' · '}
                  <AgentName packageHash={facts?.packageHash} agentId={node.agentId} />
                </>
              ) : undefined}
            </span>
            {figures ? <CardCost figures={figures} /> : undefined}
          </div>
        )}
        {isOpen || !figures ? undefined : <CardFigures figures={figures} />}
      </div>
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </>
  );
}

function StateWord({ word, look }: { readonly word: string; readonly look: Look }) {
  return (
    <span className={`inline-block shrink-0 font-medium first-letter:uppercase ${look.ink}`}>{word}</span>
  );
}

interface CardButtonProps {
  readonly label: string;
  readonly isExpanded?: boolean;
  readonly className?: string;
  readonly onPress: () => void;
  readonly children: ReactNode;
}

/** Neither moves the graph nor opens the node. */
function CardButton({ label, isExpanded, className, onPress, children }: CardButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      aria-expanded={isExpanded}
      // Space opens the details; the arrow keys stay on the nodes.
      tabIndex={isExpanded === undefined ? -1 : 0}
      className={classNames(
        'nopan nodrag -me-1 shrink-0 rounded-md p-0.5 text-ink-faint hover:bg-hover hover:text-ink',
        className,
      )}
      onClick={(event: MouseEvent) => {
        event.stopPropagation();
        onPress();
      }}
    >
      {children}
    </button>
  );
}

function CardCost({ figures: { cost } }: { readonly figures: NodeFigures }) {
  const { t } = useTranslation();
  if (cost === 'none') return undefined;
  return cost === 'unknown' ? (
    <span title={t('usage.priceUnknown')} className="shrink-0 text-ink-faint">
      $?
    </span>
  ) : (
    <span className="shrink-0 text-ink-soft tabular-nums">{formatCost(cost)}</span>
  );
}

function CardFigures({ figures }: { readonly figures: NodeFigures }) {
  const { t } = useTranslation();
  const { tokens, files, visits } = figures;
  return (
    <div className="mt-auto flex items-center gap-2 text-ink-faint tabular-nums">
      <span className="min-w-0 grow truncate">
        <Duration figures={figures} />
        {tokens > 0 ? ` · ${t('usage.tokens', { tokens: formatCompact(tokens) })}` : ''}
      </span>
      {visits.length > 1 ? (
        <span title={t('overview.visits', { count: visits.length })} className="shrink-0">
          ×{visits.length}
        </span>
      ) : undefined}
      {files.length > 0 ? (
        <span title={toFileNames(files)} className="flex shrink-0 items-center gap-0.5">
          <FileText aria-hidden="true" className="size-3.5" />
          {files.length}
        </span>
      ) : undefined}
    </div>
  );
}

/** Grows every second while the run is here: only this text is rendered again. */
export function Duration({
  figures: { durationMs, growsSince },
}: {
  readonly figures: Pick<NodeFigures, 'durationMs' | 'growsSince'>;
}) {
  const now = useNow(growsSince !== undefined);
  const more = growsSince === undefined ? 0 : Math.max(0, now - Date.parse(growsSince));
  return formatDuration(durationMs + more);
}

const SHOWN_FILES = 12;

function toFileNames(files: readonly string[]): string {
  const names = files.slice(0, SHOWN_FILES).map((path) => toShownLine(path.replace(/^@project\//, '')));
  return [...names, ...(files.length > SHOWN_FILES ? ['…'] : [])].join('\n');
}

/** The state of a node in words: never by colour alone. A current node says what its run does. */
function useStateWord(node: ProgressNode, phase: ShownPhase): string {
  const { t } = useTranslation();
  return node.progress === 'current' && phase !== 'Running'
    ? t(`phase.${phase}`)
    : t(`progress.${node.progress}`);
}

interface Look {
  readonly Icon: LucideIcon;
  readonly ink: string;
  readonly frame: string;
  /** Its title is quiet, too. */
  readonly isQuiet?: true;
}

function lookOf({ progress, isRefused }: ProgressNode, phase: ShownPhase): Look {
  if (progress === 'current') return CURRENT_LOOKS[phase] ?? STOPPED;
  return isRefused && progress === 'ahead' ? REFUSED : LOOKS[progress];
}

const LOOKS = {
  done: { Icon: CircleCheck, ink: 'text-ok', frame: 'is-done' },
  ahead: { Icon: Circle, ink: 'text-ink-faint', frame: 'is-ahead', isQuiet: true },
  notNeeded: { Icon: CircleMinus, ink: 'text-ink-faint', frame: 'is-skipped', isQuiet: true },
} as const satisfies Record<string, Look>;

const REFUSED: Look = { Icon: Ban, ink: 'text-warn', frame: 'is-ahead', isQuiet: true };
const STOPPED: Look = { Icon: CirclePause, ink: 'text-ink-soft', frame: 'is-current' };

const CURRENT_LOOKS: Partial<Record<ShownPhase, Look>> = {
  Running: { Icon: CircleDashed, ink: 'text-accent-text', frame: 'is-current' },
  WaitingUser: { Icon: MessageCircleQuestion, ink: 'text-warn', frame: 'is-current is-asking' },
  Problem: { Icon: TriangleAlert, ink: 'text-bad', frame: 'is-current is-failed' },
  Failed: { Icon: TriangleAlert, ink: 'text-bad', frame: 'is-current is-failed' },
};

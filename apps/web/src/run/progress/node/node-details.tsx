/** Details of a node: agent, usage, inputs and outputs, transitions, and the text of the step. */
import type { Story } from '@crewagent/protocol/story/story';
import { ArrowLeft, ArrowRight, Ban, Undo2 } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { useNode } from '../../../api/queries.ts';
import {
  formatCompact,
  formatCost,
  formatNoticeable,
  formatNumber,
  formatTime,
} from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorNote } from '../../../ui/errors/error-note.tsx';
import { Markdown, withoutFrontmatter } from '../../../ui/markdown/markdown.tsx';
import { toShownLine, toShownText } from '../../../ui/sanitize-text.ts';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { ForkButton } from '../../fork/fork-button.tsx';
import { useWholeStory } from '../../load-earlier.ts';
import { OpenRowsContext, useOpenRowsState } from '../../open-rows.ts';
import { nodeTitle } from '../../shown-names.ts';
import { ToolRow } from '../../timeline/rows/tool-row.tsx';
import type { ProgressNode } from '../to-progress.ts';
import { NodeFiles } from './node-files.tsx';
import { NodeMark, NodeWho } from './node-mark.tsx';
import { type NodeTurn, type NodeWay, toNodeDetails } from './to-node-details.ts';

interface NodeDetailsProps {
  readonly projectId: string;
  readonly view: Readonly<Story>;
  readonly node: ProgressNode;
  readonly onOpenNode: (nodeId: string) => void;
  readonly onClose: () => void;
}

export function NodeDetails({ projectId, view, node, onOpenNode, onClose }: NodeDetailsProps) {
  const { t } = useTranslation();
  const { package: pkg, workflow, lastSeq } = view;
  const shown = useNode(pkg?.hash, workflow?.ref, node.id);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view is mutable; its seq changes with it
  const details = useMemo(() => toNodeDetails(view, node.id), [lastSeq, view.earlier, node.id]);
  useWholeStory(view);
  const section = useRef<HTMLElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  useCloseWithEscape(section, onClose);
  const { data, error } = shown;
  const lastVisit = details.visits.at(-1);
  return (
    <section ref={section} aria-label={toShownLine(node.title)} className="flex flex-col gap-4 px-3 py-2.5">
      <header>
        <Button
          kind="quiet"
          size="sm"
          icon={<ArrowLeft className="size-3.5" />}
          onClick={onClose}
          className="-ms-2"
        >
          {t('inspector.node.back')}
        </Button>
        <h3
          ref={heading}
          tabIndex={-1}
          className="mt-1 flex items-start gap-2 text-lg font-semibold outline-none"
        >
          <span className="mt-1">
            <NodeMark node={node} />
          </span>
          <span className="min-w-0 wrap-anywhere">{toShownLine(node.title)}</span>
        </h3>
        <p className="mt-0.5 text-sm text-ink-faint">
          <NodeWho node={node} packageHash={pkg?.hash} extra={[t(`progress.${node.progress}`)]} hasTitle />
        </p>
      </header>
      {lastVisit ? (
        <div>
          <ForkButton workId={view.runId} seq={lastVisit.firstSeq} isNamed />
        </div>
      ) : undefined}
      <NodeFacts details={details} progress={node.progress} />
      <NodeWays ways={details.ways} view={view} onOpenNode={onOpenNode} />
      <ErrorNote issue={error} />
      {shown.isPending && shown.isFetching ? <Skeleton className="h-24" /> : undefined}
      {data ? (
        <>
          {(['inputs', 'outputs'] as const)
            .filter((use) => data.node[use].length > 0)
            .map((use) => (
              <NodePart key={use} title={t(`inspector.node.${use}`)}>
                <NodeFiles {...{ projectId, view, node, use }} written={data.node[use]} />
              </NodePart>
            ))}
          <NodeValues {...{ view, node }} names={data.node.setsVariables} />
        </>
      ) : undefined}
      {details.turns.length > 0 ? (
        <NodeTurns turns={details.turns} titleOf={(id) => nodeTitle(view, id)} />
      ) : undefined}
      {data ? (
        <NodePart title={t('inspector.node.text')}>
          <article className="rounded-lg border bg-surface px-3 py-2">
            <Markdown text={withoutFrontmatter(data.text)} />
          </article>
        </NodePart>
      ) : undefined}
    </section>
  );
}

/**
 * Escape closes only the element that contains the focus. A sheet around it listens on the document, so the event is marked as
 * handled.
 */
function useCloseWithEscape(part: RefObject<HTMLElement | null>, close: () => void): void {
  const latest = useRef(close);
  latest.current = close;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.isComposing || event.defaultPrevented) return;
      if (!part.current?.contains(document.activeElement)) return;
      event.preventDefault();
      latest.current();
    };
    addEventListener('keydown', press, { capture: true });
    return () => removeEventListener('keydown', press, { capture: true });
  }, [part]);
}

interface NodeFactsProps {
  readonly details: ReturnType<typeof toNodeDetails>;
  readonly progress: ProgressNode['progress'];
}

/** Usage of a node in numbers, or that the run has not reached it. */
export function NodeFacts({ details: { visits, durationMs, usage }, progress }: NodeFactsProps) {
  const { t } = useTranslation();
  if (visits.length === 0)
    return (
      <p className="text-ink-soft">
        {t(progress === 'notNeeded' ? 'inspector.node.notNeeded' : 'inspector.node.notYet')}
      </p>
    );
  const turns = visits.reduce((sum, visit) => sum + visit.turns, 0);
  const tokens = usage.promptTokens + usage.completionTokens;
  const facts = [
    ['time', formatNoticeable(durationMs)],
    ['turns', formatNumber(turns)],
    ['tokens', tokens > 0 ? formatCompact(tokens) : undefined],
    ['cost', usage.costUsd === undefined ? undefined : formatCost(usage.costUsd)],
    ['visits', visits.length > 1 ? formatNumber(visits.length) : undefined],
  ] as const;
  return (
    <dl className="flex flex-wrap gap-x-6 gap-y-2 rounded-lg border bg-surface px-3 py-2">
      {facts.map(([name, value]) =>
        value === undefined ? undefined : (
          <div key={name}>
            <dt className="text-xs text-ink-faint">{t(`inspector.node.${name}`)}</dt>
            <dd className="font-medium tabular-nums">{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

interface NodeWaysProps extends Pick<NodeDetailsProps, 'view' | 'onOpenNode'> {
  readonly ways: readonly NodeWay[];
}

/** Transitions of a node with their reasons; rejected ones with the model's error message. */
function NodeWays({ ways, view, onOpenNode }: NodeWaysProps) {
  const { t } = useTranslation();
  if (ways.length === 0) return undefined;
  return (
    <NodePart title={t('inspector.node.ways')}>
      <ul className="flex flex-col gap-1.5">
        {ways.map((way) => (
          <li key={way.seq} className="rounded-md border bg-surface px-2.5 py-1.5">
            <div className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
              <WayMark kind={way.kind} />
              <button
                type="button"
                onClick={() => onOpenNode(way.to)}
                className="rounded-sm text-start font-medium wrap-anywhere hover:underline"
              >
                {toShownLine(nodeTitle(view, way.to))}
              </button>
              {way.label ? (
                <span className="rounded-sm bg-hover px-1.5 text-xs text-ink-soft">
                  {toShownLine(way.label)}
                </span>
              ) : undefined}
            </div>
            {way.reason ? (
              <p className="mt-0.5 text-sm text-ink-soft wrap-anywhere">
                <span className="text-ink-faint">
                  {t(way.kind === 'refused' ? 'move.lesson' : 'move.because')}
                </span>{' '}
                {toShownText(way.reason)}
              </p>
            ) : undefined}
          </li>
        ))}
      </ul>
    </NodePart>
  );
}

function WayMark({ kind }: Pick<NodeWay, 'kind'>) {
  const { t } = useTranslation();
  if (kind === 'taken') return <ArrowRight aria-label={t('move.to')} className="size-3.5 shrink-0 text-ok" />;
  const { Icon, ink, text } = WAY_LOOKS[kind];
  return (
    <span className={`flex items-center gap-1.5 text-sm ${ink}`}>
      <Icon className="size-3.5 shrink-0" />
      {t(text)}
    </span>
  );
}

const WAY_LOOKS = {
  refused: { Icon: Ban, ink: 'text-warn', text: 'move.refused' },
  rewound: { Icon: Undo2, ink: 'text-ink-soft', text: 'inspector.node.rewound' },
} as const;

interface NodeValuesProps extends Pick<NodeDetailsProps, 'view' | 'node'> {
  readonly names: readonly string[];
}

/** The variables a node sets, with their current values. */
function NodeValues({ names, view, node }: NodeValuesProps) {
  const { t } = useTranslation();
  if (names.length === 0) return undefined;
  const values = view.state.variables;
  const unset = node.progress === 'notNeeded' ? 'inspector.node.isNotNeeded' : 'inspector.node.isUnset';
  return (
    <NodePart title={t('inspector.node.values')}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-sm">
        {names.map((name) => (
          <div key={name} className="contents">
            <dt className="font-mono text-ink-faint">{toShownLine(name)}</dt>
            <dd className="wrap-anywhere">
              {Object.hasOwn(values, name) ? (
                <span className="font-mono">{shorten(toShownText(JSON.stringify(values[name]) ?? ''))}</span>
              ) : (
                <span className="text-ink-faint">{t(unset)}</span>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </NodePart>
  );
}

function shorten(text: string): string {
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}

const INITIAL_COUNT = 12;
const MORE = 100;

interface NodeTurnsProps {
  readonly turns: readonly NodeTurn[];
  readonly titleOf: (nodeId: string) => string;
}

/** The turns of a node: messages of the model and its calls. The latest are shown, all on demand. */
function NodeTurns({ turns, titleOf }: NodeTurnsProps) {
  const { t } = useTranslation();
  const openRows = useOpenRowsState();
  const [most, setMost] = useState(INITIAL_COUNT);
  const hidden = Math.max(0, turns.length - most);
  return (
    <NodePart title={t('inspector.node.turns')}>
      <OpenRowsContext value={openRows}>
        {hidden > 0 ? (
          <Button kind="quiet" size="sm" onClick={() => setMost(most + MORE)} className="mb-1 -ms-2">
            {t('inspector.node.earlierTurns', { count: hidden })}
          </Button>
        ) : undefined}
        <ol className="flex flex-col gap-1.5">
          {turns.slice(hidden).map((turn, index) => (
            <li key={turn.seq} className="border-s-2 ps-2">
              <p className="flex gap-2">
                <span className="min-w-0 grow truncate text-sm text-ink-soft">
                  {turn.text === undefined
                    ? t('inspector.node.turn', { number: hidden + index + 1 })
                    : toShownLine(turn.text.slice(0, 200))}
                </span>
                <time dateTime={turn.ts} className="shrink-0 text-xs text-ink-faint tabular-nums">
                  {formatTime(turn.ts)}
                </time>
              </p>
              {turn.calls.map((call) => (
                <ToolRow
                  key={call.callId}
                  rowKey={`${turn.seq}:${call.callId}`}
                  item={call}
                  titleOf={titleOf}
                />
              ))}
            </li>
          ))}
        </ol>
      </OpenRowsContext>
    </NodePart>
  );
}

/** A titled section of a node's details. */
function NodePart({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div>
      <h4 className="mb-1 text-sm font-medium text-ink-faint">{title}</h4>
      {children}
    </div>
  );
}

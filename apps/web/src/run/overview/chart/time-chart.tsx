/** The time of a run as a chart: a row per step, a bar per visit, split into model, tools and waiting; and as a table. */
import './chart.css';
import { ChartGantt } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { create } from 'zustand';
import { formatDuration, formatPercent } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { requestStep } from '../../../state/step-focus.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Checkbox } from '../../../ui/forms/checkbox.tsx';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import type { ProgressPanelProps } from '../../progress/progress-panel.tsx';
import { Bar, useGrown } from './bar.tsx';
import { TimeTable } from './time-table.tsx';
import { type Chart, type ChartRow, lengthOf, PARTS, toAxis, toChart } from './to-chart.ts';

/** How the chart is shown; stays while the person looks elsewhere. */
const useChartOptions = create<{ readonly hasWaiting: boolean; readonly isTable: boolean }>(() => ({
  hasWaiting: true,
  isTable: false,
}));

export function TimeChart({ projectId, view, runs }: ProgressPanelProps) {
  const { t } = useTranslation();
  const { hasWaiting, isTable } = useChartOptions();
  const chart = useMemo(() => toChart(view, { runs, hasWaiting }), [view, runs, hasWaiting]);
  if (chart.rows.length === 0)
    return (
      <EmptyState icon={<ChartGantt />} title={t('overview.noTime')}>
        {t('overview.noTimeText')}
      </EmptyState>
    );
  return (
    <div className="flex flex-col gap-4 p-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
        <Legend chart={chart} />
        <span className="grow" />
        <div className="flex gap-x-5">
          {chart.rows.some(
            ({ parts, bars }) => parts.waiting > 0 || bars.at(-1)?.growing?.part === 'waiting',
          ) ? (
            <Checkbox
              label={t('overview.withoutWaiting')}
              isChecked={!hasWaiting}
              onChange={(isOut) => useChartOptions.setState({ hasWaiting: !isOut })}
            />
          ) : undefined}
          <Checkbox
            label={t('overview.asTable')}
            isChecked={isTable}
            onChange={(is) => useChartOptions.setState({ isTable: is })}
          />
        </div>
      </div>
      {isTable ? undefined : <Rows {...{ projectId, chart, hasWaiting }} />}
      <div className={isTable ? 'overflow-x-auto' : 'sr-only'}>
        <TimeTable chart={chart} model={view.model} />
      </div>
    </div>
  );
}

/** The parts by their pattern and name, with their sums. */
function Legend({ chart: { rows, growing } }: { readonly chart: Chart }) {
  const { t } = useTranslation();
  const grown = useGrown(growing);
  const outer = rows.filter(({ depth }) => depth === 0);
  const sums = PARTS.map((part) => ({
    part,
    ms: outer.reduce((sum, { parts }) => sum + parts[part], growing?.part === part ? grown : 0),
  }));
  const all = sums.reduce((sum, { ms }) => sum + ms, 0);
  return (
    <dl className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
      {sums.map(({ part, ms }) => (
        <div key={part} className="flex items-center gap-2">
          <dt className="flex items-center gap-2 text-ink-soft">
            <span aria-hidden="true" className={`part is-${part} h-3 w-5 rounded-sm`} />
            {t(`overview.part.${part}`)}
          </dt>
          <dd className="text-ink-faint tabular-nums">
            {formatDuration(ms)}
            {all > 0 ? ` · ${formatPercent(ms / all)}` : ''}
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface RowsProps {
  readonly projectId: string;
  readonly chart: Chart;
  readonly hasWaiting: boolean;
}

/** One stop of the Tab key; arrow keys move between the bars. */
function Rows({ projectId, chart, hasWaiting }: RowsProps) {
  const { t } = useTranslation();
  const axis = useAxis(chart, hasWaiting);
  const body = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<string>();
  const keys = chart.rows.flatMap(({ key, bars }) => bars.map((_, index) => `${key}/${index}`));
  const tabStop = keys.find((key) => key === chosen) ?? keys[0];
  const move = (event: KeyboardEvent): void => {
    const key = nextBar(chart.rows, tabStop, event.key);
    if (key === undefined) return;
    event.preventDefault();
    setChosen(key);
    body.current?.querySelector<HTMLElement>(`[data-bar="${CSS.escape(key)}"]`)?.focus();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div ref={body} role="group" aria-label={t('overview.chart')} onKeyDown={move} className="min-w-0">
      <Track head={<AxisHead {...axis} />} title="" total="" />
      <div className="relative">
        {chart.rows.map((row) => (
          <Track
            key={row.key}
            depth={row.depth}
            title={toShownLine(row.title)}
            total={<RowTotal {...{ row, hasWaiting }} />}
            head={<TickLines {...axis} />}
          >
            {row.bars.map((bar, index) => (
              <Bar
                key={bar.seq + bar.runId}
                {...{ bar, row, axis, hasWaiting }}
                id={`${row.key}/${index}`}
                isTabStop={`${row.key}/${index}` === tabStop}
                onChoose={() => setChosen(`${row.key}/${index}`)}
                onOpen={() => requestStep(projectId, { runId: bar.runId, nodeId: row.nodeId, seq: bar.seq })}
              />
            ))}
          </Track>
        ))}
      </div>
    </div>
  );
}

interface TrackProps {
  readonly title: string;
  readonly total: ReactNode;
  readonly depth?: number;
  /** Behind the bars. */
  readonly head: ReactNode;
  readonly children?: ReactNode;
}

/** A title, a line with bars, and their sum; narrow screens have the title above the line. */
function Track({ title, total, depth = 0, head, children }: TrackProps) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 sm:grid-cols-[minmax(8rem,13rem)_minmax(0,1fr)_4.5rem]">
      <span
        aria-hidden="true"
        title={title}
        style={{ paddingInlineStart: `${Math.min(depth, MOST_INDENT)}rem` }}
        className={`truncate text-sm ${depth > 0 ? 'text-ink-soft' : 'text-ink'}`}
      >
        {title}
      </span>
      <div className="relative h-8 max-sm:order-last max-sm:col-span-2">
        {head}
        {children}
      </div>
      <span aria-hidden="true" className="text-end text-sm whitespace-nowrap text-ink-soft tabular-nums">
        {total}
      </span>
    </div>
  );
}

const MOST_INDENT = 4;

function RowTotal({
  row: { parts, bars },
  hasWaiting,
}: {
  readonly row: ChartRow;
  readonly hasWaiting: boolean;
}) {
  const growing = bars.at(-1)?.growing;
  const grown = useGrown(growing?.part === 'waiting' && !hasWaiting ? undefined : growing);
  return formatDuration(lengthOf(parts, hasWaiting) + grown);
}

type Axis = ReturnType<typeof toAxis>;

function ticksOf({ endMs, tickMs }: Axis): readonly number[] {
  return Array.from({ length: Math.round(endMs / tickMs) + 1 }, (_, index) => index * tickMs);
}

function AxisHead(axis: Axis) {
  return (
    <div aria-hidden="true" className="text-xs text-ink-faint tabular-nums">
      {ticksOf(axis).map((ms, index, { length }) => (
        <span
          key={ms}
          style={{ insetInlineStart: `${(ms / axis.endMs) * 100}%` }}
          className={`absolute bottom-1 whitespace-nowrap ${index === 0 ? '' : index === length - 1 ? '-translate-x-full' : '-translate-x-1/2'}`}
        >
          {ms === 0 ? '0' : formatDuration(ms)}
        </span>
      ))}
    </div>
  );
}

function TickLines(axis: Axis) {
  return ticksOf(axis).map((ms) => (
    <span
      key={ms}
      aria-hidden="true"
      style={{ insetInlineStart: `${(ms / axis.endMs) * 100}%` }}
      className="absolute inset-y-0 w-px bg-line"
    />
  ));
}

/** Checks every second whether a growing bar needs a longer axis: the chart is drawn again only then. */
function useAxis({ lengthMs, growing }: Chart, hasWaiting: boolean): Axis {
  const grows = growing && (hasWaiting || growing.part !== 'waiting') ? growing.since : undefined;
  const [seen, setSeen] = useState(0);
  useEffect(() => {
    if (grows === undefined) return undefined;
    const measure = (): void => {
      const length = lengthMs + Math.max(0, Date.now() - Date.parse(grows));
      const { endMs } = toAxis(length);
      setSeen((before) => (toAxis(Math.max(before, lengthMs)).endMs >= endMs ? before : length));
    };
    measure();
    const timer = setInterval(measure, 1_000);
    return () => clearInterval(timer);
  }, [grows, lengthMs]);
  return useMemo(
    () => toAxis(grows === undefined ? lengthMs : Math.max(seen, lengthMs)),
    [grows, seen, lengthMs],
  );
}

/** Up and down lead to the nearest bar of another row, left and right along a row. */
function nextBar(rows: readonly ChartRow[], from: string | undefined, key: string): string | undefined {
  const at = rows.findIndex(
    (row) => from?.startsWith(`${row.key}/`) && !from.slice(row.key.length + 1).includes('/'),
  );
  const index = Number(from?.slice(from.lastIndexOf('/') + 1) ?? 0);
  const idOf = (row: ChartRow | undefined, wanted: number): string | undefined =>
    row && row.bars.length > 0
      ? `${row.key}/${Math.max(0, Math.min(wanted, row.bars.length - 1))}`
      : undefined;
  switch (key) {
    case 'ArrowDown':
      return idOf(rows[at + 1], index);
    case 'ArrowUp':
      return idOf(rows[at - 1], index);
    case 'ArrowRight':
      return idOf(rows[at], index + 1);
    case 'ArrowLeft':
      return idOf(rows[at], index - 1);
    case 'Home':
      return idOf(rows[0], 0);
    case 'End':
      return idOf(rows.at(-1), Number.MAX_SAFE_INTEGER);
    default:
      return undefined;
  }
}

/** Log tab of the inspector: every event, live, loaded from the end. */
import type { RunEvent } from '@crewagent/protocol/events';
import { describeToolCall } from '@crewagent/protocol/story/describe-call';
import {
  isAtLeast,
  LOG_LEVELS,
  type LogLevel,
  type LogNames,
  levelOf,
  summaryOf,
} from '@crewagent/protocol/story/describe-event';
import {
  CircleAlert,
  Copy,
  Dot,
  Download,
  Minus,
  ScrollText,
  SearchX,
  ShieldAlert,
  ShieldCheck,
  TriangleAlert,
} from 'lucide-react';
import { memo, useDeferredValue, useMemo, useRef, useState } from 'react';
import { Virtualizer } from 'virtua';
import { useLogCheck } from '../../../api/inspector-queries.ts';
import { formatBytes, formatClock, formatDuration, formatNumber } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { CodeBlock } from '../../../ui/code/code-block.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorNote } from '../../../ui/errors/error-note.tsx';
import { toProblemLine, toProblemTexts } from '../../../ui/errors/error-texts.ts';
import { Fold } from '../../../ui/fold.tsx';
import { Input, Select } from '../../../ui/forms/input.tsx';
import { Note } from '../../../ui/note.tsx';
import { Menu } from '../../../ui/overlays/menu.tsx';
import { useToasts } from '../../../ui/overlays/toast-store.ts';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { useAction } from '../../../ui/use-action.ts';
import { OpenRowsContext, useOpenRows, useOpenRowsState } from '../../open-rows.ts';
import { usePast } from '../../past.ts';
import { nodeTitle } from '../../shown-names.ts';
import { Ruler, SMALLEST_ROW } from '../../timeline/timeline.tsx';
import { ToEndButton, useFollowEnd } from '../../use-follow-end.tsx';
import type { PanelProps } from '../use-inspected.ts';
import { useExports } from './use-exports.tsx';
import { useLog } from './use-log.ts';

export function LogPanel({ projectId, view }: PanelProps) {
  const translation = useTranslation();
  const { t } = translation;
  const [filter, setFilter] = useState<LogFilter>({ level: 'info', text: '' });
  const { level } = filter;
  const wanted = useDeferredValue(filter.text.trim().toLowerCase());
  const past = usePast();
  const log = useLog(view.runId, view.lastSeq, wanted !== '' || past !== undefined);
  const { events, earlier, issue } = log;
  const shown = useMemo(
    () =>
      events.filter(
        (event) =>
          event.seq <= view.lastSeq &&
          isAtLeast(event, level) &&
          (wanted === '' || JSON.stringify(event).toLowerCase().includes(wanted)),
      ),
    [events, level, wanted, view.lastSeq],
  );
  const { nodes } = view;
  const names = useMemo(
    (): LogNames => ({
      nodeOf: (nodeId) => nodeTitle({ nodes }, nodeId),
      phaseOf: (phase) => t(`phase.${phase}`),
      callOf: (name, status) => {
        const { key, params } = describeToolCall(name, status);
        return t(key, params);
      },
      purposeOf: (purpose) =>
        purpose === 'reply' || purpose === 'input' ? t(`inspector.logs.purpose.${purpose}`) : purpose,
      // These waits have no other reason than their phase says.
      problemOf: (problem) =>
        NAMED_BY_PHASE.has(problem.code) ? '' : toProblemLine(toProblemTexts(problem, translation)),
      amountOf: (value, unit) =>
        unit === 'tokens' ? t('inspector.logs.tokens', { count: value }) : AMOUNTS[unit](value),
    }),
    [nodes, t, translation],
  );
  if (view.lastSeq === 0)
    return (
      <EmptyState icon={<ScrollText />} title={t('inspector.logs.empty')}>
        {t('inspector.logs.emptyText')}
      </EmptyState>
    );
  return (
    <div className="flex h-full min-h-0 flex-col">
      <LogFilters projectId={projectId} view={view} events={shown} filter={filter} onChange={setFilter} />
      <LogCheck view={view} />
      {issue === undefined ? undefined : (
        <div className="flex flex-col items-start gap-2 px-3 pb-2">
          <ErrorNote issue={issue} />
          <Button size="sm" onClick={log.retry}>
            {t('action.retry')}
          </Button>
        </div>
      )}
      {events.length > 0 && shown.length === 0 && (earlier === 0 || wanted !== '') ? (
        <EmptyState
          icon={<SearchX />}
          title={t('inspector.logs.none')}
          action={
            <Button onClick={() => setFilter({ level: 'detail', text: '' })}>{t('text.showAll')}</Button>
          }
        />
      ) : (
        <LogList log={log} events={shown} names={names} />
      )}
    </div>
  );
}

/** Result of the integrity check: each line contains a hash over itself and the previous line. */
function LogCheck({ view }: Pick<PanelProps, 'view'>) {
  const { t } = useTranslation();
  const { data } = useLogCheck(view.runId, view.phase);
  // Its room is there from the beginning: the list below keeps its size.
  if (!data) return <div className="h-6 shrink-0" />;
  if (data.isIntact)
    return (
      <p className="flex shrink-0 items-center gap-1.5 px-3 pb-2 text-xs text-ink-faint">
        <ShieldCheck className="size-3.5 text-ok" />
        {t('inspector.logs.isIntact')}
      </p>
    );
  return (
    <div className="shrink-0 px-3 pb-2">
      <Note
        level="warning"
        title={
          <span className="flex items-center gap-1.5">
            <ShieldAlert className="size-3.5" />
            {t('inspector.logs.isBroken', { number: formatNumber(data.brokenAt ?? data.lastSeq) })}
          </span>
        }
        advice={t('inspector.logs.brokenAdvice')}
      />
    </div>
  );
}

interface LogFilter {
  readonly level: LogLevel;
  readonly text: string;
}

interface LogFiltersProps extends PanelProps {
  /** The filtered events. */
  readonly events: readonly RunEvent[];
  readonly filter: LogFilter;
  readonly onChange: (filter: LogFilter) => void;
}

/** Filters of the log, and copying or exporting it. */
function LogFilters({ projectId, view, events, filter, onChange }: LogFiltersProps) {
  const { t } = useTranslation();
  const show = useToasts((toasts) => toasts.show);
  const copy = useAction(async () => {
    await navigator.clipboard.writeText(events.map((event) => JSON.stringify(event)).join('\n'));
    show(t('inspector.logs.copied', { count: events.length }));
  });
  const { items, issue } = useExports(projectId, view);
  return (
    <div className="flex shrink-0 flex-col gap-2 p-3 pb-2">
      <Input
        type="search"
        value={filter.text}
        aria-label={t('inspector.logs.search')}
        placeholder={t('inspector.logs.search')}
        onChange={({ target }) => onChange({ ...filter, text: target.value })}
      />
      <div className="flex items-center gap-1">
        <Select
          aria-label={t('inspector.logs.level')}
          value={filter.level}
          onChoose={(value) =>
            onChange({ ...filter, level: LOG_LEVELS.find((known) => known === value) ?? 'info' })
          }
          options={LOG_LEVELS.map((value) => ({ value, label: t(`inspector.logs.levels.${value}`) }))}
        />
        <IconButton label={t('inspector.logs.copy')} onClick={() => copy.run()} className="ms-1">
          <Copy />
        </IconButton>
        <Menu
          label={t('inspector.export.label')}
          items={items}
          trigger={
            <IconButton label={t('inspector.export.label')}>
              <Download />
            </IconButton>
          }
        />
      </div>
      <ErrorNote issue={copy.issue ?? issue} />
    </div>
  );
}

/** Codes of waits whose reason the phase names. */
const NAMED_BY_PHASE: ReadonlySet<string> = new Set(['question', 'approval', 'reply']);

const AMOUNTS = { ms: formatDuration, bytes: formatBytes };

interface LogListProps {
  readonly log: ReturnType<typeof useLog>;
  /** The filtered events. */
  readonly events: readonly RunEvent[];
  readonly names: LogNames;
}

/** Events, one per line; a line expands to the whole event. Virtualized; follows the end. */
function LogList({ log: { earlier, isLoading, isPrepended, loadEarlier }, events, names }: LogListProps) {
  const { t } = useTranslation();
  const openRows = useOpenRowsState();
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const lastKey = events.at(-1)?.seq.toString();
  const { list, isAtEnd, follow } = useFollowEnd({ scroller, content, lastKey });
  return (
    <div className="relative min-h-0 grow border-t">
      <section
        ref={scroller}
        aria-label={t('inspector.logs.label')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable with the keyboard
        tabIndex={0}
        className="h-full overflow-y-auto overscroll-contain px-2 [overflow-anchor:none] -outline-offset-2"
      >
        {/* In the list, whose size stays the same. */}
        {isLoading ? <Skeleton className="m-1 h-40" /> : undefined}
        {earlier > 0 ? (
          <Button kind="quiet" size="sm" onClick={loadEarlier} className="my-1 w-full">
            {t('inspector.logs.earlier', { count: earlier })}
          </Button>
        ) : undefined}
        <OpenRowsContext value={openRows}>
          <div className="relative py-1">
            <Ruler ref={content} />
            <Virtualizer
              ref={list}
              scrollRef={scroller}
              bufferSize={400}
              itemSize={SMALLEST_ROW}
              shift={isPrepended}
            >
              {events.map((event) => (
                <div key={event.seq}>
                  <LogRow event={event} names={names} />
                </div>
              ))}
            </Virtualizer>
          </div>
        </OpenRowsContext>
      </section>
      {isAtEnd ? undefined : <ToEndButton onClick={follow} />}
    </div>
  );
}

interface LogRowProps {
  readonly event: RunEvent;
  readonly names: LogNames;
}

/** One event: time, level, what it is and its text; unfolded, the event as it is stored. */
const LogRow = memo(function LogRow({ event, names }: LogRowProps) {
  const { t } = useTranslation();
  const { isOpen, toggle } = useOpenRows();
  const key = String(event.seq);
  const { Icon, look } = LEVELS[levelOf(event)];
  return (
    <Fold
      isOpen={isOpen(key)}
      onToggle={() => toggle(key)}
      summary={
        <>
          <time dateTime={event.ts} className="shrink-0 text-xs text-ink-faint tabular-nums">
            {formatClock(event.ts)}
          </time>
          <Icon
            aria-label={t(`inspector.logs.levelName.${levelOf(event)}`)}
            className={`size-3.5 shrink-0 ${look}`}
          />
          <span className="shrink-0 text-xs text-ink">{t(`inspector.logs.types.${event.type}`)}</span>
          <bdi className="min-w-0 truncate text-xs text-ink-faint">
            {toShownLine(summaryOf(event, names))}
          </bdi>
        </>
      }
    >
      {() => (
        <CodeBlock
          text={JSON.stringify(event, null, 2)}
          label={t('inspector.logs.event', { number: event.seq })}
          title={t('inspector.logs.event', { number: event.seq })}
          language="json"
          wraps
        />
      )}
    </Fold>
  );
});

const LEVELS = {
  detail: { Icon: Minus, look: 'text-ink-faint' },
  info: { Icon: Dot, look: 'text-ink-soft' },
  warning: { Icon: TriangleAlert, look: 'text-warn' },
  error: { Icon: CircleAlert, look: 'text-bad' },
} as const;

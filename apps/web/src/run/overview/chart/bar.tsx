/** A bar of the chart: one visit, split into its parts. Figures on hover and focus; a press shows the visit in the timeline. */
import { memo } from 'react';
import { formatDateTime, formatDuration } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import { Tooltip } from '../../../ui/tooltip.tsx';
import { useNow } from '../../../ui/use-now.ts';
import { type ChartBar, type ChartRow, lengthOf, PARTS, type PartTimes } from './to-chart.ts';

interface BarProps {
  readonly bar: ChartBar;
  readonly row: Pick<ChartRow, 'title' | 'visits'>;
  readonly axis: { readonly endMs: number };
  readonly hasWaiting: boolean;
  readonly id: string;
  readonly isTabStop: boolean;
  readonly onChoose: () => void;
  readonly onOpen: () => void;
}

export const Bar = memo(
  ({ bar, row, axis, hasWaiting, id, isTabStop, onChoose, onOpen }: BarProps) => {
    const parts = useGrowing(bar);
    const label = useLabel(bar, row, parts);
    const shown = PARTS.filter((part) => parts[part] > 0 && (hasWaiting || part !== 'waiting'));
    const length = lengthOf(parts, hasWaiting);
    return (
      <Tooltip text={<Figures {...{ bar, row, parts }} />}>
        <button
          type="button"
          data-bar={id}
          aria-label={label}
          tabIndex={isTabStop ? 0 : -1}
          onFocus={onChoose}
          onClick={onOpen}
          style={{
            insetInlineStart: `${(bar.startMs / axis.endMs) * 100}%`,
            width: `${(length / axis.endMs) * 100}%`,
          }}
          className="absolute inset-y-1.5 flex min-w-1 gap-px overflow-hidden rounded-sm outline-offset-1 hover:brightness-110"
        >
          {shown.map((part) => (
            <span key={part} style={{ flexGrow: parts[part], flexBasis: 0 }} className={`part is-${part}`} />
          ))}
        </button>
      </Tooltip>
    );
  },
  // Handlers are new with each event, and depend on the same values.
  (before, after) =>
    isSameBar(before.bar, after.bar) &&
    before.axis === after.axis &&
    before.isTabStop === after.isTabStop &&
    before.hasWaiting === after.hasWaiting &&
    before.row.visits === after.row.visits,
);

function isSameBar(one: ChartBar, other: ChartBar): boolean {
  return (
    one.startMs === other.startMs &&
    one.stoppedMs === other.stoppedMs &&
    one.growing?.since === other.growing?.since &&
    one.growing?.part === other.growing?.part &&
    PARTS.every((part) => one.parts[part] === other.parts[part])
  );
}

/** The parts with the time since the last event; only this bar is rendered every second. */
function useGrowing({ parts, growing }: ChartBar): PartTimes {
  const grown = useGrown(growing);
  return growing ? { ...parts, [growing.part]: parts[growing.part] + grown } : parts;
}

/** The time since a part began that is still going on, in milliseconds; updated every second. */
export function useGrown(growing: ChartBar['growing']): number {
  const now = useNow(growing !== undefined);
  return growing ? Math.max(0, now - Date.parse(growing.since)) : 0;
}

function useLabel({ visits: [first, last] }: ChartBar, row: BarProps['row'], parts: PartTimes): string {
  const { t } = useTranslation();
  const values = { title: toShownLine(row.title), time: formatDuration(lengthOf(parts, true)) };
  const head =
    row.visits === 1
      ? t('overview.bar', values)
      : first === last
        ? t('overview.barOf', { ...values, number: first, count: row.visits })
        : t('overview.barsOf', { ...values, first, last, count: row.visits });
  const details = PARTS.filter((part) => parts[part] > 0).map(
    (part) => `${t(`overview.part.${part}`)} ${formatDuration(parts[part])}`,
  );
  return [head, ...details].join(', ');
}

interface FiguresProps extends Pick<BarProps, 'bar' | 'row'> {
  readonly parts: PartTimes;
}

function Figures({ bar, row, parts }: FiguresProps) {
  const { t } = useTranslation();
  const [first, last] = bar.visits;
  return (
    <div className="flex flex-col gap-1 py-0.5">
      <p className="flex gap-3 font-medium">
        <span className="grow">
          {toShownLine(row.title)}
          {row.visits > 1 ? ` ×${first === last ? first : `${first}–${last}`}` : ''}
        </span>
        <span className="tabular-nums">{formatDuration(lengthOf(parts, true))}</span>
      </p>
      <dl className="grid grid-cols-[auto_1fr_auto] items-center gap-x-2">
        {PARTS.filter((part) => parts[part] > 0).map((part) => (
          <div key={part} className="contents">
            <span aria-hidden="true" className={`part is-${part} h-2.5 w-4 rounded-sm`} />
            <dt className="text-ink-soft">{t(`overview.part.${part}`)}</dt>
            <dd className="text-end tabular-nums">{formatDuration(parts[part])}</dd>
          </div>
        ))}
      </dl>
      <p className="text-xs text-ink-faint">
        {t('overview.startedAt', { when: formatDateTime(bar.startedAt) })}
        {bar.stoppedMs >= 1_000
          ? ` · ${t('overview.stoppedFor', { time: formatDuration(bar.stoppedMs) })}`
          : ''}
      </p>
    </div>
  );
}

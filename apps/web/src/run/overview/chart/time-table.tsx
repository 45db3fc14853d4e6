/** The figures of the chart as a table: for screen readers beside the chart, for everybody instead of it. */
import type { RunModel } from '@crewagent/protocol/model';
import { formatClock, formatDateTime, formatDuration, formatNumber } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import { costOf, tokensOf } from '../../progress/node/node-figures.ts';
import { CostText } from './cost-text.tsx';
import { type Chart, lengthOf, PARTS } from './to-chart.ts';

interface TimeTableProps {
  readonly chart: Chart;
  readonly model: RunModel | undefined;
}

export function TimeTable({ chart, model }: TimeTableProps) {
  const { t } = useTranslation();
  const days = new Set(chart.rows.flatMap(({ bars }) => bars.map(({ startedAt }) => toDay(startedAt))));
  // Within a day, to the second: the same date in each row would say nothing and take the room of the last column.
  const startOf = days.size > 1 ? formatDateTime : formatClock;
  return (
    <table className="w-full border-collapse text-sm tabular-nums">
      <caption className="sr-only">{t('overview.chart')}</caption>
      <thead>
        <tr className="border-b text-ink-faint *:px-2 *:py-1.5 *:font-medium *:whitespace-nowrap">
          <th scope="col" className="text-start">
            {t('overview.column.step')}
          </th>
          {(['visits', 'started'] as const).map((name) => (
            <th key={name} scope="col" className="text-end">
              {t(`overview.column.${name}`)}
            </th>
          ))}
          {PARTS.map((part) => (
            <th key={part} scope="col" className="text-end">
              {t(`overview.part.${part}`)}
            </th>
          ))}
          {(['total', 'tokens', 'cost'] as const).map((name) => (
            <th key={name} scope="col" className="text-end">
              {t(`overview.column.${name}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {chart.rows.map(({ key, title, depth, visits, bars, parts, usage }) => (
          <tr key={key} className="border-b *:px-2 *:py-1.5 *:whitespace-nowrap">
            <th scope="row" className="max-w-72 truncate text-start font-medium">
              {`${'› '.repeat(depth)}${toShownLine(title)}`}
            </th>
            <td className="text-end">{formatNumber(visits)}</td>
            <td className="text-end text-ink-soft">{bars[0] ? startOf(bars[0].startedAt) : ''}</td>
            {PARTS.map((part) => (
              <td key={part} className="text-end text-ink-soft">
                {parts[part] > 0 ? formatDuration(parts[part]) : '–'}
              </td>
            ))}
            <td className="text-end font-medium">{formatDuration(lengthOf(parts, true))}</td>
            <td className="text-end text-ink-soft">{formatNumber(tokensOf(usage))}</td>
            <td className="text-end text-ink-soft">
              <CostText cost={costOf(usage, model) ?? 'none'} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function toDay(iso: string): string {
  return new Date(iso).toDateString();
}

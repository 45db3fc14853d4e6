/** Runs side by side: a column for each, what differs first, and the difference of a file on demand. */
import '../i18n/fork-texts.ts';
import {
  COMPARED_PARTS,
  type ComparedPart,
  type ComparedRow,
  type ComparedRun,
  type Comparison,
} from '@crewagent/protocol/compare';
import { useMemo, useState } from 'react';
import { useApiQuery } from '../api/api-context.tsx';
import { formatCost, formatDateTime, formatDuration, formatNumber } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { openInFront } from '../navigation/open-in-front.ts';
import { shownPhase } from '../state/work-list.ts';
import { Button } from '../ui/button.tsx';
import { DiffView } from '../ui/code/diff-view.tsx';
import { parseDiff } from '../ui/code/parse-diff.ts';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Switch } from '../ui/forms/checkbox.tsx';
import { PhasePill } from '../ui/phase-pill.tsx';
import { toShownLine, toShownText } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';

export default function CompareScreen({ works }: { readonly works: readonly string[] }) {
  const { t } = useTranslation();
  const ids = works.join(',');
  const { data, error } = useApiQuery(
    ['compare', ids],
    (client, call) => client.works.compare({ query: { works: ids } }, call),
    { staleTime: 0, retry: false },
  );
  const [isShort, setShort] = useState(true);
  return (
    <div className="flex h-full min-h-0 flex-col gap-3 overflow-auto p-4">
      <div className="flex flex-wrap items-center gap-4">
        <h1 className="grow text-xl font-semibold">{t('compare.title')}</h1>
        {error ? undefined : <Switch label={t('compare.onlyDifferent')} isOn={isShort} onChange={setShort} />}
      </div>
      <ErrorNote issue={error} />
      {data ? (
        <Table comparison={data} isShort={isShort} />
      ) : error ? undefined : (
        <Skeleton className="h-64" />
      )}
    </div>
  );
}

interface TableProps {
  readonly comparison: Comparison;
  /** Only what differs. */
  readonly isShort: boolean;
}

function Table({ comparison: { runs, rows, partsAt }, isShort }: TableProps) {
  const { t } = useTranslation();
  const shown = isShort ? rows.filter(({ isSame, part }) => !isSame || part === 'result') : rows;
  return (
    <>
      <p className="text-ink-soft">
        {partsAt === undefined ? t('compare.samePath') : t('compare.partsAt', { step: partsAt + 1 })}
        {rows.every(({ isSame }) => isSame) ? ` ${t('compare.allSame')}` : ''}
      </p>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard
        tabIndex={0}
        aria-label={t('compare.table')}
        className="shrink-0 overflow-x-auto rounded-lg border bg-surface"
      >
        <table className="w-full border-collapse text-sm">
          <caption className="sr-only">{t('compare.table')}</caption>
          <thead>
            <tr className="align-top">
              <th scope="col" className={`${NAME} text-start font-medium`}>
                {t('compare.row')}
              </th>
              {runs.map((run) => (
                <RunHead key={run.workId} run={run} />
              ))}
            </tr>
          </thead>
          {COMPARED_PARTS.map((part) => (
            <Part key={part} part={part} runs={runs} rows={shown.filter((row) => row.part === part)} />
          ))}
        </table>
      </section>
    </>
  );
}

const NAME = 'sticky start-0 z-10 min-w-32 max-w-56 bg-surface px-3 py-1.5';
/** The tint of a row that differs, over the colour that hides what scrolls below. */
const TINTED = 'bg-linear-to-r from-warn-soft/40 to-warn-soft/40';
const CELL = 'min-w-44 max-w-96 px-3 py-1.5 align-top';

function RunHead({ run }: { readonly run: ComparedRun }) {
  const { t } = useTranslation();
  return (
    <th scope="col" className={`${CELL} text-start font-normal`}>
      <button
        type="button"
        className="rounded-sm text-start font-medium wrap-anywhere hover:underline"
        onClick={() => openInFront({ name: 'work', projectId: run.projectId, workId: run.workId })}
      >
        {toShownLine(run.title)} <span className="font-mono text-ink-faint">{run.workId.slice(-8)}</span>
      </button>
      <span className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-ink-soft">
        <PhasePill phase={shownPhase(run)} />
        <span className="wrap-anywhere">{toShownLine(run.model)}</span>
      </span>
      <span className="mt-1 block text-xs text-ink-faint">
        {formatDateTime(run.createdAt)}
        {run.forkedFrom
          ? ` · ${t('compare.origin', { step: toShownLine(run.forkedAt ?? run.forkedFrom.nodeId) })}`
          : ''}
      </span>
    </th>
  );
}

interface PartProps {
  readonly part: ComparedPart;
  readonly runs: readonly ComparedRun[];
  readonly rows: readonly ComparedRow[];
}

function Part({ part, runs, rows }: PartProps) {
  const { t } = useTranslation();
  if (rows.length === 0) return undefined;
  return (
    <tbody className="border-t">
      <tr>
        <th scope="rowgroup" colSpan={runs.length + 1} className="px-3 pt-3 pb-1 text-start font-semibold">
          {t(`compare.parts.${part}`)}
        </th>
      </tr>
      {rows.map((row) => (
        <Row key={row.key} row={row} runs={runs} />
      ))}
    </tbody>
  );
}

function Row({ row, runs }: { readonly row: ComparedRow; readonly runs: readonly ComparedRun[] }) {
  const { t } = useTranslation();
  /** Number of the run whose file is compared with that of the first one. */
  const [opened, setOpened] = useState<number>();
  const { part, key, title = key, values, isSame } = row;
  const shown = row.titles ?? values;
  const name =
    part === 'result'
      ? t(`compare.result.${key as 'turns'}`)
      : part === 'path'
        ? String(Number(key) + 1)
        : title;
  const [first, other] = [runs[0], opened === undefined ? undefined : runs[opened]];
  return (
    <>
      <tr className={isSame ? 'text-ink-faint' : 'bg-warn-soft/40'}>
        <th
          scope="row"
          className={`${NAME} text-start font-normal text-ink-soft wrap-anywhere ${isSame ? '' : TINTED}`}
        >
          <bdi className={part === 'files' ? 'font-mono' : undefined}>{toShownLine(name)}</bdi>
          {isSame ? undefined : <span className="sr-only">, {t('compare.differs')}</span>}
        </th>
        {runs.map((run, index) => (
          <td key={run.workId} className={`${CELL} wrap-anywhere tabular-nums`}>
            <Value row={row} value={shown[index] ?? null} />
            {part === 'files' && index > 0 && values[index] !== values[0] ? (
              <Button
                kind="quiet"
                size="sm"
                aria-expanded={opened === index}
                aria-label={t('compare.diffOf', { path: key })}
                onClick={() => setOpened(opened === index ? undefined : index)}
              >
                {t('compare.showDiff')}
              </Button>
            ) : undefined}
          </td>
        ))}
      </tr>
      {first && other ? (
        <tr>
          <td colSpan={runs.length + 1} className="px-3 py-2">
            <FileDifference works={[first.workId, other.workId]} path={key} />
          </td>
        </tr>
      ) : undefined}
    </>
  );
}

function Value({
  row: { part, key },
  value,
}: {
  readonly row: ComparedRow;
  readonly value: string | number | null;
}) {
  const { t } = useTranslation();
  if (value === null) return <span className="text-ink-faint">{t('compare.none')}</span>;
  if (typeof value === 'number') {
    if (key === 'costUsd') return formatCost(value);
    return key === 'ms' ? formatDuration(value) : formatNumber(value);
  }
  if (part === 'checks') {
    const [outcome = '', ...missing] = value.split(': ');
    return [t(`evidence.outcome.${outcome as 'proved'}`), ...missing].map(toShownText).join(': ');
  }
  if (part !== 'files') return toShownText(value);
  return value === '' ? t('compare.removed') : <span className="font-mono">{value.slice(0, 8)}</span>;
}

function FileDifference({
  works,
  path,
}: {
  readonly works: readonly [string, string];
  readonly path: string;
}) {
  const { t } = useTranslation();
  const ids = works.join(',');
  const { data, error } = useApiQuery(
    ['compare-file', ids, path],
    (client, call) => client.works.compareFile({ query: { works: ids, path } }, call),
    { staleTime: 0, retry: false },
  );
  const diff = useMemo(() => (data?.diff === undefined ? undefined : parseDiff(data.diff)), [data]);
  if (error) return <ErrorNote issue={error} />;
  if (!data) return <Skeleton className="h-16" />;
  return diff ? (
    <DiffView diff={diff} label={t('compare.diffOf', { path })} />
  ) : (
    <p className="text-ink-soft">{t(`inspector.files.noDiff.${data.reason ?? 'same'}`)}</p>
  );
}

/** The rehearsal of an import: how far it is, trials as a kind of model, and what came of them. */

import '../i18n/package-texts.ts';
import type { ImportRehearsal } from '@crewagent/protocol/api/imports';
import { READER_KINDS, type ReaderKind, type ReaderTrial } from '@crewagent/protocol/reader-trials';
import { CircleCheck, ListChecks, TriangleAlert } from 'lucide-react';
import { useApiQuery } from '../api/api-context.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, Spinner } from '../ui/button.tsx';
import { ProgressBar } from '../ui/progress-bar.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';

interface ReaderButtonsProps {
  readonly isDisabled: boolean;
  readonly onTry: (as: ReaderKind) => void;
}

/** Starts a trial of the import as one of the kinds of models. */
export function ReaderButtons({ isDisabled, onTry }: ReaderButtonsProps) {
  const { t } = useTranslation();
  return (
    <section aria-labelledby="try-as">
      <h2 id="try-as" className="font-semibold">
        {t('import.tryAs')}
      </h2>
      <p className="mb-2 text-ink-soft">{t('import.tryAsText')}</p>
      <div className="flex flex-wrap gap-2">
        {READER_KINDS.map((kind) => (
          <Button key={kind} disabled={isDisabled} onClick={() => onTry(kind)}>
            {t(`import.reader.${kind}`)}
          </Button>
        ))}
      </div>
    </section>
  );
}

/** Of every branch, or of the workflows as one reader. */
export function RehearsalReport({ rehearsal }: { readonly rehearsal: ImportRehearsal }) {
  const { trials } = rehearsal;
  const isOk = trials.length > 0 ? trials.every(({ ok }) => ok) : rehearsal.ok;
  const Icon = isOk ? CircleCheck : TriangleAlert;
  return (
    <div
      className={`flex items-start gap-2.5 rounded-lg border px-3 py-2.5 ${isOk ? 'text-ok' : 'text-warn'}`}
    >
      <Icon className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 grow wrap-anywhere">
        {trials.length > 0 ? <Trials trials={trials} isOk={isOk} /> : <Branches rehearsal={rehearsal} />}
      </div>
    </div>
  );
}

function Trials({ trials, isOk }: { readonly trials: readonly ReaderTrial[]; readonly isOk: boolean }) {
  const { t } = useTranslation();
  const as = trials[0]?.as ?? 'lazy';
  return (
    <>
      <p className="font-medium">{t(`import.${isOk ? 'readerOk' : 'readerNotOk'}.${as}`)}</p>
      {as === 'lazy' && !isOk ? <p className="text-ink-soft">{t('import.addProof')}</p> : undefined}
      <ul aria-label={t('import.trials')} className="mt-2 flex flex-col gap-2 text-ink">
        {trials.map((trial) => (
          <Trial key={trial.workflow} trial={trial} />
        ))}
      </ul>
    </>
  );
}

function Branches({ rehearsal: { ok, workflows } }: { readonly rehearsal: ImportRehearsal }) {
  const { t } = useTranslation();
  const counts = (key: 'nodes' | 'edges'): string =>
    (['covered', 'total'] as const)
      .map((part) => workflows.reduce((sum, workflow) => sum + workflow[key][part], 0))
      .join('/');
  const failed = workflows.filter((workflow) => !workflow.ok).map(({ title }) => toShownLine(title));
  return (
    <>
      <p className="font-medium">{t(ok ? 'import.rehearsedOk' : 'import.rehearsedNotOk')}</p>
      <p className="text-ink-soft">
        <ListChecks className="me-1.5 inline size-3.5" />
        {t('import.covered', { nodes: counts('nodes'), edges: counts('edges') })}
      </p>
      {failed.length > 0 ? (
        <p className="text-ink-soft">{t('import.incomplete', { names: failed.join(', ') })}</p>
      ) : undefined}
    </>
  );
}

const MAX_LINES = 12;

function Trial({ trial }: { readonly trial: ReaderTrial }) {
  const { t } = useTranslation();
  const { title, nodes, stop, escapes, circles } = trial;
  const lines = [
    ...(stop?.checks ?? []).map(({ message }) => message),
    ...(stop && stop.checks.length === 0 ? [stop.message] : []),
    ...escapes.map(({ kind, nodeId, path = '' }) => `${nodeId}: ${t(`import.escape.${kind}`, { path })}`),
    ...circles.flatMap(({ nodeId, refusals }) =>
      refusals.map(({ count, message }) => `${nodeId}: ${t('import.refusedTimes', { count })} ${message}`),
    ),
  ];
  const counts = `${nodes.covered}/${nodes.total}`;
  return (
    <li>
      <p>
        <span className="font-medium">{toShownLine(title)}</span>{' '}
        <span className="text-ink-soft">
          {stop
            ? t('import.trialStopped', { step: toShownLine(stop.nodeId), nodes: counts })
            : t('import.trialCompleted', { nodes: counts })}
        </span>
      </p>
      <ul className="list-disc ps-5 text-sm text-ink-soft">
        {lines.slice(0, MAX_LINES).map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a report does not change
          <li key={index}>{toShownLine(line)}</li>
        ))}
        {lines.length > MAX_LINES ? (
          <li>{t('import.more', { count: lines.length - MAX_LINES })}</li>
        ) : undefined}
      </ul>
    </li>
  );
}

const POLL_MS = 500;

/** How far the rehearsal of an import is, asked for twice a second. */
export function RehearsalProgress({ importId }: { readonly importId: string }) {
  const { t } = useTranslation();
  const { data } = useApiQuery(
    ['rehearsal', importId],
    ({ imports }, call) => imports.progress({ importId }, call),
    // The progress of an earlier rehearsal is not shown.
    { refetchInterval: POLL_MS, gcTime: 0, retry: false },
  );
  const steps = data?.steps;
  return (
    <div className="flex flex-col gap-2 rounded-lg border px-3 py-2.5">
      <p className="flex items-center gap-2 text-ink-soft">
        <Spinner />
        {t('import.rehearsing')}
        <span className="ms-auto text-sm text-ink-faint tabular-nums">
          {steps ? t('import.stepsCovered', { ...steps }) : undefined}
        </span>
      </p>
      <ProgressBar
        label={t('import.rehearsing')}
        value={steps ? steps.covered / Math.max(1, steps.total) : 0}
      />
    </div>
  );
}

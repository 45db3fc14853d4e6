/** Result of a model test: speed, capabilities and each step; for a failure, the reason and advice. */
import { CircleCheck, CircleX } from 'lucide-react';
import type { ModelTest } from '../api/settings-queries.ts';
import { formatCompact, formatDuration } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Note } from '../ui/note.tsx';
import { toShownLine, toShownText } from '../ui/sanitize-text.ts';
import { Spinner } from '../ui/spinner.tsx';
import { ModelReady } from './model-ready.tsx';
import { adviceFor, type TrialStep } from './trial-advice.ts';
import type { ModelTester } from './use-model-test.ts';

interface TrialReportProps {
  readonly tester: ModelTester;
  /** Edits the tested model, starting at the key if the key failed. */
  readonly onEdit?: ((startsAtKey: boolean) => void) | undefined;
}

export function TrialReport({ tester, onEdit }: TrialReportProps) {
  const { t } = useTranslation();
  const { trial, stop } = tester;
  if (!trial) return undefined;
  if (trial.isBusy) {
    return (
      <div role="status" className="flex items-center gap-2.5 rounded-lg border bg-sunken px-3 py-2">
        <Spinner />
        <span className="min-w-0 grow text-ink-soft">{t('trial.busy')}</span>
        <Button size="sm" onClick={stop}>
          {t('trial.stop')}
        </Button>
      </div>
    );
  }
  if (trial.outcome) return <Outcome name={trial.name} outcome={trial.outcome} onEdit={onEdit} />;
  return <ErrorNote issue={trial.issue} />;
}

interface OutcomeProps extends Pick<TrialReportProps, 'onEdit'> {
  readonly name: string | undefined;
  readonly outcome: ModelTest;
}

function Outcome({ name, outcome: { model, report }, onEdit }: OutcomeProps) {
  const { t } = useTranslation();
  if (!report) {
    return (
      <Note level="info" title={t('trial.rehearsal')}>
        {t('trial.rehearsalText')}
      </Note>
    );
  }
  const failed = report.steps.find(({ ok }) => !ok);
  const advice = failed ? adviceFor(failed) : undefined;
  const size = model.kind === 'provider' ? model.settings.contextTokens : undefined;
  const facts = [
    [t('trial.latency'), formatDuration(report.latencyMs)],
    [t('trial.tools'), t(report.tools ? 'action.yes' : 'action.no')],
    [t('trial.streams'), t(report.streams ? 'action.yes' : 'action.no')],
    [t('trial.context'), size === undefined ? t('trial.contextUsual') : formatCompact(size)],
  ] as const;
  return (
    <div role="status" className="flex flex-col gap-3 rounded-lg border bg-surface p-3">
      {failed && advice ? (
        <Note
          level="error"
          title={t('trial.failed')}
          advice={t(`trial.advice.${advice}`)}
          actions={
            onEdit ? (
              <Button size="sm" onClick={() => onEdit(advice === 'key' || advice === 'noKey')}>
                {t('models.edit')}
              </Button>
            ) : undefined
          }
        >
          {toShownText(failed.detail)}
        </Note>
      ) : (
        <p className="flex items-center gap-2 font-medium text-ok">
          <CircleCheck aria-hidden="true" className="size-4" />
          {t('trial.works', { model: toShownLine(report.model) })}
        </p>
      )}
      {report.ok && name !== undefined ? <ModelReady name={name} /> : undefined}
      {report.ok ? (
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
          {facts.map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-ink-faint">{name}</dt>
              <dd className="tabular-nums">{value}</dd>
            </div>
          ))}
        </dl>
      ) : undefined}
      <ol aria-label={t('trial.steps')} className="flex flex-col gap-1 border-t pt-2.5 text-sm">
        {report.steps.map((step) => (
          <StepLine key={step.name} step={step} />
        ))}
      </ol>
    </div>
  );
}

function StepLine({ step: { name, ok, ms } }: { readonly step: TrialStep }) {
  const { t } = useTranslation();
  const Icon = ok ? CircleCheck : CircleX;
  return (
    <li className="flex items-center gap-2">
      <Icon
        aria-label={t(ok ? 'trial.stepOk' : 'trial.stepFailed')}
        className={`size-4 shrink-0 ${ok ? 'text-ok' : 'text-bad'}`}
      />
      <span className="min-w-0 grow">
        {t(`trial.stepNames.${name as 'reached'}`, { defaultValue: name })}
      </span>
      <span className="text-ink-faint tabular-nums">{formatDuration(ms)}</span>
    </li>
  );
}

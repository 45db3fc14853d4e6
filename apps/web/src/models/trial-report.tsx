/** Result of a model test: speed, capabilities and each step; for a failure, the reason and advice. */
import '../i18n/settings-texts.ts';
import { Circle, CircleCheck, CircleX } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useApi } from '../api/api-context.tsx';
import { useProjects } from '../api/queries.ts';
import type { ModelTest } from '../api/settings-queries.ts';
import { formatCompact, formatDuration } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { useLastRoute } from '../navigation/last-route.ts';
import { openInFront } from '../navigation/open-in-front.ts';
import { navigate } from '../navigation/router.ts';
import { useWantedFolder } from '../state/wanted-folder.ts';
import { Button, Spinner } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Facts } from '../ui/facts.tsx';
import { Note } from '../ui/note.tsx';
import { toShownLine, toShownText } from '../ui/sanitize-text.ts';
import { hasLostFocus, useAction } from '../ui/use-action.ts';
import { type ModelTester, useMakeDefault } from './use-save-model.ts';

interface TrialReportProps {
  readonly tester: ModelTester;
  /** A model that works has a button to use it. */
  readonly leadsOn?: boolean;
  /** Saves a model that failed. */
  readonly saveAnyway?: { readonly isBusy: boolean; run(): void };
  /** Edits the tested model, starting at the key if the key failed. */
  readonly onEdit?: ((startsAtKey: boolean) => void) | undefined;
}

export function TrialReport({ tester, ...props }: TrialReportProps) {
  const { t } = useTranslation();
  const { trial, stop } = tester;
  if (!trial) return undefined;
  if (trial.isBusy) {
    return (
      <div role="status" className="flex flex-col gap-2.5 rounded-lg border bg-surface p-3">
        <p className="flex items-center gap-2.5">
          <Spinner />
          <span className="min-w-0 grow text-ink-soft">{t('trial.busy')}</span>
          <Button size="sm" onClick={stop}>
            {t('action.stop')}
          </Button>
        </p>
        <ol className="flex flex-col gap-1 border-t pt-2.5 text-sm text-ink-faint">
          {STEPS.map((step) => (
            <li key={step} className="flex items-center gap-2">
              <Circle className="size-4 shrink-0" />
              {t(`trial.stepNames.${step}`)}
            </li>
          ))}
        </ol>
      </div>
    );
  }
  if (trial.outcome) return <Outcome name={trial.name} outcome={trial.outcome} {...props} />;
  return <ErrorNote issue={trial.issue} />;
}

/** Of a test, in order. */
const STEPS = ['reached', 'reply', 'tool call', 'second turn'] as const;

interface OutcomeProps extends Omit<TrialReportProps, 'tester'> {
  readonly name: string | undefined;
  readonly outcome: ModelTest;
}

function Outcome({ name, outcome: { report }, leadsOn = false, saveAnyway, onEdit }: OutcomeProps) {
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
  const { abilities, context } = report;
  const said = (is: boolean): string => t(is ? 'action.yes' : 'action.no');
  return (
    <div role="status" className="flex flex-col gap-3 rounded-lg border bg-surface p-3">
      {failed && advice ? (
        <Note
          level="error"
          title={t(isOfServer(advice) ? 'trial.unanswered' : 'trial.failed')}
          advice={t(`trial.advice.${advice}`)}
          actions={
            onEdit ? (
              <Button size="sm" onClick={() => onEdit(advice === 'key' || advice === 'noKey')}>
                {t('action.edit')}
              </Button>
            ) : saveAnyway ? (
              <Button size="sm" isBusy={saveAnyway.isBusy} onClick={() => saveAnyway.run()}>
                {t('models.saveAnyway')}
              </Button>
            ) : undefined
          }
        >
          {toShownText(failed.detail)}
        </Note>
      ) : (
        <p className="flex items-center gap-2 font-medium text-ok">
          <CircleCheck className="size-4" />
          {t('trial.works', { model: toShownLine(report.model) })}
        </p>
      )}
      {report.ok && leadsOn && name !== undefined ? <ModelReady name={name} /> : undefined}
      {report.ok ? (
        <Facts
          className="grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm"
          facts={[
            [t('trial.latency'), formatDuration(report.latencyMs)],
            [t('trial.tools'), said(report.tools)],
            [t('trial.streams'), said(report.streams)],
            abilities !== undefined && [t('trial.parallelCalls'), said(abilities.parallelCalls)],
            abilities !== undefined && [t('trial.jsonArguments'), said(abilities.jsonArguments)],
            [t('trial.context'), t('usage.tokens', { tokens: formatCompact(context.tokens) })],
          ]}
        />
      ) : undefined}
      {report.ok ? <Missing report={report} /> : undefined}
      <ol aria-label={t('trial.steps')} className="flex flex-col gap-1 border-t pt-2.5 text-sm">
        {report.steps.map(({ name: step, ok, ms }, index) => {
          const Icon = ok ? CircleCheck : CircleX;
          return (
            <li key={step} className="flex items-center gap-2">
              <Icon
                aria-label={t(ok ? 'trial.stepOk' : 'trial.stepFailed')}
                className={`size-4 shrink-0 ${ok ? 'text-ok' : 'text-bad'}`}
              />
              <span className="min-w-0 grow">
                {t(`trial.stepNames.${step as 'reached'}`, { defaultValue: step })}
              </span>
              {/* Steps of one request have one time. */}
              {ms === report.steps[index + 1]?.ms ? undefined : (
                <span className="text-ink-faint tabular-nums">{formatDuration(ms)}</span>
              )}
            </li>
          );
        })}
      </ol>
    </div>
  );
}

/** What the model lacks, and what that means for a run. */
function Missing({ report: { streams, abilities, context } }: { readonly report: Report }) {
  const { t } = useTranslation();
  const sizes = { tokens: formatCompact(context.tokens), needed: formatCompact(context.neededTokens) };
  const missing = [
    !context.fits && t('trial.missing.context', sizes),
    abilities?.jsonArguments === false && t('trial.missing.jsonArguments'),
    abilities?.parallelCalls === false && t('trial.missing.parallelCalls'),
    !streams && t('trial.missing.streams'),
  ].filter((sentence) => sentence !== false);
  if (missing.length === 0) return undefined;
  return (
    <Note level="warning" title={t('trial.missing.title')}>
      <ul className="list-disc ps-4">
        {missing.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </Note>
  );
}

type Report = NonNullable<ModelTest['report']>;

export type TrialStep = NonNullable<ModelTest['report']>['steps'][number];

export type Advice = 'reach' | 'noKey' | 'key' | 'model' | 'address' | 'later' | 'reply' | 'tools';

/** Advice for a failed step of a model test. Pure. */
export function adviceFor({ name, detail }: Pick<TrialStep, 'name' | 'detail'>): Advice {
  // Reported before a request was sent, so it shows up as "not reached".
  if (/\bwants an API key\b/i.test(detail)) return 'noKey';
  if (/\bkeys?\b|\b40[13]\b|unauthori[sz]ed/i.test(detail)) return 'key';
  if (name === 'reached') return 'reach';
  if (/\bhas no model\b/.test(detail)) return 'model';
  if (/\bhas nothing at this address\b/.test(detail)) return 'address';
  if (/\bfailed to answer\b|\btoo many requests\b/.test(detail)) return 'later';
  return name === 'reply' ? 'reply' : 'tools';
}

/** The settings may be right. */
export function isOfServer(advice: Advice): boolean {
  return advice === 'reach' || advice === 'later';
}

/**
 * After a model passed its test, one button leads on, and its label says where: back to the conversation one came from, which uses
 * the model from then on; else to where something is started, after choosing a folder where there is none yet.
 */
function ModelReady({ name }: { readonly name: string }) {
  const { t } = useTranslation();
  const { works } = useApi();
  const { data: projects } = useProjects();
  const makeDefault = useMakeDefault();
  const last = useLastRoute();
  const projectId = last?.projectId ?? projects?.find(({ exists }) => exists)?.projectId;
  const lead = useAction(async () => {
    await makeDefault(name);
    if (last?.name === 'work') {
      await works.setModel({ workId: last.workId, body: { model: name } });
      openInFront(last);
    } else if (projectId !== undefined) openInFront({ name: 'project', projectId });
    else {
      useWantedFolder.setState({ isWanted: true });
      navigate({ name: 'start' });
    }
  });
  const button = useRef<HTMLButtonElement>(null);
  // From the button that tested the model, whose work ends now.
  useEffect(() => {
    if (hasLostFocus()) button.current?.focus();
  }, []);
  const label =
    last?.name === 'work' ? 'models.useHere' : projectId === undefined ? 'models.chooseFolder' : 'new.title';
  return (
    <div className="flex flex-col gap-2">
      <ErrorNote issue={lead.issue} />
      <Button
        ref={button}
        kind="primary"
        isBusy={lead.isBusy}
        onClick={() => lead.run()}
        className="self-start"
      >
        {t(label)}
      </Button>
    </div>
  );
}

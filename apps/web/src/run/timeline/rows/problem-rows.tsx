/** Problems: why a run is idle, if that is not obvious, with the buttons that fix it; notices; requests that are retried. */
import type { ErrorCode } from '@crewagent/protocol/errors';
import type { WaiveRequest } from '@crewagent/protocol/proof';
import { toStatus } from '@crewagent/protocol/status';
import type { ItemOf } from '@crewagent/protocol/story/items';
import { isUnasked } from '@crewagent/protocol/story/rows';
import { CircleCheck, CirclePause, Play, RotateCw } from 'lucide-react';
import { lazy, type ReactNode, Suspense } from 'react';
import { formatDuration, formatTime } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { useRoute } from '../../../navigation/router.ts';
import { useAskForModel } from '../../../state/asked-model.ts';
import { type ModelFix, useModelFix } from '../../../state/model-fix.ts';
import { shownPhase } from '../../../state/work-list.ts';
import { Button } from '../../../ui/button.tsx';
import { toProblemLine, useProblemTexts } from '../../../ui/errors/error-texts.ts';
import { Note, type NoteLevel } from '../../../ui/note.tsx';
import type { ShownPhase } from '../../../ui/phase-pill.tsx';
import { useNow } from '../../../ui/use-now.ts';
import { CallTrail, type TrailStep } from '../../call-trail.tsx';
import { QuietRow } from './event-row.tsx';
import { MissingChecks, missingIn } from './missing-checks.tsx';

interface PhaseRowProps {
  readonly item: ItemOf<'phase'>;
  /** Only if the run is idle at this row now. */
  readonly onResume?: (() => void) | undefined;
  readonly onSkip?: (() => void) | undefined;
  readonly onWaive?: ((waiver: WaiveRequest) => void) | undefined;
  /** The run that goes on; undefined for a thread. */
  readonly runId?: string | undefined;
}

export function PhaseRow({ item, onResume, onSkip, onWaive, runId }: PhaseRowProps) {
  const { t } = useTranslation();
  const { resumedAt } = item;
  const code = item.reason?.code ?? '';
  const { title, why, whyLanguage, advice } = useProblemTexts({ ...item.reason, code });
  const { kind } = toStatus(item);
  const steps = trailOf(item);
  const missing = missingIn(item.reason?.details);
  if (kind === 'completed') {
    return (
      <p className="mt-4 mb-2 flex items-center gap-2 border-t pt-3 font-medium text-ok">
        <CircleCheck aria-hidden="true" className="size-4" />
        {t('event.completed')}
      </p>
    );
  }
  if (resumedAt !== undefined) {
    if (isUnasked(item)) return undefined;
    const what =
      kind === 'stopped' || kind === 'interrupted' ? t(`phase.${shownPhase(item)}`) : withoutFullStop(title);
    return (
      <QuietRow icon={<Play aria-hidden="true" />}>
        {what} · {t('recovery.resumedAt', { time: formatTime(resumedAt) })}
      </QuietRow>
    );
  }
  if (isUnasked(item) || kind === 'stopped')
    return (
      <>
        <div className="flex flex-wrap items-center gap-x-3">
          <QuietRow icon={<CirclePause aria-hidden="true" />}>
            {isUnasked(item) ? t('event.unasked') : title}
          </QuietRow>
          {onResume ? (
            <Button size="sm" onClick={onResume}>
              {t('action.resume')}
            </Button>
          ) : undefined}
        </div>
        <WhatHappensNext item={item} runId={runId} />
      </>
    );
  return (
    <div className="my-2">
      <Note
        level={LEVELS[shownPhase(item)] ?? 'warning'}
        isAlert={onResume !== undefined}
        title={title}
        advice={advice}
        actions={
          onResume ? (
            <>
              <Fixes item={item} onResume={onResume} />
              {onSkip && steps.length > 0 ? (
                <Button size="sm" kind="quiet" onClick={onSkip}>
                  {t('call.skip')}
                </Button>
              ) : undefined}
            </>
          ) : undefined
        }
        details={{ label: t('text.code'), text: code }}
      >
        <CallTrail steps={steps} />
        {/* The list of checks says the same by file; about a needed file, the reason has the author's question. */}
        {why === undefined || missing.some(({ kinds }) => !kinds.includes('consumed')) ? undefined : (
          <span lang={whyLanguage}>{why}</span>
        )}
        {missing.length > 0 ? (
          <MissingChecks missing={missing} onWaive={onResume ? onWaive : undefined} />
        ) : undefined}
      </Note>
      <WhatHappensNext item={item} runId={runId} />
    </div>
  );
}

const ResumePreview = lazy(() => import('../../file-use/resume-preview.tsx'));

function WhatHappensNext({ item, runId }: Pick<PhaseRowProps, 'item' | 'runId'>) {
  if (runId === undefined) return undefined;
  return (
    <Suspense fallback={undefined}>
      <ResumePreview workId={runId} mark={String(item.seq)} />
    </Suspense>
  );
}

/** The nodes whose calls lead to the node where it stopped. */
function trailOf({ reason }: ItemOf<'phase'>): TrailStep[] {
  const path = reason?.details?.path;
  return Array.isArray(path)
    ? path.map((step: { nodeId?: unknown; title?: unknown }, at) => ({
        id: `${at} ${String(step.nodeId)}`,
        title: String(step.title ?? step.nodeId),
      }))
    : [];
}

const LEVELS: Readonly<Partial<Record<ShownPhase, NoteLevel>>> = {
  Problem: 'error',
  Failed: 'error',
  Limit: 'limit',
  CutOff: 'interrupted',
};

interface FixesProps {
  readonly item: ItemOf<'phase'>;
  readonly onResume: () => void;
}

/** The most likely fix first. */
function Fixes({ item, onResume }: FixesProps): ReactNode {
  const { t } = useTranslation();
  const { code = '' } = item.reason ?? {};
  const isOfModel = code.startsWith('LLM_') || code === 'CONTEXT_STILL_TOO_LARGE';
  const fixes = useModelFix();
  const first = firstFix(item, fixes);
  return (
    <>
      {first ? (
        <Button size="sm" kind="primary" onClick={first.run}>
          {t(first.label)}
        </Button>
      ) : undefined}
      <Button size="sm" onClick={onResume}>
        {t('action.resume')}
      </Button>
      {isOfModel ? <OtherModel /> : undefined}
      {FIXES.get(code) === 'limits' ? (
        <Button size="sm" kind="quiet" onClick={fixes.openLimits}>
          {t('recovery.limits')}
        </Button>
      ) : undefined}
    </>
  );
}

function firstFix(
  { reason }: ItemOf<'phase'>,
  { changeKey, restartStep, openModelSettings, locateFolder }: ModelFix,
) {
  const { code = '', details } = reason ?? {};
  const fix = FIXES.get(code);
  if (fix === 'step' && restartStep) return { label: 'recovery.restartStep', run: restartStep } as const;
  if (fix === 'key' && changeKey) return { label: 'recovery.changeKey', run: changeKey } as const;
  const isOfSettings = code.startsWith('LLM_') && NEEDS_SETTINGS.has(Number(details?.status));
  if (fix === 'key' || isOfSettings)
    return { label: 'recovery.modelSettings', run: openModelSettings } as const;
  // The data of the run itself is not in the project: it cannot be located.
  const isOfProject = fix === 'folder' && details?.mount !== '@state';
  return isOfProject && locateFolder ? ({ label: 'projects.relink', run: locateFolder } as const) : undefined;
}

/** Fixes that a reason needs besides a retry. */
type Fix = 'limits' | 'key' | 'step' | 'folder';
const FIXES: ReadonlyMap<string, Fix> = new Map<ErrorCode, Fix>([
  ['ENGINE_MAX_TURNS_EXCEEDED', 'limits'],
  ['ENGINE_BUDGET_EXCEEDED', 'limits'],
  ['LLM_AUTH_FAILED', 'key'],
  ['LLM_OUT_OF_CREDIT', 'key'],
  ['LLM_MESSAGES_REFUSED', 'step'],
  ['FOLDER_NOT_FOUND', 'folder'],
]);

/** The model or its URL is wrong in the settings. */
const NEEDS_SETTINGS: ReadonlySet<number> = new Set([400, 404, 405, 422]);

/** Opens the composer's model picker. A run without a conversation keeps its model until it is resumed with another. */
function OtherModel() {
  const { t } = useTranslation();
  const askForModel = useAskForModel();
  const route = useRoute();
  if (askForModel)
    return (
      <Button size="sm" kind="quiet" onClick={askForModel}>
        {t('timeline.otherModel')}
      </Button>
    );
  if (route.name !== 'work') return undefined;
  return (
    <p className="w-full text-ink-soft">
      {t('timeline.otherModelHow')}{' '}
      <code className="font-mono text-sm">{`crewagent resume ${route.workId} --model NAME`}</code>
    </p>
  );
}

/** A warning or an error; other notices are a quiet line. */
export function NoticeRow({ item }: { readonly item: ItemOf<'notice'> }) {
  const { t } = useTranslation();
  const texts = useProblemTexts(item);
  const title = texts.isKnown || item.level !== 'error' ? texts.title : t('timeline.notDone');
  if (item.level === 'info') return <QuietRow>{[title, texts.why].filter(Boolean).join(' · ')}</QuietRow>;
  return (
    <div className="my-2">
      <Note
        level={item.level}
        title={title}
        advice={texts.advice}
        details={{ label: t('text.code'), text: item.code }}
      >
        {texts.why === undefined ? undefined : <span lang={texts.whyLanguage}>{texts.why}</span>}
      </Note>
    </div>
  );
}

interface RetryRowProps {
  readonly item: ItemOf<'notice'>;
  /** Number of consecutive attempts. */
  readonly tries: number;
  /** Sends the request now; undefined once it was sent. */
  readonly onRetryNow: (() => void) | undefined;
}

export function RetryRow({ item, tries, onRetryNow }: RetryRowProps) {
  const { t } = useTranslation();
  const texts = useProblemTexts(item);
  const { retryDelayMs = 0 } = item;
  const nowMs = useNow(onRetryNow !== undefined);
  const leftMs = Math.min(retryDelayMs, Date.parse(item.ts) + retryDelayMs - nowMs);
  const counted = tries > 1 ? `${t('timeline.tries', { count: tries })} · ` : '';
  if (!onRetryNow)
    return (
      <QuietRow icon={<RotateCw aria-hidden="true" />}>
        {tries > 1 ? `${counted}${texts.title}` : toProblemLine(texts)}
      </QuietRow>
    );
  const seconds = Math.ceil(leftMs / 1_000);
  return (
    <div className="flex flex-wrap items-center gap-x-3">
      <QuietRow icon={<RotateCw aria-hidden="true" />}>
        {counted}
        {texts.title} {/* The countdown is hidden from screen readers, which announce the title once. */}
        <span aria-hidden="true" className="tabular-nums">
          {seconds > 0
            ? t('recovery.retryIn', { time: formatDuration(seconds * 1_000) })
            : t('recovery.retryingNow')}
        </span>
      </QuietRow>
      {seconds > 1 ? (
        <Button size="sm" onClick={onRetryNow}>
          {t('recovery.tryNow')}
        </Button>
      ) : undefined}
    </div>
  );
}

/** Of a sentence that something follows on its line. */
function withoutFullStop(sentence: string): string {
  return sentence.replace(/[.。]$/, '');
}

/** Why a run is idle, if that is not obvious, and the buttons that fix it. */
import type { ErrorCode } from '@crewagent/protocol/errors';
import type { WaiveRequest } from '@crewagent/protocol/proof';
import { toStatus } from '@crewagent/protocol/status';
import type { ItemOf } from '@crewagent/protocol/story/items';
import { isUnasked } from '@crewagent/protocol/story/rows';
import { CircleCheck, CirclePause, Play } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatTime } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { useRoute } from '../../../navigation/router.ts';
import { useAskForModel } from '../../../state/asked-model.ts';
import { useModelFix } from '../../../state/model-fix.ts';
import { shownPhase } from '../../../state/work-list.ts';
import { Button } from '../../../ui/button.tsx';
import { useProblemTexts } from '../../../ui/errors/error-texts.ts';
import { Note, type NoteLevel } from '../../../ui/note.tsx';
import type { ShownPhase } from '../../../ui/phase-pill.tsx';
import { CallTrail, type TrailStep } from '../../call-trail.tsx';
import { MissingChecks, missingIn } from './missing-checks.tsx';
import { QuietRow } from './quiet-row.tsx';

interface PhaseRowProps {
  readonly item: ItemOf<'phase'>;
  /** Only if the run is idle at this row now. */
  readonly onResume?: (() => void) | undefined;
  readonly onSkip?: (() => void) | undefined;
  readonly onWaive?: ((waiver: WaiveRequest) => void) | undefined;
}

export function PhaseRow({ item, onResume, onSkip, onWaive }: PhaseRowProps) {
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
  if (isUnasked(item)) {
    if (resumedAt !== undefined) return undefined;
    return (
      <div className="flex flex-wrap items-center gap-x-3">
        <QuietRow icon={<CirclePause aria-hidden="true" />}>{t('event.unasked')}</QuietRow>
        {onResume ? <ResumeButton onResume={onResume} label={t('action.resume')} /> : undefined}
      </div>
    );
  }
  if (resumedAt !== undefined) {
    const what = kind === 'stopped' || kind === 'interrupted' ? t(`phase.${shownPhase(item)}`) : title;
    return (
      <QuietRow icon={<Play aria-hidden="true" />}>
        {what} · {t('recovery.resumedAt', { time: formatTime(resumedAt) })}
      </QuietRow>
    );
  }
  if (kind === 'stopped')
    return (
      <div className="flex flex-wrap items-center gap-x-3">
        <QuietRow icon={<CirclePause aria-hidden="true" />}>{title}</QuietRow>
        {onResume ? <ResumeButton onResume={onResume} label={t('action.resume')} /> : undefined}
      </div>
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
    </div>
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

function ResumeButton({ onResume, label }: { readonly onResume: () => void; readonly label: string }) {
  return (
    <Button size="sm" onClick={onResume}>
      {label}
    </Button>
  );
}

interface FixesProps {
  readonly item: ItemOf<'phase'>;
  readonly onResume: () => void;
}

/** The most likely fix first. */
function Fixes({ item, onResume }: FixesProps): ReactNode {
  const { t } = useTranslation();
  const { changeKey, restartStep, openModelSettings, openLimits, locateFolder } = useModelFix();
  const { code = '', details } = item.reason ?? {};
  const fix = FIXES.get(code);
  if (!code.startsWith('LLM_'))
    return (
      <>
        {/* The data of the run itself is not in the project: it cannot be located. */}
        {fix === 'folder' && details?.mount !== '@state' && locateFolder ? (
          <Button size="sm" kind="primary" onClick={locateFolder}>
            {t('projects.relink')}
          </Button>
        ) : undefined}
        <ResumeButton onResume={onResume} label={t('action.resume')} />
        {fix === 'limits' ? (
          <Button size="sm" kind="quiet" onClick={openLimits}>
            {t('recovery.limits')}
          </Button>
        ) : undefined}
      </>
    );
  return (
    <>
      {fix === 'step' && restartStep ? (
        <Button size="sm" kind="primary" onClick={restartStep}>
          {t('recovery.restartStep')}
        </Button>
      ) : fix === 'key' && changeKey ? (
        <Button size="sm" kind="primary" onClick={changeKey}>
          {t('recovery.changeKey')}
        </Button>
      ) : fix === 'key' || NEEDS_SETTINGS.has(Number(details?.status)) ? (
        <Button size="sm" kind="primary" onClick={openModelSettings}>
          {t('recovery.modelSettings')}
        </Button>
      ) : undefined}
      <ResumeButton onResume={onResume} label={t('action.retry')} />
      <OtherModel />
    </>
  );
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

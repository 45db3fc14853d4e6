/** The bar of a replay, above the tabs of the run: a slider over the events, playing, the next decision, a link to the moment. */
import '../../i18n/replay-texts.ts';
import { Link2, Pause, Play, SkipBack, SkipForward, X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { formatClock, formatDateTime, formatNumber } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { FROM_START, readMoment, setMoment } from '../../navigation/moment.ts';
import { IconButton, Spinner } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { Select } from '../../ui/forms/input.tsx';
import { useToasts } from '../../ui/overlays/toast-store.ts';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { useAction } from '../../ui/use-action.ts';
import { ForkButton } from '../fork/fork-button.tsx';
import { nodeTitle } from '../shown-names.ts';
import { type Replay, type ReplayState, SPEEDS } from './create-replay.ts';
import type { OpenReplay } from './use-replay.ts';

export default function ReplayBar({ replay, issue }: Pick<OpenReplay, 'replay' | 'issue'>) {
  const { t } = useTranslation();
  const state = useSyncExternalStore<ReplayState | undefined>(
    replay?.subscribe ?? neverChanges,
    replay?.read ?? nothing,
  );
  useLeaveWithEscape();
  return (
    <section
      aria-label={t('replay.label')}
      className="flex min-h-14 shrink-0 flex-col justify-center border-b bg-canvas px-3 py-1.5"
    >
      {issue ? (
        <div className="flex items-start gap-2">
          <div className="min-w-0 grow">
            <ErrorNote issue={issue} title={t('replay.notLoaded')} />
          </div>
          <LeaveButton />
        </div>
      ) : replay && state?.picture ? (
        <ReadyBar replay={replay} state={state} />
      ) : (
        <div className="flex items-center gap-2 text-sm text-ink-soft">
          <Spinner />
          <p role="status" className="grow tabular-nums">
            {t('replay.loading', { count: state?.total ?? 0 })}
          </p>
          <LeaveButton />
        </div>
      )}
    </section>
  );
}

const neverChanges = () => (): void => undefined;
const nothing = (): undefined => undefined;

interface ReadyBarProps {
  readonly replay: Replay;
  readonly state: ReplayState;
}

function ReadyBar({ replay, state }: ReadyBarProps) {
  const { t } = useTranslation();
  const { index, total, event, isPlaying, speed } = state;
  const slider = useRef<HTMLInputElement>(null);
  const toggle = isPlaying ? replay.pause : replay.play;
  const next = replay.decisionFrom(1);
  const before = replay.decisionFrom(-1);
  useEffect(() => slider.current?.focus(), []);
  usePlayFromStart(replay);
  useMomentInAddress(replay, state);
  const copy = useCopyLink();
  const step = stepOf(state);
  const time = event ? formatClock(event.ts) : '';
  const position = t('replay.position', { number: formatNumber(index + 1), total: formatNumber(total) });
  const onKeyDown = (pressed: KeyboardEvent): void => {
    const decision = pressed.shiftKey ? { ArrowRight: next, ArrowLeft: before }[pressed.key] : undefined;
    if (pressed.key === ' ') toggle();
    else if (decision !== undefined) replay.seek(decision);
    else return;
    pressed.preventDefault();
  };
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-1 gap-y-0.5 sm:flex-nowrap">
        <IconButton label={t(isPlaying ? 'replay.pause' : 'replay.play')} shortcut="Space" onClick={toggle}>
          {isPlaying ? <Pause /> : <Play />}
        </IconButton>
        <IconButton
          label={t('replay.previousDecision')}
          shortcut="Shift+ArrowLeft"
          disabled={before === undefined}
          onClick={() => replay.seek(before ?? 0)}
        >
          <SkipBack />
        </IconButton>
        <IconButton
          label={t('replay.nextDecision')}
          shortcut="Shift+ArrowRight"
          disabled={next === undefined}
          onClick={() => replay.seek(next ?? total - 1)}
        >
          <SkipForward />
        </IconButton>
        {/* On narrow screens the slider has a row of its own. */}
        <div className="relative min-w-40 grow px-2 max-sm:order-last max-sm:basis-full">
          <input
            ref={slider}
            type="range"
            min={0}
            max={total - 1}
            value={index}
            aria-label={t('replay.moment')}
            aria-valuetext={[position, step, time].filter(Boolean).join(', ')}
            onChange={({ target }) => replay.seek(Number(target.value))}
            onKeyDown={onKeyDown}
            className="block h-6 w-full cursor-pointer rounded-sm accent-accent pointer-coarse:h-10"
          />
          <StepMarks replay={replay} total={total} />
        </div>
        <span className="grow sm:hidden" />
        <div className="w-18 shrink-0">
          <Select
            aria-label={t('replay.speed')}
            value={String(speed)}
            onChoose={(value) => replay.setSpeed(SPEEDS.find((known) => String(known) === value) ?? 1)}
            options={SPEEDS.map((value) => ({ value: String(value), label: `${value}×` }))}
          />
        </div>
        <IconButton label={t('replay.copyLink')} onClick={() => copy.run()}>
          <Link2 />
        </IconButton>
        <ForkButton workId={event?.runId} seq={event?.seq} />
        <LeaveButton />
      </div>
      <p className="mt-1 flex min-w-0 gap-2 px-1 text-xs text-ink-faint tabular-nums">
        {step ? <span className="min-w-0 truncate font-medium text-ink-soft">{step}</span> : undefined}
        <time dateTime={event?.ts} title={event && formatDateTime(event.ts)} className="shrink-0">
          {time}
        </time>
        <span className="shrink-0">{position}</span>
      </p>
      <ErrorNote issue={copy.issue} />
    </>
  );
}

/** The step that the run was at. */
function stepOf({ picture }: ReplayState): string {
  const { called } = picture ?? {};
  const nodeId = called?.state.currentNodeId ?? '';
  return called && nodeId !== '' ? toShownLine(nodeTitle(called, nodeId)) : '';
}

const MOST_MARKS = 100;

/** Where each step begins; a screen reader has the text of the slider. */
function StepMarks({ replay, total }: { readonly replay: Replay; readonly total: number }) {
  const marks = useMemo(() => replay.stepStarts(), [replay]);
  if (marks.length > MOST_MARKS || total < 2) return undefined;
  return (
    // As wide as the way of the thumb's centre.
    <div aria-hidden="true" className="pointer-events-none absolute inset-x-4 bottom-0 h-1">
      {marks.map((at) => (
        <span
          key={at}
          className="absolute h-full w-px bg-line-strong"
          style={{ left: `${(at / (total - 1)) * 100}%` }}
        />
      ))}
    </div>
  );
}

function LeaveButton() {
  const { t } = useTranslation();
  return (
    <IconButton label={t('replay.leave')} shortcut="Escape" hasTooltip={false} onClick={leave}>
      <X />
    </IconButton>
  );
}

function leave(): void {
  setMoment(undefined);
  // The bar that had the focus is gone.
  document.querySelector<HTMLElement>('main [role="tab"][data-state="active"]')?.focus();
}

/** An open menu or dialog handles Escape itself. */
function useLeaveWithEscape(): void {
  useEffect(() => {
    const onKeyDown = (pressed: globalThis.KeyboardEvent): void => {
      const isOpen = document.querySelector('[role="dialog"], [role="menu"]') !== null;
      if (pressed.key === 'Escape' && !pressed.defaultPrevented && !isOpen) leave();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}

/** A person who asked for less motion presses Play. */
function usePlayFromStart(replay: Replay): void {
  useEffect(() => {
    if (readMoment() === FROM_START && !matchMedia('(prefers-reduced-motion: reduce)').matches) replay.play();
  }, [replay]);
}

/** Browsers reject more than a few addresses per second. */
const ADDRESS_MS = 300;

function useMomentInAddress(replay: Replay, { event, isPlaying }: ReplayState): void {
  useEffect(() => {
    if (!event || isPlaying) return undefined;
    const timer = setTimeout(() => setMoment(replay.momentOf(event)), ADDRESS_MS);
    return () => clearTimeout(timer);
  }, [replay, event, isPlaying]);
}

function useCopyLink() {
  const { t } = useTranslation();
  const show = useToasts((toasts) => toasts.show);
  return useAction(async () => {
    await navigator.clipboard.writeText(location.href);
    show(t('replay.linkCopied'));
  });
}

/**
 * Terminal output with a status line below the text that shows the current activity. The status line is cleared before
 * anything else is written.
 */
import type { EventOf, RunEvent } from '@crewagent/protocol/events';
import { SLOW_START_SECONDS } from '@crewagent/protocol/model';
import { hostProcess, type OutputStream } from '../host-process.ts';
import { sanitize, style } from '../terminal.ts';
import { describeDuration } from './describe-work.ts';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
/** Longer lines are hard to read. */
const WIDEST = 110;
const CLEAR_LINE = '\r\u001b[2K';

export function createScreen(stream: OutputStream = hostProcess().stdout) {
  const isTerminal = stream.isTTY === true && hostProcess().env.TERM !== 'dumb';
  let activity: string | undefined;
  let since = 0;
  let frame = 0;
  let isShown = false;
  let isMidLine = false;
  let timer: NodeJS.Timeout | undefined;

  const hide = (): void => {
    if (isShown) stream.write(CLEAR_LINE);
    isShown = false;
  };
  const draw = (): void => {
    if (activity === undefined || isMidLine) return;
    frame = (frame + 1) % FRAMES.length;
    const waited = Date.now() - since;
    const time = waited < 2_000 ? '' : ` ${describeDuration(waited)}`;
    const text = `${FRAMES[frame]} ${sanitize(activity, 60)}${time}`;
    stream.write(`${CLEAR_LINE}${style('dim', text.slice(0, (stream.columns || 80) - 1))}`);
    isShown = true;
  };
  const stopDrawing = (): void => {
    clearInterval(timer);
    timer = undefined;
    hide();
  };

  return {
    style,
    /** Undefined if lines may have any length. */
    width: isTerminal ? Math.min(stream.columns || 80, WIDEST) : undefined,
    write(text: string): void {
      if (text === '') return;
      hide();
      stream.write(text);
      isMidLine = !text.endsWith('\n');
    },
    /** The activity to show in the status line; undefined for none. */
    setActivity(next: string | undefined): void {
      if (!isTerminal) return;
      if (next === undefined) {
        activity = undefined;
        stopDrawing();
        return;
      }
      // Progress of a call does not start its time anew.
      if (next.split(SEPARATOR)[0] !== activity?.split(SEPARATOR)[0]) since = Date.now();
      activity = next;
      // An activity shorter than one frame is never drawn.
      timer ??= setInterval(draw, FRAME_MS).unref();
    },
    close(): void {
      activity = undefined;
      stopDrawing();
    },
  };
}

const SEPARATOR = ' · ';

function describeProgress({ name, progress, total, message }: EventOf<'tool.progress'>): string {
  const done = total !== undefined && total > 0 ? `${Math.round((100 * progress) / total)} %` : `${progress}`;
  return [name, done, ...(message === undefined ? [] : [message])].join(SEPARATOR);
}

/** The activity after an event; `unchanged` if the event does not affect it. */
export function toActivity(event: RunEvent): string | undefined | 'unchanged' {
  switch (event.type) {
    case 'turn.started':
      return (event.firstByteSeconds ?? 0) >= SLOW_START_SECONDS
        ? 'the model evaluates the prompt'
        : 'waiting for the model';
    case 'reasoning.delta':
      return 'the model is thinking';
    case 'tool.started':
      return event.name;
    case 'tool.progress':
      return describeProgress(event);
    case 'llm.retry':
      return 'waiting to retry';
    case 'message.delta':
    case 'message.completed':
    case 'phase.changed':
    case 'question.asked':
    case 'approval.requested':
      return undefined;
    default:
      return 'unchanged';
  }
}

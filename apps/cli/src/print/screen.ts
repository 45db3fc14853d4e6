/**
 * Terminal output with a status line below the text: the current activity, and what is known of the Work. The status line is cleared
 * before anything else is written.
 */
import { hostProcess, type OutputStream } from '../host-process.ts';
import { type Style, sanitize, style } from '../terminal.ts';
import { SEPARATOR } from './activity.ts';
import { describeDuration } from './describe-work.ts';
import { cellsOf, fit } from './text/cells.ts';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
/** Longer lines are hard to read. */
const WIDEST = 110;
const CLEAR_LINE = '\r\u001b[2K';

export interface ScreenOptions {
  /** As without a terminal. */
  readonly isPlain?: boolean;
  /** What is known of the Work, beside its activity: the step, the usage, the model. */
  readonly facts?: () => readonly string[];
}

export function createScreen(
  { isPlain = false, facts = () => [] }: ScreenOptions = {},
  stream: OutputStream = hostProcess().stdout,
) {
  const isTerminal = !isPlain && stream.isTTY === true && hostProcess().env.TERM !== 'dumb';
  let activity: string | undefined;
  let unfinished = '';
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
    const parts = [`${sanitize(activity, 60)}${time}`, ...facts().map((fact) => sanitize(fact, 60))];
    const width = (stream.columns || 80) - 1;
    const text = `${FRAMES[frame]} ${parts.join(SEPARATOR)}`;
    // One line: a second one could not be cleared.
    stream.write(
      `${CLEAR_LINE}${style('dim', fit(text + toEnd(unfinished, width - cellsOf(text)), width).trimEnd())}`,
    );
    isShown = true;
  };
  const stopDrawing = (): void => {
    clearInterval(timer);
    timer = undefined;
    hide();
  };

  return {
    style: isPlain ? (_: Style, text: string): string => text : style,
    /** As the terminal is now. Undefined if lines may have any length. */
    get width(): number | undefined {
      return isTerminal ? Math.min(stream.columns || 80, WIDEST) : undefined;
    },
    write(text: string): void {
      if (text === '') return;
      hide();
      stream.write(text);
      isMidLine = !text.endsWith('\n');
    },
    /** The activity to show in the status line; undefined for none. `rest`: text that is not printed yet. */
    setActivity(next: string | undefined, rest = ''): void {
      if (!isTerminal) return;
      unfinished = rest;
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

/** Fewer cells are not worth it. */
const MIN_ROOM = 12;

/** The end of a text that fits: whoever waits for a paragraph sees how it grows. */
function toEnd(text: string, cells: number): string {
  const room = cells - SEPARATOR.length - 1;
  const line = sanitize(text).trim();
  if (room < MIN_ROOM || line === '') return '';
  let end = '';
  for (const character of [...line].reverse()) {
    if (cellsOf(character + end) > room) return `${SEPARATOR}…${end}`;
    end = character + end;
  }
  return `${SEPARATOR}${end}`;
}

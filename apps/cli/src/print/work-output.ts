/**
 * Output of commands that drive a Work: readable text with a summary, or JSON with one event per line and the result as the
 * last line.
 */
import type { Pending, SessionStop } from '@crewagent/core';
import type { RunEvent } from '@crewagent/protocol/events';
import type { WorkStory } from '@crewagent/protocol/story/work-story';
import type { Attendance } from '../attendance.ts';
import { style as plainStyle, print, printError, type Styler, styleError } from '../terminal.ts';
import { userLanguage } from '../user-language.ts';
import { describeFacts, toActivity } from './activity.ts';
import { describeDuration } from './describe-work.ts';
import { LiveText } from './live-text.ts';
import { describePending } from './pending.ts';
import { createScreen } from './screen.ts';
import { wrapLine } from './text/wrap.ts';

export interface WorkOutput {
  readonly style: Styler;
  readonly width: number | undefined;
  /** Prints the head of the text, or the events of the JSON output. */
  begin(initialEvents: readonly RunEvent[]): void;
  showMenu(): void;
  onEvent(event: RunEvent): void;
  /** Prints the pending question or approval of unattended work. */
  showPending(pending: Pending): void;
  /** Call before writing to the terminal by other means. */
  pause(): void;
  /** Prints a message of the command line itself. */
  say(line: string): void;
  end(stop: SessionStop): void;
}

/** What the output says about a run, or about a conversation. */
export interface WorkTexts {
  /** Folded by its owner, each event before its listeners get it. */
  readonly view: WorkStory;
  head(style: Styler): readonly string[];
  menu?(layout: { readonly style: Styler; readonly width: number | undefined }): readonly string[];
  /** Text to print after that of an event. */
  afterEvent?(event: RunEvent, style: Styler): string;
  summary(stop: SessionStop, elapsed: string, style: Styler): readonly string[];
  /** The last line of the JSON output. */
  result(stop: SessionStop): object;
  /** Hints for a person beside the JSON output. */
  hints(stop: SessionStop, style: Styler): readonly string[];
}

export async function createOutput(texts: WorkTexts, attendance: Attendance): Promise<WorkOutput> {
  return attendance.isJson ? createJsonOutput(texts) : createTextOutput(texts, attendance);
}

async function createTextOutput(texts: WorkTexts, { isAsking, isPlain }: Attendance): Promise<WorkOutput> {
  const { view } = texts;
  const screen = createScreen({ isPlain, facts: () => describeFacts(view) });
  // Loaded for a terminal only.
  const { createMarkdownStream: createMarkdown = undefined } =
    screen.width === undefined ? {} : await import('./markdown/markdown-stream.ts');
  const { style } = screen;
  const language = userLanguage();
  const options = {
    ...{ style, language, view, createMarkdown, isTyped: isAsking },
    get width() {
      return screen.width;
    },
  };
  const live = new LiveText(options);
  const startedMs = performance.now();
  const printLines = (lines: readonly string[]): void => {
    const wrapped = lines.flatMap((line) => wrapLine(line, screen.width));
    screen.write(wrapped.map((line) => `${line}\n`).join(''));
  };
  return {
    style,
    get width() {
      return screen.width;
    },
    begin: () => printLines(texts.head(style)),
    showMenu: () => printLines(texts.menu?.(options) ?? []),
    onEvent(event) {
      screen.write(live.add(event) + (texts.afterEvent?.(event, style) ?? ''));
      const activity = toActivity(event, { view, language });
      if (activity !== 'unchanged') screen.setActivity(activity, live.unfinished);
    },
    showPending: (pending) => printLines(describePending(pending, style)),
    pause() {
      screen.setActivity(undefined);
      screen.write(live.pause());
    },
    say: (line) => printLines([line]),
    end(stop) {
      screen.close();
      const elapsed = describeDuration(performance.now() - startedMs);
      printLines(['', ...texts.summary(stop, elapsed, style)]);
    },
  };
}

/** Only events on standard output; hints for a person go to standard error. */
function createJsonOutput(texts: WorkTexts): WorkOutput {
  const write = (event: RunEvent): void => print(JSON.stringify(event));
  return {
    style: plainStyle,
    width: undefined,
    begin: (initialEvents) => initialEvents.forEach(write),
    showMenu: () => undefined,
    onEvent: write,
    showPending: () => undefined,
    pause: () => undefined,
    say: (line) => printError(line),
    end(stop) {
      print(JSON.stringify(texts.result(stop)));
      for (const line of texts.hints(stop, styleError)) printError(line);
    },
  };
}

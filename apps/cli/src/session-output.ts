/**
 * Output of commands that drive a conversation: readable text with the command that continues it, or JSON with one event
 * per line and the result as the last line.
 */

import { join } from 'node:path';
import type { Session, SessionStop } from '@crewagent/core';
import type { RunEvent } from '@crewagent/protocol/events';
import { toStatus } from '@crewagent/protocol/status';
import { changedFile, effectOf } from '@crewagent/protocol/tool-effects';
import { activeView, toWorkTimeline } from '@crewagent/protocol/work-view';
import { describeAgent, toContinueCommand, usageOf } from './describe-conversation.ts';
import { describeItem } from './describe-item.ts';
import { describeMenu } from './describe-menu.ts';
import { describeDuration, describeModel, describePhase, describeUsage, shortId } from './describe-run.ts';
import { createNarrator } from './narrate-run.ts';
import { describePending, type Pending } from './pending.ts';
import { createScreen, toActivity } from './screen.ts';
import { toShownPath } from './shown-path.ts';
import { style as plainStyle, print, printError, type Styler, sanitize, styleError } from './terminal.ts';

export interface SessionOutput {
  readonly style: Styler;
  readonly width: number | undefined;
  /** Prints the agent, and the last entries of a continued conversation. */
  begin(initialEvents: readonly RunEvent[]): void;
  showMenu(): void;
  onEvent(event: RunEvent): void;
  /** Prints the pending question or approval of an unattended conversation. */
  showPending(pending: Pending): void;
  /** Call before writing to the terminal by other means. */
  pause(): void;
  /** Prints a message of the command line itself. */
  say(line: string): void;
  end(stop: SessionStop): void;
}

export interface SessionOutputOptions {
  readonly session: Session;
  /** Whether a person can be asked. */
  readonly isAsking: boolean;
  readonly isContinued: boolean;
  /** The package as the person typed it. */
  readonly packageRef: string | undefined;
}

/** Entries shown of a continued conversation. */
const ENTRIES_SHOWN = 10;

export function createSessionTextOutput(options: SessionOutputOptions): SessionOutput {
  const { session, isAsking, isContinued, packageRef } = options;
  const screen = createScreen();
  const { style, width } = screen;
  const nodesOf = (runId: string) => session.view.runs.get(runId)?.nodes ?? [];
  const narrator = createNarrator({ style, width, nodesOf, isTyped: isAsking });
  const files = createFileList(session);
  const startedMs = performance.now();
  const printLines = (lines: readonly string[]): void => {
    screen.write(lines.map((line) => `${line}\n`).join(''));
  };
  return {
    style,
    width,
    begin() {
      printLines([...describeHead(session, style), '']);
      if (!isContinued || !isAsking) return;
      const past = toWorkTimeline(session.view).flatMap(({ item }) => {
        const lines = describeItem(item, (_, text) => text);
        return lines.length > 0 ? [lines.map((line) => style('dim', line))] : [];
      });
      printLines(past.slice(-ENTRIES_SHOWN).flat());
      if (past.length > 0) printLines(['']);
    },
    showMenu: () => printLines(describeMenu(session.menu(), { style, width })),
    onEvent(event) {
      files.note(event);
      screen.write(narrator.narrate(event) + describeRunEnd(event, session, style));
      const activity = toActivity(event);
      if (activity !== 'unchanged') screen.setActivity(activity);
    },
    showPending: (pending) => printLines(describePending(pending, style)),
    pause() {
      screen.setActivity(undefined);
      screen.write(narrator.pause());
    },
    say: (line) => printLines([line]),
    end(stop) {
      screen.close();
      const { turns, usage } = usageOf(session.view);
      const field = (name: string, text: string): string => `  ${style('dim', name.padEnd(11))}${text}`;
      printLines([
        '',
        ...(isAsking ? [] : describeStop(session, stop, style)),
        ...files.list().map((path, index) => field(index === 0 ? 'files' : '', sanitize(path))),
        field('used', `${describeUsage(turns, usage)} · ${describeDuration(performance.now() - startedMs)}`),
        field('continue', continueCommandFor(session, stop, packageRef)),
        ...(files.list().length > 0
          ? [field('undo', `crewagent undo ${shortId(session.record.workId)}`)]
          : []),
      ]);
    },
  };
}

/** Only events on standard output; hints for a person go to standard error. */
export function createSessionJsonOutput({ session, packageRef }: SessionOutputOptions): SessionOutput {
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
    end({ mode, phase, reason }) {
      const { workId: conversationId } = session.record;
      const { activeRunId } = session.view.state;
      const run = activeRunId === undefined ? undefined : session.view.runs.get(activeRunId);
      const state = run && {
        currentNodeId: run.state.currentNodeId,
        stepsCompleted: run.state.stepsCompleted,
        variables: run.state.variables,
        artifacts: run.state.artifacts,
      };
      print(
        JSON.stringify({
          type: 'result',
          conversationId,
          mode,
          phase,
          reason: reason ?? null,
          activeRunId: activeRunId ?? null,
          ...(state ? { state } : {}),
          usage: usageOf(session.view).usage,
        }),
      );
      for (const line of describeStop(session, { mode, phase, reason }, styleError)) printError(line);
      printError(`  ${continueCommandFor(session, { mode, phase, reason }, packageRef)}`);
    },
  };
}

function describeHead({ record, projectPath }: Session, style: Styler): string[] {
  const { agent, model, workId } = record;
  const field = (name: string, text: string): string => `  ${style('dim', name.padEnd(14))}${text}`;
  return [
    style('bold', agent ? describeAgent(agent) : 'Chat'),
    ...(agent ? [field('package', sanitize(`${agent.package.name} ${agent.package.version}`, 200))] : []),
    field('model', describeModel(model)),
    field('project', sanitize(projectPath)),
    field('conversation', shortId(workId)),
  ];
}

/** Only for runs: the conversation itself does not end. */
function describeRunEnd(event: RunEvent, { view }: Session, style: Styler): string {
  if (event.type !== 'phase.changed' || event.runId === view.workId) return '';
  const title = sanitize(view.runs.get(event.runId)?.workflow?.title || 'The workflow', 200);
  if (event.phase === 'Completed')
    return `${style('green', '✔')} ${style('bold', `"${title}" completed.`)}\n`;
  return event.phase === 'Failed'
    ? `${style('red', '✖')} ${style('bold', sanitize(event.reason?.message ?? `"${title}" failed.`))}\n`
    : '';
}

/** Empty if the conversation just waits for the person's next message. */
function describeStop(session: Session, { mode, phase, reason }: SessionStop, style: Styler): string[] {
  if (phase === 'Completed' || phase === 'Failed' || !reason) return [];
  if (toStatus({ phase, reason }).kind === 'reply' && mode !== 'run') return [];
  const { mark, style: colour } = describePhase(phase, activeView(session.view).reason);
  return [`${style(colour, mark)} ${style('bold', sanitize(reason.message))}`];
}

/** Includes `-i` if an answer is expected. */
function continueCommandFor(session: Session, stop: SessionStop, packageRef: string | undefined): string {
  const { kind } = toStatus(stop);
  const isAsked = kind === 'question' || (kind === 'reply' && stop.mode === 'run');
  return `${toContinueCommand(session.record, packageRef)}${isAsked ? ' -i "…"' : ''}`;
}

interface FileList {
  note(event: RunEvent): void;
  /** Paths relative to the working directory. */
  list(): readonly string[];
}

/** Files written since the session was opened, without those that were undone. */
function createFileList({ projectPath }: Session): FileList {
  const files = new Set<string>();
  return {
    note(event) {
      if (event.type === 'tool.ended') {
        const file = event.outcome === 'ok' ? changedFile(effectOf(event)) : undefined;
        if (file !== undefined) files.add(file);
      }
      if (event.type !== 'changes.undone') return;
      for (const { path, outcome } of event.files) {
        const file = path.replace(/^@project\//, '');
        if (outcome === 'deleted' || outcome === 'restored') files.delete(file);
        if (outcome === 'recreated') files.add(file);
      }
    },
    list: () => [...files].map((file) => toShownPath(join(projectPath, file))),
  };
}

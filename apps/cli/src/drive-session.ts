/**
 * Drives a conversation from here: lines that were given beforehand are typed first; then the person at the terminal, or
 * nobody. Leaves it unlocked, whatever happens.
 */

import { CrewError, type Session, type SessionStop } from '@crewagent/core';
import { toStatus } from '@crewagent/protocol/status';
import { answerForNobody } from './answer-for-nobody.ts';
import type { RunCommand } from './ask-person.ts';
import {
  type DrivenSession,
  type DriveOptions,
  isPausedByLimit,
  type Outcome,
  pendingOf,
  type TurnOutcomes,
  takeLine,
  toAddressee,
} from './driven-session.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { createSessionLines, createSessionStory } from './session-output.ts';
import { watchTurns } from './signals.ts';
import { describeUnused } from './take-input.ts';
import { isInteractive, printError, sanitize, styleError } from './terminal.ts';
import { watchOutput } from './watch-output.ts';

export async function driveSession(session: Session, options: DriveOptions): Promise<ExitCode> {
  const { isJson, isContinued, packageRef } = options;
  const isAsking = !isJson && isInteractive();
  const watch = watchTurns(() => void session.stop());
  const broken = watchOutput(() => watch.interrupt());
  const outputOptions = { session, isAsking, isContinued, packageRef };
  const output = isJson ? createSessionLines(outputOptions) : createSessionStory(outputOptions);
  const turns = watchOutcomes(session);
  let outcome: Outcome;
  try {
    output.begin(options.known);
    session.subscribe(output.onEvent);
    const drive: DrivenSession = { session, output, watch, turns, left: [...options.inputs] };
    if (isAsking) {
      const { talk } = await import('./converse.ts');
      outcome = await talk(drive, options);
    } else {
      outcome = await typeInputs(drive);
    }
  } finally {
    output.pause();
    await session.close();
    watch.end();
  }
  output.end(outcome.stop);
  if (outcome.unused) printError(styleError('yellow', describeUnused(outcome.unused, options.inputs.length)));
  if (outcome.issue) printError(`${styleError('red', 'Error:')} ${sanitize(outcome.issue.message)}`);
  return broken.code ?? outcome.code;
}

async function typeInputs(drive: DrivenSession): Promise<Outcome> {
  const { session, output, watch, turns, left } = drive;
  const isAutopilot = session.record.tools.approval === 'autopilot';
  let stop = await session.stop();
  if (left.length === 0) output.showMenu();
  for (;;) {
    output.pause();
    const pending = pendingOf(session);
    if (watch.signal.aborted) return { stop, code: EXIT.interrupted };
    if (turns.hasRefused) return { stop, code: EXIT.usage, unused: left.length };
    if (pending) output.showPending(pending);
    let next: RunCommand | 'leave' | undefined;
    try {
      next = answerForNobody(pending, { isAutopilot, allowed: [] }) ?? takeLine(stop, drive);
    } catch (error) {
      if (!(error instanceof CrewError)) throw error;
      return { stop, code: EXIT.usage, issue: error };
    }
    if (!next || next === 'leave') return { stop, code: toExitCode(stop, turns), unused: left.length };
    // Nobody is there to say what should come instead of a turn: Ctrl-C ends it all.
    stop = await next(toAddressee(session));
  }
}

function toExitCode(stop: SessionStop, { wasStopped }: TurnOutcomes): ExitCode {
  const { kind, isBug } = toStatus(stop);
  if (kind === 'completed') return EXIT.ok;
  if (kind === 'failed' || isBug) return EXIT.failed;
  if (isPausedByLimit(stop)) return EXIT.limit;
  if (wasStopped) return EXIT.interrupted;
  const isAtRest = kind === 'reply' || kind === 'stopped';
  return isAtRest && stop.mode !== 'run' ? EXIT.ok : EXIT.waiting;
}

/** Of an error that ended a turn the phase tells; one that no phase follows was in the way of a command. */
function watchOutcomes(session: Session): TurnOutcomes {
  const outcomes = { hasRefused: false, wasStopped: false };
  session.subscribe((event) => {
    if (event.type === 'error') outcomes.hasRefused = true;
    if (event.type !== 'phase.changed') return;
    outcomes.hasRefused = false;
    outcomes.wasStopped = toStatus(event).kind === 'stopped';
  });
  return outcomes;
}

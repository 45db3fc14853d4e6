/**
 * Drives a conversation: `--input` lines first, then the person at the terminal, if there is one. Always leaves the
 * conversation unlocked.
 */

import { CrewError, type Session, type SessionStop } from '@crewagent/core';
import { toStatus } from '@crewagent/protocol/status';
import { describeUnused } from './accept-input.ts';
import { answerUnattended } from './answer-unattended.ts';
import type { RunCommand } from './ask-person.ts';
import {
  type DrivenSession,
  type DriveOptions,
  isPausedByLimit,
  type Outcome,
  pendingOf,
  type TurnOutcomes,
  takeLine,
  toCommandTarget,
} from './driven-session.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { createSessionJsonOutput, createSessionTextOutput } from './session-output.ts';
import { watchTurns } from './signals.ts';
import { isInteractive, printError, sanitize, styleError } from './terminal.ts';
import { watchOutput } from './watch-output.ts';

export async function driveSession(session: Session, options: DriveOptions): Promise<ExitCode> {
  const { isJson, isContinued, packageRef } = options;
  const isAsking = !isJson && isInteractive();
  const watch = watchTurns(() => void session.stop());
  const broken = watchOutput(() => watch.interrupt());
  const outputOptions = { session, isAsking, isContinued, packageRef };
  const output = isJson ? createSessionJsonOutput(outputOptions) : createSessionTextOutput(outputOptions);
  const turns = watchOutcomes(session);
  let outcome: Outcome;
  try {
    output.begin(options.initialEvents);
    session.subscribe(output.onEvent);
    const drive: DrivenSession = { session, output, watch, turns, remaining: options.remaining };
    if (isAsking) {
      const { converse } = await import('./converse.ts');
      outcome = await converse(drive, options);
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
  const { session, output, watch, turns, remaining } = drive;
  const isAutopilot = session.record.tools.approval === 'autopilot';
  let stop = await session.stop();
  if (remaining.length === 0) output.showMenu();
  for (;;) {
    output.pause();
    const pending = pendingOf(session);
    if (watch.signal.aborted) return { stop, code: EXIT.interrupted };
    if (turns.wasRejected) return { stop, code: EXIT.usage, unused: remaining.length };
    if (pending) output.showPending(pending);
    let next: RunCommand | 'leave' | undefined;
    try {
      next = answerUnattended(pending, { isAutopilot, allowed: [] }) ?? takeLine(stop, drive);
    } catch (error) {
      if (!(error instanceof CrewError)) throw error;
      return { stop, code: EXIT.usage, issue: error };
    }
    if (!next || next === 'leave') return { stop, code: toExitCode(stop, turns), unused: remaining.length };
    // Not in `watch.during`: without a person to continue with, Ctrl-C ends the command, not only the turn.
    stop = await next(toCommandTarget(session));
  }
}

function toExitCode(stop: SessionStop, { wasStopped }: TurnOutcomes): ExitCode {
  const { kind, isBug } = toStatus(stop);
  if (kind === 'completed') return EXIT.ok;
  if (kind === 'failed' || isBug) return EXIT.failed;
  if (isPausedByLimit(stop)) return EXIT.limit;
  if (wasStopped) return EXIT.interrupted;
  const isIdle = kind === 'reply' || kind === 'stopped';
  return isIdle && stop.mode !== 'run' ? EXIT.ok : EXIT.waiting;
}

/** An error that ends a turn is followed by `phase.changed`; an error without one means a rejected command. */
function watchOutcomes(session: Session): TurnOutcomes {
  const outcomes = { wasRejected: false, wasStopped: false };
  session.subscribe((event) => {
    if (event.type === 'error') outcomes.wasRejected = true;
    if (event.type !== 'phase.changed') return;
    outcomes.wasRejected = false;
    outcomes.wasStopped = toStatus(event).kind === 'stopped';
  });
  return outcomes;
}

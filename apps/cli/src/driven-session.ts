/**
 * The state of a conversation that is being driven, and how `--input` lines are applied to it; shared by interactive and
 * unattended driving.
 */

import type { CrewError, Session, SessionStop } from '@crewagent/core';
import type { RunEvent } from '@crewagent/protocol/events';
import { toStatus } from '@crewagent/protocol/status';
import { calledView } from '@crewagent/protocol/work-view';
import { acceptInput } from './accept-input.ts';
import type { CommandTarget, RunCommand } from './ask-person.ts';
import type { ExitCode } from './exit-codes.ts';
import { isExit, isGlobalCommand } from './global-commands.ts';
import type { Pending } from './pending.ts';
import type { SessionOutput } from './session-output.ts';
import type { TurnWatch } from './signals.ts';

export interface DriveOptions {
  readonly inputs: readonly string[];
  /** The inputs that are left; those that are used are removed. */
  readonly remaining: string[];
  readonly isJson: boolean;
  readonly isContinued: boolean;
  /** The package as the person typed it. */
  readonly packageRef?: string | undefined;
  /** Folder of an installed package. */
  packageFolder(hash: string): string;
  /** Events of a new conversation from before the output subscribed. */
  readonly initialEvents: readonly RunEvent[];
}

export interface DrivenSession {
  readonly session: Session;
  readonly output: SessionOutput;
  readonly watch: TurnWatch;
  readonly turns: TurnOutcomes;
  /** `--input` lines that were not typed yet. */
  readonly remaining: string[];
}

export interface Outcome {
  readonly stop: SessionStop;
  readonly code: ExitCode;
  /** Number of `--input` lines that were not used. */
  readonly unused?: number;
  /** An `--input` line is not a valid answer. */
  readonly issue?: CrewError;
}

/** Outcome of the last line that was typed. */
export interface TurnOutcomes {
  /** The command could not be executed. */
  readonly wasRejected: boolean;
  /** The turn was stopped. */
  readonly wasStopped: boolean;
}

/** Command for the next `--input` line; undefined if there is none, or if it cannot answer what is pending. */
export function takeLine(
  stop: SessionStop,
  { session, remaining }: DrivenSession,
): RunCommand | 'leave' | undefined {
  const [text] = remaining;
  if (text === undefined) return undefined;
  if (isGlobalCommand(text)) {
    remaining.shift();
    return session.mode === 'chat' && isExit(text) ? 'leave' : (to) => to.say(text);
  }
  const pending = pendingOf(session);
  if (pending) {
    const accepted = acceptInput(stop, pending, remaining);
    remaining.splice(0, accepted?.count ?? 0);
    return accepted?.command;
  }
  if (isPausedByLimit(stop)) return undefined;
  remaining.shift();
  return (to) => to.say(text);
}

/** The question or approval the conversation waits for. */
export function pendingOf({ view }: Session): Pending | undefined {
  return calledView(view).pending;
}

export function toCommandTarget(session: Session): CommandTarget<SessionStop> {
  return {
    say: (text) => session.input(text),
    answer: (answers) => session.answer(answers),
    approve: (approval) => session.approve(approval),
    resume: () => session.resume(),
  };
}

export function isPausedByLimit({ phase, reason }: SessionStop): boolean {
  return toStatus({ phase, reason }).kind === 'limit';
}

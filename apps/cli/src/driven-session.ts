/**
 * A conversation that is driven here, and what a line that was given beforehand does in it; the same with a person at the
 * terminal and without.
 */

import type { CrewError, Session, SessionStop } from '@crewagent/core';
import type { RunEvent } from '@crewagent/protocol/events';
import { toStatus } from '@crewagent/protocol/status';
import { activeView } from '@crewagent/protocol/work-view';
import type { Addressee, RunCommand } from './ask-person.ts';
import type { ExitCode } from './exit-codes.ts';
import { isExit, isGlobalCommand } from './global-commands.ts';
import type { Pending } from './pending.ts';
import type { SessionOutput } from './session-output.ts';
import type { TurnWatch } from './signals.ts';
import { takeInput } from './take-input.ts';

export interface DriveOptions {
  readonly inputs: readonly string[];
  readonly isJson: boolean;
  readonly isContinued: boolean;
  /** The package as the person named it. */
  readonly packageRef?: string | undefined;
  /** Where the files of an installed package lie. */
  packageFolder(hash: string): string;
  /** What happened before it came into our hands, where it was made just now. */
  readonly known: readonly RunEvent[];
}

/** What is driven, and with what. */
export interface DrivenSession {
  readonly session: Session;
  readonly output: SessionOutput;
  readonly watch: TurnWatch;
  readonly turns: TurnOutcomes;
  /** Lines that were given beforehand and not typed yet. */
  readonly left: string[];
}

export interface Outcome {
  readonly stop: SessionStop;
  readonly code: ExitCode;
  /** Lines that were given beforehand and that nothing took. */
  readonly unused?: number;
  /** One of them does not fit what was asked. */
  readonly issue?: CrewError;
}

/** What the last thing that was typed came to, beside where the conversation rests. */
export interface TurnOutcomes {
  /** It was a command that could not be carried out. */
  readonly hasRefused: boolean;
  /** Somebody ended the turn. */
  readonly wasStopped: boolean;
}

/** What the next of the lines that were given beforehand does here; undefined where none is left, or where it is no answer. */
export function takeLine(
  stop: SessionStop,
  { session, left }: DrivenSession,
): RunCommand | 'leave' | undefined {
  const [text] = left;
  if (text === undefined) return undefined;
  if (isGlobalCommand(text)) {
    left.shift();
    return session.mode === 'chat' && isExit(text) ? 'leave' : (to) => to.say(text);
  }
  const pending = pendingOf(session);
  if (pending) {
    const taken = takeInput(stop, pending, left);
    left.splice(0, taken?.count ?? 0);
    return taken?.command;
  }
  if (isPausedByLimit(stop)) return undefined;
  left.shift();
  return (to) => to.say(text);
}

/** What is waited for, while it has not been said. */
export function pendingOf({ view }: Session): Pending | undefined {
  return activeView(view).pending;
}

export function toAddressee(session: Session): Addressee<SessionStop> {
  return {
    say: (text) => session.input(text),
    answer: (answers) => session.answer(answers),
    approve: (word) => session.approve(word),
    resume: () => session.resume(),
  };
}

export function isPausedByLimit({ phase, reason }: SessionStop): boolean {
  return toStatus({ phase, reason }).kind === 'limit';
}

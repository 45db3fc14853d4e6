/**
 * Drives a conversation: `--input` lines first, then the person at the terminal, if there is one.
 */
import type { Session, SessionStop } from '@crewagent/core';
import type { RunEvent } from '@crewagent/protocol/events';
import { toStatus } from '@crewagent/protocol/status';
import { takeAccepted } from '../ask/accept-input.ts';
import type { WorkCommand } from '../ask/work-command.ts';
import type { Attendance } from '../attendance.ts';
import type { ExitCode } from '../exit-codes.ts';
import { isExit, isGlobalCommand } from '../global-commands.ts';
import { createConversationTexts } from '../print/work-texts.ts';
import { withSignals } from '../signals.ts';
import type { ConverseOptions } from './converse.ts';
import { type DrivenWork, driveWork, type Outcome, respond, type TurnOutcomes } from './drive-work.ts';

export interface DriveConversationOptions extends Pick<ConverseOptions, 'packageFolder' | 'openFiles'> {
  readonly attendance: Attendance;
  readonly isContinued: boolean;
  /** The package as the person typed it. */
  readonly packageRef?: string | undefined;
  /** Events of a new conversation from before the output subscribed. */
  readonly initialEvents: readonly RunEvent[];
}

export async function driveConversation(
  session: Session,
  options: DriveConversationOptions,
): Promise<ExitCode> {
  const { attendance, initialEvents, packageFolder, openFiles } = options;
  const { isAsking, remaining } = attendance;
  const turns = watchOutcomes(session);
  const takeInput = (stop: SessionStop) => takeLine(stop, session, remaining);
  const texts = createConversationTexts(session, { ...options, isAsking });
  const drive = async (driven: DrivenWork<Session>): Promise<Outcome> => {
    if (isAsking) {
      const { converse } = await import('./converse.ts');
      return converse(driven, { packageFolder, openFiles, takeInput });
    }
    const stop = await session.stop();
    if (remaining.length === 0) driven.output.showMenu();
    // Not in `watch.during`: without a person to continue with, Ctrl-C ends the command, not only the turn.
    return respond(driven, stop, { takeInput, turns });
  };
  return withSignals(
    (watch) => driveWork(session, { attendance, watch, open: async () => ({ texts, initialEvents }), drive }),
    () => void session.stop(),
  );
}

/** Command for the next `--input` line; undefined if there is none, or if it cannot answer what is pending. */
function takeLine(
  stop: SessionStop,
  { pending, mode }: Session,
  remaining: string[],
): WorkCommand | 'leave' | undefined {
  const [text] = remaining;
  if (text === undefined) return undefined;
  const isCommand = isGlobalCommand(text);
  if (!isCommand && pending) return takeAccepted(stop, pending, remaining);
  if (!isCommand && toStatus(stop).kind === 'limit') return undefined;
  remaining.shift();
  return isCommand && mode === 'chat' && isExit(text) ? 'leave' : (to) => to.input(text);
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

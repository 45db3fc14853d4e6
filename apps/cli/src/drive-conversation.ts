/**
 * Drives a conversation: `--input` lines first, then the person at the terminal, if there is one.
 */
import type { Session, SessionStop } from '@crewagent/core';
import type { RunEvent } from '@crewagent/protocol/events';
import { toStatus } from '@crewagent/protocol/status';
import { takeAccepted } from './accept-input.ts';
import type { WorkCommand } from './ask-person.ts';
import { createConversationTexts } from './conversation-texts.ts';
import type { ConverseOptions } from './converse.ts';
import { type DrivenWork, type DriveOptions, driveWork, respond, type TurnOutcomes } from './drive-work.ts';
import type { ExitCode } from './exit-codes.ts';
import { isExit, isGlobalCommand } from './global-commands.ts';
import { watchSignals } from './signals.ts';
import { isInteractive } from './terminal.ts';
import { createOutput } from './work-output.ts';

export interface DriveConversationOptions extends DriveOptions, Pick<ConverseOptions, 'packageFolder'> {
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
  const { isJson, initialEvents, remaining } = options;
  const isAsking = !isJson && isInteractive();
  const watch = watchSignals(() => void session.stop());
  const output = createOutput(createConversationTexts(session, { ...options, isAsking }), {
    isJson,
    isAsking,
  });
  const driven: DrivenWork<Session> = {
    work: session,
    output,
    watch,
    remaining,
    turns: watchOutcomes(session),
  };
  const takeInput = (stop: SessionStop) => takeLine(stop, driven);
  return driveWork(
    session,
    {
      watch,
      open: async () => ({ output, initialEvents }),
      async drive() {
        if (isAsking) {
          const { converse } = await import('./converse.ts');
          return converse(driven, { ...options, takeInput });
        }
        const stop = await session.stop();
        if (remaining.length === 0) output.showMenu();
        // Not in `watch.during`: without a person to continue with, Ctrl-C ends the command, not only the turn.
        return respond(driven, stop, { takeInput });
      },
    },
    options,
  );
}

/** Command for the next `--input` line; undefined if there is none, or if it cannot answer what is pending. */
function takeLine(
  stop: SessionStop,
  { work, remaining }: DrivenWork<Session>,
): WorkCommand | 'leave' | undefined {
  const [text] = remaining;
  if (text === undefined) return undefined;
  const isCommand = isGlobalCommand(text);
  if (!isCommand && work.pending) return takeAccepted(stop, work.pending, remaining);
  if (!isCommand && toStatus(stop).kind === 'limit') return undefined;
  remaining.shift();
  return isCommand && work.mode === 'chat' && isExit(text) ? 'leave' : (to) => to.input(text);
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

/** The turns of a session, one at a time: each ends when the person has to say something, or is over, or is cancelled. */
import type { StopReason } from '@agentclientprotocol/sdk';
import { CrewError, type SessionStop } from '@crewagent/core';
import { toStatus } from '@crewagent/protocol/status';
import { type Asking, askEditor, type Command } from './ask-editor.ts';
import { isRuntimeCommand } from './commands.ts';

export interface TurnDeps {
  readonly asking: Omit<Asking, 'signal'>;
  /** The command for a message. */
  toCommand(text: string): Command;
  /** Resolves when the editor has what a question is about. */
  flush(): Promise<void>;
}

export function createTurns({ asking, toCommand, flush }: TurnDeps) {
  const { session, say } = asking;
  let current: AbortController | undefined;

  /** Asks for what the turn waits for, until it waits for a message or is over. */
  const drive = async (first: Command, signal: AbortSignal): Promise<StopReason> => {
    // Cancelled before the turn began.
    const onAccepted = (): void => {
      if (signal.aborted) void session.stop();
    };
    for (let next = first; ; ) {
      if (signal.aborted) return 'cancelled';
      const stop = await next({ onAccepted });
      const { pending } = session;
      if (signal.aborted) return 'cancelled';
      if (!pending) return toStopReason(stop);
      await flush();
      const asked = await askEditor(pending, { ...asking, signal });
      if (typeof asked === 'string') return asked === 'reply' ? 'end_turn' : 'cancelled';
      next = asked;
    }
  };

  /** A message is sent when a decision that waits was made; runtime commands do not wait for it. */
  const take = async (text: string, signal: AbortSignal): Promise<StopReason> => {
    const waits = session.pending?.kind === 'approval' && !isRuntimeCommand(text);
    if (!waits) return drive(toCommand(text), signal);
    const decided = await drive(() => Promise.resolve(session.state()), signal);
    const isOver = decided === 'cancelled' || session.pending !== undefined || text === '';
    return isOver ? decided : drive(toCommand(text), signal);
  };

  return {
    get isActive() {
      return current !== undefined;
    },
    /** `cancelled`: the editor withdrew the request. */
    async run(read: () => Promise<string>, cancelled: AbortSignal): Promise<StopReason> {
      if (current) throw new CrewError('RUN_NOT_READY', say('busy'));
      const own = new AbortController();
      current = own;
      const cancel = (): void => own.abort();
      own.signal.addEventListener('abort', () => void session.stop(), { once: true });
      cancelled.addEventListener('abort', cancel, { once: true });
      try {
        return await take(await read(), own.signal);
      } finally {
        current = undefined;
        cancelled.removeEventListener('abort', cancel);
      }
    },
    cancel(): void {
      current?.abort();
    },
  };
}

/** A turn that waits for the person has ended. */
function toStopReason(stop: SessionStop): StopReason {
  const { kind } = toStatus(stop);
  if (kind === 'stopped') return 'cancelled';
  if (kind !== 'limit') return 'end_turn';
  return TURN_LIMITS.has(stop.reason?.code ?? '') ? 'max_turn_requests' : 'max_tokens';
}

const TURN_LIMITS: ReadonlySet<string> = new Set(['ENGINE_MAX_TURNS_EXCEEDED', 'ENGINE_LOOP_DETECTED']);

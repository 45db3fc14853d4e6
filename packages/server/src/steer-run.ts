/**
 * A run may be alone, or be what a conversation is in: then its commands go through the conversation, which drives it and
 * has to know.
 */
import {
  CrewError,
  type OpenRun,
  type ReopenOptions,
  readConversationRecord,
  readRunRecord,
  resolveRun,
  type Session,
} from '@crewagent/core';
import type { RunStatus } from '@crewagent/protocol/api/runs';
import type { RunCommand } from './open-runs.ts';
import type { SessionCommand } from './open-sessions.ts';
import type { ServerParts } from './server-parts.ts';

export interface RunSteering {
  /** Gives a command to a run, or to the conversation that is in it, and answers at once. */
  command(runId: string, give: TwoWays, options?: ReopenOptions): Promise<RunStatus>;
  /** Stops a run that goes on here; undefined when it is not open here. */
  stop(runId: string): Promise<RunStatus | undefined>;
  /** Does something with an open run; the conversation that is in it is closed meanwhile. */
  use<T>(runId: string, work: (run: OpenRun) => Promise<T>): Promise<T>;
  /** Does something that needs the run closed. Refused while it goes on. */
  useClosed<T>(runId: string, work: () => Promise<T>): Promise<T>;
}

interface TwoWays {
  readonly alone: RunCommand;
  readonly inSession: SessionCommand;
}

export function createRunSteering({ runtime, openRuns, openSessions }: ServerParts): RunSteering {
  const { store } = runtime;
  /** The conversation that is in this run. */
  const driverOf = async (runId: string): Promise<string | undefined> => {
    if (openRuns.heldRun(runId)?.engine.isRunning) return undefined;
    const { conversationId, projectId } = await readRunRecord(store, await resolveRun(store, runId));
    if (conversationId === undefined) return undefined;
    const session = openSessions.heldSession(conversationId);
    if (session) return session.view.state.activeRunId === runId ? conversationId : undefined;
    try {
      const { activeRunId } = await readConversationRecord(store, { projectId, conversationId });
      return activeRunId === runId ? conversationId : undefined;
    } catch (error) {
      // A run outlives a conversation that is gone or damaged.
      if (error instanceof CrewError) return undefined;
      throw error;
    }
  };
  const throughDriver = async <T>(
    runId: string,
    alone: () => Promise<T>,
    inSession: (conversationId: string) => Promise<T>,
  ): Promise<T> => {
    const conversationId = await driverOf(runId);
    return conversationId === undefined ? alone() : inSession(conversationId);
  };

  return {
    command: (runId, { alone, inSession }, options) =>
      throughDriver(
        runId,
        () => openRuns.command(runId, alone, options),
        async (conversationId) => {
          const model = options?.model?.model;
          const { phase, reason, refusal } = await openSessions.command(
            conversationId,
            async (session, taking) => {
              requireActive(session, runId);
              if (model !== undefined) await session.setModel({ model });
              return inSession(session, taking);
            },
            { model },
          );
          if (refusal) throw new CrewError(refusal.code, refusal.message);
          return { runId, phase, ...(reason ? { reason } : {}) };
        },
      ),
    async stop(runId) {
      const alone = openRuns.stop(runId);
      if (alone) return alone;
      const conversationId = await driverOf(runId);
      const stopped = conversationId === undefined ? undefined : await openSessions.stop(conversationId);
      return (
        stopped && { runId, phase: stopped.phase, ...(stopped.reason ? { reason: stopped.reason } : {}) }
      );
    },
    use: (runId, work) =>
      throughDriver(
        runId,
        () => openRuns.use(runId, work),
        (conversationId) => openSessions.useClosed(conversationId, () => openRuns.use(runId, work)),
      ),
    useClosed: (runId, work) =>
      throughDriver(
        runId,
        () => openRuns.useClosed(runId, work),
        (conversationId) => openSessions.useClosed(conversationId, () => openRuns.useClosed(runId, work)),
      ),
  };
}

/** Somebody else may have turned to something else a moment ago. */
function requireActive({ view }: Session, runId: string): void {
  if (view.state.activeRunId === runId) return;
  throw new CrewError('RUN_NOT_READY', 'The conversation of this run has turned to something else.');
}

/**
 * A run may be alone, or be what a conversation is in: then its commands go through the conversation, which drives it and
 * has to know.
 */
import { CrewError, type OpenRun, type ReopenOptions, readRunRecord, resolveRun } from '@crewagent/core';
import type { RunStatus } from '@crewagent/protocol/api/runs';
import type { RunCommand } from './open-runs.ts';
import type { RunWays, SessionCommand, Taken } from './open-sessions.ts';
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
  const steer = async <T>(runId: string, ways: RunWays<T>): Promise<T> => {
    if (openRuns.heldRun(runId)?.engine.isRunning) return ways.alone();
    const { projectId, conversationId } = await readRunRecord(store, await resolveRun(store, runId));
    if (conversationId === undefined) return ways.alone();
    return openSessions.withRun({ projectId, conversationId, runId }, ways);
  };

  return {
    command: (runId, { alone, inSession }, options) =>
      steer(runId, {
        alone: () => openRuns.command(runId, alone, options),
        async inside(desk) {
          const model = options?.model?.model;
          const give: SessionCommand = async (session, taking) => {
            if (model !== undefined) await session.setModel({ model });
            return inSession(session, taking);
          };
          const taken = await desk.command(give, { model });
          if (taken.refusal) throw new CrewError(taken.refusal.code, taken.refusal.message);
          return toStatus(runId, taken);
        },
      }),
    async stop(runId) {
      const alone = openRuns.stop(runId);
      if (alone) return alone;
      const { conversationId } = await readRunRecord(store, await resolveRun(store, runId));
      if (conversationId === undefined || !openSessions.isDriving(runId)) return undefined;
      const stopped = await openSessions.stop(conversationId);
      return stopped && toStatus(runId, stopped);
    },
    use: (runId, work) =>
      steer(runId, {
        alone: () => openRuns.use(runId, work),
        inside: (desk) => desk.useClosed(() => openRuns.use(runId, work)),
      }),
    useClosed: (runId, work) =>
      steer(runId, {
        alone: () => openRuns.useClosed(runId, work),
        inside: (desk) => desk.useClosed(() => openRuns.useClosed(runId, work)),
      }),
  };
}

function toStatus(runId: string, { phase, reason }: Taken): RunStatus {
  return { runId, phase, ...(reason ? { reason } : {}) };
}

/**
 * The side of a server: Works that workers open, as objects. A command is stored and answered in a row, so that any server can send it and
 * none has to stay for it to be executed.
 */
import type { Runtime, SessionStop } from '@crewagent/core';
import { EMPTY_CONVERSATION_STATE, modeOf } from '@crewagent/protocol/conversation-state';
import type { RunEvent } from '@crewagent/protocol/events';
import type { WorkRecord } from '@crewagent/protocol/work';
import {
  COMMANDS,
  type HostedWork,
  hasCallback,
  toError,
  type WorkHosts,
  type WorkState,
} from '@crewagent/server/team';
import type { Database } from '../database/database.ts';
import { WORKS_CHANNEL } from '../works/work-rows.ts';
import type { AdvanceQueue } from './advance-queue.ts';
import { type Call, createReplies, type Method, type Reply, sendCommand } from './commands.ts';

export interface RemoteWorksOptions {
  readonly database: Database;
  readonly queue: AdvanceQueue;
  readonly runtime: Runtime;
  /** Who sends the current command. */
  person(): Sender | undefined;
}

export interface Sender {
  readonly personId: string;
  readonly name: string;
}

export function createRemoteWorks({ database, queue, runtime, person }: RemoteWorksOptions): WorkHosts {
  const replies = createReplies(database);

  const send = async (workId: string, method: Method, call: Call, onReply: (reply: Reply) => void) => {
    const sent = await sendCommand(
      database,
      { workId, method, call, person: person()?.personId },
      async (command, connection) => {
        if (command.isUnclaimed) await queue.addFor(command, connection, { priority: command.waiting });
      },
    );
    replies.expect(sent.commandId, onReply);
  };
  const open = async (workId: string, model: string | undefined, isNew = false): Promise<HostedWork> => {
    const { works } = runtime.store;
    const address = await works.find(workId);
    const state = { latest: toState(await works.read(address)) };
    const listeners = new Set<(event: RunEvent) => void>();
    const refresh = async (): Promise<void> => {
      const { isRunning } = state.latest;
      state.latest = toState(await works.read(address));
      // Whoever waits for a turn to be reported looks at the state.
      if (isRunning !== state.latest.isRunning) for (const listener of listeners) listener(PHASE_CHANGED);
    };
    const unsubscribe = database.notices.subscribe(WORKS_CHANNEL, (changed) => {
      if (changed === undefined || changed === workId) void refresh().catch(() => undefined);
    });
    const call = (method: Method, args: readonly unknown[]): Promise<unknown> =>
      new Promise((resolve, reject) => {
        const acceptAt = args.findIndex(hasCallback);
        const accepting = args[acceptAt];
        const accept = (value: unknown): void => {
          clearTimeout(timer);
          if (hasCallback(accepting)) accepting.onAccepted(value);
        };
        // Nothing but a missing worker delays the first command of a Work, and it is stored: its person sees the Work, not a spinner.
        const timer = isNew ? setTimeout(() => accept(state.latest.stop), QUEUED_MS) : undefined;
        // The log says who approved.
        const by = method === 'approve' ? person()?.name : undefined;
        const sent = args.map((arg, at) => {
          if (hasCallback(arg)) return { ...arg, onAccepted: undefined };
          return by !== undefined && at === 0 ? { ...(arg as object), by } : arg;
        });
        const onReply = ({ state: kind, value, error, work }: Reply): void => {
          if (work) state.latest = work;
          if (kind === 'accepted') accept(value);
          else {
            clearTimeout(timer);
            if (error) reject(toError(error));
            else resolve(value ?? state.latest.stop);
          }
        };
        send(workId, method, { args: sent, acceptAt, model }, onReply).catch((error: unknown) => {
          clearTimeout(timer);
          reject(error);
        });
      });
    return toHosted(state, listeners, call, async () => unsubscribe());
  };
  return {
    async open(request) {
      if (!('create' in request)) return open(request.workId, request.model);
      const { workId } = await runtime.registerWork(request.create);
      if (request.labels?.length)
        await database.read('insert into work_labels values ($1, $2) on conflict do nothing', [
          workId,
          request.labels,
        ]);
      return open(workId, undefined, true);
    },
    areElsewhere: true,
    warm: () => undefined,
    async close() {
      replies.close();
    },
  };
}

/** A worker that is free answers sooner. */
const QUEUED_MS = 2_000;

/** Only tells that something changed: the events of a Work come from its log. */
const PHASE_CHANGED = { type: 'phase.changed' } as RunEvent;

function toState(record: WorkRecord): WorkState {
  const { phase, reason } = record;
  const isRun = record.workflowRef !== undefined;
  const activeRunId = isRun ? record.workId : record.activeRunId;
  const mode = isRun ? 'run' : modeOf({ ...EMPTY_CONVERSATION_STATE, agent: record.agent, activeRunId });
  const stop: SessionStop = { mode, phase, reason };
  return { record, isRunning: phase === 'Running', activeRunId, stop };
}

function toHosted(
  state: { readonly latest: WorkState },
  listeners: Set<(event: RunEvent) => void>,
  call: (method: Method, args: readonly unknown[]) => Promise<unknown>,
  close: () => Promise<void>,
): HostedWork {
  const methods = Object.keys(COMMANDS).map((name) => [
    name,
    (...args: readonly unknown[]) => call(name as Method, args),
  ]);
  return Object.defineProperties(
    {
      ...Object.fromEntries(methods),
      close,
      state: () => state.latest.stop,
      subscribe(listener: (event: RunEvent) => void) {
        const own = (event: RunEvent): void => listener(event);
        listeners.add(own);
        return () => void listeners.delete(own);
      },
    },
    {
      record: { get: () => state.latest.record },
      isRunning: { get: () => state.latest.isRunning },
      activeRunId: { get: () => state.latest.activeRunId },
    },
  ) as HostedWork;
}

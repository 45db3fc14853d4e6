/** The side of the server: Works that are open in a host, as objects. */
import { CrewError, type SessionStop } from '@crewagent/core';
import type { ErrorCode } from '@crewagent/protocol/errors';
import type { RunEvent } from '@crewagent/protocol/events';
import type {
  Commands,
  HostReply,
  HostRequest,
  OpenRequest,
  Port,
  Questions,
  SentError,
  WorkReply,
  WorkState,
} from './host-messages.ts';

type Asked = {
  [Name in keyof Questions]: (...args: Parameters<Questions[Name]>) => Promise<ReturnType<Questions[Name]>>;
};

/** An open Work. What it knows is as old as the last event or reply of its host; a host sends both in order. */
export interface HostedWork extends Commands, Asked, Pick<WorkState, 'record' | 'isRunning' | 'activeRunId'> {
  state(): SessionStop;
  /** Receives every event of the Work's log and of its runs. */
  subscribe(listener: (event: RunEvent) => void): () => void;
}

export interface WorkHost {
  open(request: OpenRequest): Promise<HostedWork>;
  /** Number of Works that are open in it or being opened. */
  readonly size: number;
  /** Number of those that have a turn, or are about to. The others wait for a person, and cost nothing. */
  readonly busy: number;
  /** Rejects everything that is under way: the host has ended. */
  fail(error: Error): void;
}

interface Pending {
  readonly work: number;
  resolve(value: unknown): void;
  reject(error: Error): void;
  onAccepted?(value: unknown): void;
}

interface Entry {
  state: WorkState | undefined;
  /** False until its first command, which nearly always begins a turn. */
  wasCalled: boolean;
  closing?: Promise<void>;
  readonly listeners: Set<(event: RunEvent) => void>;
}

/** The names of everything that a Work is asked or told. */
export const COMMANDS = {
  start: true,
  input: true,
  withdraw: true,
  answer: true,
  approve: true,
  waive: true,
  skipCall: true,
  stop: true,
  stopQuestion: true,
  resume: true,
  enterAgent: true,
  dismissAgent: true,
  startWorkflow: true,
  setModel: true,
  close: true,
  pending: true,
  changes: true,
} as const satisfies Record<keyof Commands | keyof Questions, true>;

/** Not queued with other commands: the Work may be closed meanwhile, and then has stopped and has nothing to say. */
const WITHOUT_TURN: ReadonlySet<keyof typeof COMMANDS> = new Set(['stop', 'pending', 'changes']);

/** What a host reports besides its Works. */
export interface HostReports {
  onBug(name: string, error: unknown): void;
  onWarning(message: string): void;
}

export function createWorkHost(
  port: Port<HostRequest, HostReply>,
  { onBug, onWarning }: HostReports,
): WorkHost {
  const pending = new Map<number, Pending>();
  const entries = new Map<number, Entry>();
  let lastId = 0;
  let failure: Error | undefined;

  const request = (message: HostRequest, work: number, onAccepted?: (value: unknown) => void) =>
    new Promise<unknown>((resolve, reject) => {
      if (failure) throw failure;
      pending.set(message.id, { work, resolve, reject, onAccepted });
      port.postMessage(message);
    });
  const call = (work: number, method: keyof typeof COMMANDS, args: readonly unknown[]): Promise<unknown> => {
    const acceptAt = args.findIndex(hasCallback);
    const found = args[acceptAt];
    const { onAccepted } = hasCallback(found) ? found : { onAccepted: undefined };
    const sent = args.map((arg) => (hasCallback(arg) ? { ...arg, onAccepted: undefined } : arg));
    return request({ kind: 'call', id: ++lastId, work, method, args: sent, acceptAt }, work, onAccepted);
  };
  const receive = (reply: WorkReply): void => {
    const waiting = reply.kind === 'event' ? undefined : pending.get(reply.id);
    const entry = entries.get(reply.kind === 'event' ? reply.work : (waiting?.work ?? 0));
    if (entry && reply.state) entry.state = reply.state;
    if (reply.kind === 'event') {
      for (const listener of entry?.listeners ?? []) listener(reply.event);
    } else if (reply.kind === 'accepted') waiting?.onAccepted?.(reply.value);
    else {
      pending.delete(reply.id);
      if (reply.kind === 'failed') waiting?.reject(toError(reply.error));
      else waiting?.resolve(reply.value);
    }
  };
  port.on('message', (message) => {
    if (message.kind === 'bug') onBug(message.name, toError(message.error));
    else if (message.kind === 'warning') onWarning(message.message);
    else for (const reply of message.replies) receive(reply);
  });

  return {
    get size() {
      return entries.size;
    },
    get busy() {
      return [...entries.values()].filter(({ state, wasCalled }) => !wasCalled || state?.isRunning).length;
    },
    async open(opened) {
      const id = ++lastId;
      const entry: Entry = { state: undefined, wasCalled: false, listeners: new Set() };
      entries.set(id, entry);
      try {
        await request({ kind: 'open', id, request: opened }, id);
      } catch (error) {
        entries.delete(id);
        throw error;
      }
      const close = async (): Promise<void> => {
        try {
          // A host that has ended holds nothing.
          if (!failure) await call(id, 'close', []);
        } finally {
          entries.delete(id);
        }
      };
      return toHosted(entry, async (method, args) => {
        entry.wasCalled = true;
        if (method === 'close') {
          entry.closing ??= close();
          return entry.closing;
        }
        const isOver = failure !== undefined || entry.closing !== undefined;
        if (!isOver || !WITHOUT_TURN.has(method)) return call(id, method, args);
        await entry.closing;
        return method === 'stop' ? entry.state?.stop : undefined;
      });
    },
    fail(error) {
      failure = error;
      for (const entry of entries.values()) entry.state &&= { ...entry.state, isRunning: false };
      for (const { reject } of pending.values()) reject(error);
      pending.clear();
    },
  };
}

function toHosted(
  entry: Entry,
  call: (method: keyof typeof COMMANDS, args: readonly unknown[]) => Promise<unknown>,
): HostedWork {
  const stateOf = (): WorkState => {
    if (!entry.state) throw new Error('a host sends the state of a Work when it has opened it');
    return entry.state;
  };
  const methods = Object.keys(COMMANDS).map((name) => [
    name,
    (...args: readonly unknown[]) => call(name as keyof typeof COMMANDS, args),
  ]);
  return Object.defineProperties(
    {
      ...Object.fromEntries(methods),
      state: () => stateOf().stop,
      subscribe(listener: (event: RunEvent) => void) {
        // Each subscription is its own, also of the same function.
        const own = (event: RunEvent): void => listener(event);
        entry.listeners.add(own);
        return () => void entry.listeners.delete(own);
      },
    },
    {
      record: { get: () => stateOf().record },
      isRunning: { get: () => stateOf().isRunning },
      activeRunId: { get: () => stateOf().activeRunId },
    },
  ) as HostedWork;
}

export function hasCallback(arg: unknown): arg is { readonly onAccepted: (value: unknown) => void } {
  return (
    typeof arg === 'object' && arg !== null && 'onAccepted' in arg && typeof arg.onAccepted === 'function'
  );
}

export function toError({ code, message, details, stack }: SentError): Error {
  const error =
    code === undefined ? new Error(message) : new CrewError(code as ErrorCode, message, { details });
  error.stack = stack;
  return error;
}

/** The side of a host: opens Works, executes commands, and sends their events. */
import { CrewError, type OpenWork, type Runtime, type Session, toOpenWork } from '@crewagent/core';
import type {
  HostReply,
  HostRequest,
  OpenRequest,
  Port,
  SentError,
  WorkReply,
  WorkState,
} from './host-messages.ts';

export type Openers = Pick<Runtime, 'createWork' | 'openRun' | 'openConversation' | 'store'>;

interface ServedWork {
  readonly work: OpenWork;
  /** The state, if it is not the one that was sent last. */
  changedState(): WorkState | undefined;
}

export function serveWorks(port: Port<HostReply, HostRequest>, runtime: Openers): void {
  const works = new Map<number, ServedWork>();
  const send = createSender(port);

  const open = async (id: number, request: OpenRequest): Promise<void> => {
    const work = await openWork(runtime, request);
    const served = toServed(work);
    works.set(id, served);
    work.subscribe((event) => send({ kind: 'event', work: id, event, state: served.changedState() }));
    send({ kind: 'done', id, value: undefined, state: served.changedState() });
  };
  const call = async ({
    id,
    work,
    method,
    args,
    acceptAt,
  }: HostRequest & { kind: 'call' }): Promise<void> => {
    const served = works.get(work);
    if (!served) throw new Error(`the Work ${work} is not open`);
    const onAccepted = (value: unknown): void =>
      send({ kind: 'accepted', id, value, state: served.changedState() });
    const withCallback = args.map((arg, at) => (at === acceptAt ? { ...(arg as object), onAccepted } : arg));
    const value = await callWork(served.work, method, withCallback);
    if (method === 'close') works.delete(work);
    send({ kind: 'done', id, value, state: served.changedState() });
  };
  port.on('message', (message) => {
    const served = message.kind === 'call' ? works.get(message.work) : undefined;
    (message.kind === 'open' ? open(message.id, message.request) : call(message)).catch((error: unknown) =>
      send({
        kind: 'failed',
        id: message.id,
        error: toSentError(error),
        state: served?.changedState(),
      }),
    );
  });
}

/** Sends the replies of one round of the event loop as one message: a message costs more than what is in it. */
function createSender(port: Port<HostReply, HostRequest>): (reply: WorkReply) => void {
  let replies: WorkReply[] = [];
  const flush = (): void => {
    const sent = replies;
    replies = [];
    port.postMessage({ kind: 'works', replies: sent });
  };
  return (reply) => {
    if (replies.push(reply) === 1) setImmediate(flush);
  };
}

export async function openWork(runtime: Openers, request: OpenRequest): Promise<OpenWork> {
  if ('create' in request) {
    const { create } = request;
    return 'kind' in create ? runtime.createWork(create) : toOpenWork(await runtime.createWork(create));
  }
  const { workId, model } = request;
  const { workflowRef } = await runtime.store.works.read(await runtime.store.works.find(workId));
  return workflowRef === undefined
    ? openSession(runtime, workId, model)
    : toOpenWork(await runtime.openRun(workId, { model: { model } }));
}

/** Opens the conversation with `model` if its own model is no longer available. */
async function openSession(runtime: Openers, workId: string, model: string | undefined): Promise<Session> {
  const surface = 'web';
  try {
    return await runtime.openConversation(workId, { surface });
  } catch (error) {
    if (!(error instanceof CrewError) || model === undefined) throw error;
    if (['RUN_LOCKED', 'CONVERSATION_NOT_FOUND'].includes(error.code)) throw error;
    return runtime.openConversation(workId, { surface, model: { model } });
  }
}

export async function callWork(
  work: OpenWork,
  method: (HostRequest & { kind: 'call' })['method'],
  args: readonly unknown[],
): Promise<unknown> {
  if (method === 'pending') return work.pending;
  const command = (work as unknown as Record<string, (...args: readonly unknown[]) => unknown>)[method];
  if (!command) throw new CrewError('USAGE', 'This is a standalone run. Start a conversation to do that.');
  return command.apply(work, [...args]);
}

function toServed(work: OpenWork): ServedWork {
  let sent: WorkState | undefined;
  return {
    work,
    changedState() {
      const { record, isRunning, activeRunId, stop } = toWorkState(work);
      const isSame =
        sent?.record === record &&
        sent.isRunning === isRunning &&
        sent.activeRunId === activeRunId &&
        sent.stop.mode === stop.mode &&
        sent.stop.phase === stop.phase &&
        sent.stop.reason === stop.reason &&
        sent.stop.refusal === stop.refusal;
      if (isSame) return undefined;
      sent = { record, isRunning, activeRunId, stop };
      return sent;
    },
  };
}

export function toWorkState(work: OpenWork): WorkState {
  const { record, isRunning, activeRunId } = work;
  return { record, isRunning, activeRunId, stop: work.state() };
}

export function toSentError(error: unknown): SentError {
  if (error instanceof CrewError) {
    const { code, message, details, stack } = error;
    return { code, message, details, stack };
  }
  return error instanceof Error ? { message: error.message, stack: error.stack } : { message: String(error) };
}

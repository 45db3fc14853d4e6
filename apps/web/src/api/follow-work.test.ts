import { type ApiClient, ApiError } from '@crewagent/protocol/api/client';
import { createStory } from '@crewagent/protocol/story/story';
import { describe, expect, it } from 'vitest';
import { agentStoryLog, conversationIdOf } from '../testing/logs.ts';
import { requestEarly } from './early-work.ts';
import { followWork } from './follow-work.ts';
import { createMessageQueue } from './message-queue.ts';

const workId = conversationIdOf(agentStoryLog);
const entered = agentStoryLog.find(({ type }) => type === 'run.entered');
if (entered?.type !== 'run.entered') throw new Error('The log enters no run.');
const runId = entered.enteredRunId;

/** An API whose streams the test fills. */
function createWire(failures: { readonly show?: unknown[]; readonly fetch?: unknown[] } = {}) {
  const own = createMessageQueue<unknown>();
  const run = createMessageQueue<unknown>();
  const asked: string[] = [];
  let shows = 0;
  const client = {
    works: {
      show: ({ workId: id }: { workId: string }) => {
        shows++;
        return id === runId
          ? answer(failures.fetch, { view: { ...createStory(runId), lastSeq: 99 } })
          : answer(failures.show, {
              state: { kind: 'agent', runIds: [] },
              view: { ...createStory(workId), lastSeq: 2 },
              runs: {},
            });
      },
      events: ({ workId: id, query }: { workId: string; query: { after?: string } }) => {
        asked.push(id === runId ? 'run' : `own after ${query.after}`);
        return (id === runId ? run : own).read();
      },
    },
  };
  return { own, run, asked, shows: () => shows, client: client as unknown as ApiClient };
}

/** Rejects once with each failure, then resolves. */
function answer<T>(failures: unknown[] | undefined, value: T): Promise<T> {
  const failure = failures?.shift();
  return failure === undefined ? Promise.resolve(value) : Promise.reject(failure as Error);
}

const refusal = (status: number, message: string) => new ApiError(status, { code: 'X', message });

describe('following a conversation', () => {
  it('follows the run that is entered, and fetches a run once more after it was left', async () => {
    const { own, run, asked, client } = createWire();
    const controller = new AbortController();
    const stream = followWork(client, workId, {
      signal: controller.signal,
      onState: () => undefined,
    });
    const next = async () => (await stream.next()).value;
    expect(await next()).toMatchObject({ type: 'snapshot' });
    own.push({ type: 'event', data: entered });
    expect(await next()).toEqual({ type: 'event', data: entered });
    run.push({ type: 'streaming', data: { text: 'a', reasoning: '' } });
    expect(await next()).toEqual({ type: 'streaming', data: { runId, text: 'a', reasoning: '' } });
    expect(asked).toEqual(['own after 2', 'run']);
    own.push({ type: 'event', data: { type: 'run.left', leftRunId: runId } });
    expect(await next()).toMatchObject({ type: 'event', data: { type: 'run.left' } });
    expect(await next()).toMatchObject({ type: 'run', data: { runId, lastSeq: 99 } });
    controller.abort();
    expect(await next()).toBeUndefined();
  });

  it('[U116] ends with the error of the server if a retry would not help', async () => {
    const { own, client } = createWire();
    const stream = followWork(client, workId, {
      signal: new AbortController().signal,
      onState: () => undefined,
    });
    await stream.next();
    own.end(new Error('It is gone.'));
    await expect(stream.next()).rejects.toThrow('It is gone.');
  });

  it('[U116] retries after a temporary failure and reports it meanwhile', async () => {
    const { client } = createWire({ show: [new TypeError('Failed to fetch'), refusal(503, 'Busy.')] });
    const states: string[] = [];
    const stream = followWork(client, workId, {
      signal: new AbortController().signal,
      onState: (state) => states.push(state),
      firstWaitMs: 1,
    });
    expect((await stream.next()).value).toMatchObject({ type: 'snapshot' });
    expect(states).toEqual(['broken', 'broken']);
  });

  it('[U116] takes the response that was requested early, once, and asks again if that failed', async () => {
    const { client, shows } = createWire({ show: [new TypeError('Failed to fetch')] });
    const follow = () =>
      followWork(client, workId, {
        signal: new AbortController().signal,
        onState: () => undefined,
        firstWaitMs: 1,
      });
    requestEarly(client, workId);
    expect((await follow().next()).value).toMatchObject({ type: 'snapshot' });
    expect(shows()).toBe(2);
    requestEarly(client, workId);
    expect((await follow().next()).value).toMatchObject({ type: 'snapshot' });
    expect(shows()).toBe(3);
    expect((await follow().next()).value).toMatchObject({ type: 'snapshot' });
    expect(shows()).toBe(4);
  });

  it('[U116] does not retry rejected requests, nor after the listener is gone', async () => {
    const none = createWire({ show: [refusal(404, 'There is no such conversation.')] });
    const controller = new AbortController();
    const { signal } = controller;
    const refused = followWork(none.client, workId, { signal, onState: () => undefined });
    await expect(refused.next()).rejects.toThrow('There is no such conversation.');
    const failing = createWire({ show: [new TypeError('Failed to fetch')] });
    const left = followWork(failing.client, workId, {
      signal,
      onState: () => controller.abort(),
    });
    await expect(left.next()).rejects.toThrow();
  });

  it.each([
    ['passes', new TypeError('Failed to fetch'), ['run.left', 'run', 'streaming']],
    ['does not', refusal(404, 'It is gone.'), ['run.left', 'streaming']],
  ])(
    '[U116] continues if fetching a run that was left fails and the failure %s',
    async (_, failure, expected) => {
      const { own, client } = createWire({ fetch: [failure] });
      const stream = followWork(client, workId, {
        signal: new AbortController().signal,
        onState: () => undefined,
        firstWaitMs: 1,
      });
      const next = async () => {
        const { value } = await stream.next();
        return value?.type === 'event' ? value.data.type : value?.type;
      };
      await next();
      own.push({ type: 'event', data: entered });
      await next();
      own.push({ type: 'event', data: { type: 'run.left', leftRunId: runId } });
      const came = [];
      for (const _ of expected.slice(1)) came.push(await next());
      own.push({ type: 'streaming', data: { text: 'a', reasoning: '' } });
      came.push(await next());
      expect(came).toEqual(expected);
    },
  );

  it('[Q44] follows a sub-workflow while it runs, and fetches it once more after it has returned', async () => {
    const { own, run, asked, client } = createWire();
    const stream = followWork(client, workId, {
      signal: new AbortController().signal,
      onState: () => undefined,
    });
    const next = async () => (await stream.next()).value;
    await next();
    own.push({ type: 'event', data: { type: 'call.started', nodeId: 'n', childId: runId, runId: workId } });
    expect(await next()).toMatchObject({ type: 'event', data: { type: 'call.started' } });
    run.push({ type: 'streaming', data: { text: 'a', reasoning: '' } });
    expect(await next()).toEqual({ type: 'streaming', data: { runId, text: 'a', reasoning: '' } });
    expect(asked).toEqual(['own after 2', 'run']);
    own.push({ type: 'event', data: { type: 'call.ended', nodeId: 'n', childId: runId, runId: workId } });
    expect(await next()).toMatchObject({ type: 'event', data: { type: 'call.ended' } });
    expect(await next()).toMatchObject({ type: 'run', data: { runId, lastSeq: 99 } });
  });

  it('[U15] fetches a sub-workflow that was over before anything of its caller arrived', async () => {
    const { own, run, client } = createWire();
    const stream = followWork(client, workId, {
      signal: new AbortController().signal,
      onState: () => undefined,
    });
    const next = async () => (await stream.next()).value;
    await next();
    own.push({ type: 'event', data: entered });
    await next();
    const call = { nodeId: 'n', childId: 'k', title: 'Kitchen', outcome: 'completed' };
    const view = { ...createStory(runId), lastSeq: 5, calls: [call] };
    run.push({ type: 'snapshot', data: { state: {}, view, seq: 5 } });
    expect(await next()).toMatchObject({ type: 'run', data: { runId } });
    expect(await next()).toMatchObject({ type: 'run', data: { lastSeq: 2 } });
  });

  it('[U66] fetches the runs that are over again after another snapshot, and none that it follows', async () => {
    const { own, run, client } = createWire();
    const stream = followWork(client, workId, {
      signal: new AbortController().signal,
      onState: () => undefined,
    });
    const next = async () => (await stream.next()).value;
    const snapshot = { type: 'snapshot', data: { state: {}, view: createStory(workId), seq: 3 } };
    await next();
    own.push({ type: 'event', data: { type: 'call.started', nodeId: 'n', childId: runId, runId: workId } });
    await next();
    own.push(snapshot);
    expect(await next()).toMatchObject({ type: 'own' });
    run.push({ type: 'streaming', data: { text: 'a', reasoning: '' } });
    expect(await next()).toMatchObject({ type: 'streaming' });
    own.push({ type: 'event', data: { type: 'call.ended', nodeId: 'n', childId: runId, runId: workId } });
    await next();
    await next();
    own.push(snapshot);
    expect(await next()).toMatchObject({ type: 'own' });
    expect(await next()).toMatchObject({ type: 'run', data: { runId, lastSeq: 99 } });
  });
});

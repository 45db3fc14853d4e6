import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { createRuntime, createStoreLayout, showWork } from '@crewagent/core';
import { createApiClient } from '@crewagent/protocol/api/client';
import { createFrameReader } from '@crewagent/protocol/api/server-sent-events';
import { addWorkMessage, toStory, type WorkMessage } from '@crewagent/protocol/api/work-messages';
import { isDelta, isTextDelta } from '@crewagent/protocol/event-kinds';
import type { RunFact } from '@crewagent/protocol/events';
import { addPage } from '@crewagent/protocol/story/pages';
import type { Story } from '@crewagent/protocol/story/story';
import type { WorkStory } from '@crewagent/protocol/story/work-story';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openRunLog } from '../../../core/src/store/disk/log/run-log.ts';
import {
  rawReply,
  streamReply,
  textReply,
  toolCallReply,
} from '../../../core/src/testing/models/provider-replies.ts';
import {
  ANSWERS,
  addScriptedModel,
  createServerRig,
  makeRun,
  prepare,
  type RigOrServer,
  startTestServer,
  until,
} from '../testing/server-rig.ts';
import {
  isCompleted,
  isIdleWith,
  prepareThreads,
  reloaded,
  timelineOf,
  watchWork,
} from '../testing/thread-rig.ts';

const KEY = 'sk-0123456789-of-the-model';

const isIdleMessage = (message: WorkMessage): boolean =>
  message.type === 'event' && message.data.type === 'phase.changed' && message.data.phase !== 'Running';

const isSeq = (seq: number) => (message: WorkMessage) =>
  (message.type === 'event' && message.data.seq === seq) ||
  (message.type === 'snapshot' && message.data.seq === seq);

/** Sequence numbers of the events that are not deltas; of all logs, or of one. */
const seqsOf = (messages: readonly WorkMessage[], id?: string): number[] =>
  messages.flatMap((message) =>
    message.type === 'event' && !isDelta(message.data) && (id ?? message.data.runId) === message.data.runId
      ? [message.data.seq]
      : [],
  );

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

function fold(messages: readonly WorkMessage[]): Story | undefined {
  let view: WorkStory | undefined;
  for (const message of messages) view = addWorkMessage(view, message);
  return view?.own;
}

/** Appends to the log as another process does. */
async function openForeignLog({ root }: RigOrServer, workId: string) {
  const { store } = createRuntime({ storeRoot: join(root, 'store') });
  const { log: file } = createStoreLayout(store.root).work(await store.works.find(workId));
  const log = await openRunLog({ file, runId: workId, now: () => new Date() });
  onTestFinished(() => log.close());
  return log;
}

/** Awaited before a run starts: afterwards the snapshot may already contain the end. */
async function readFirst<Message>(stream: AsyncGenerator<Message, void>): Promise<Message> {
  const next = await stream.next();
  if (next.done) throw new Error('The stream ended before its first message.');
  return next.value;
}

const warning = (count: number, length = 0): RunFact => ({
  type: 'warning',
  message: `${count}${'x'.repeat(length)}`,
});

describe('the stream of a Work', () => {
  it('[H40] sends a snapshot and then each event, and folds to the view after a reload', async () => {
    const rig = await createServerRig();
    const workId = await makeRun(rig, 'rehearsal', { isHeldBack: true });
    const stream = rig.client.works.events({ workId });
    const first = await readFirst(stream);
    expect(first).toMatchObject({ type: 'snapshot', data: { seq: 1 } });
    const watching = until(stream, isIdleMessage);
    await rig.client.works.resume({ workId, body: {} });
    const messages = [first, ...(await watching)];
    const { view } = await rig.client.works.show({ workId });
    expect(seqsOf(messages)).toEqual(range(2, view.lastSeq));
    expect(messages.some((message) => message.type === 'event' && isDelta(message.data))).toBe(true);
    expect(JSON.parse(JSON.stringify(fold(messages)))).toEqual(JSON.parse(JSON.stringify(view)));
    const later = await until(rig.client.works.events({ workId }), () => true);
    expect(JSON.parse(JSON.stringify(fold(later)))).toEqual(JSON.parse(JSON.stringify(view)));
  });

  it('[H40] is rejected for an unknown Work', async () => {
    const { client } = await createServerRig();
    const workId = '01a1de7a-846b-7205-b1df-136fc8f565ee';
    await expect(until(client.works.events({ workId }), () => true)).rejects.toMatchObject({
      code: 'WORK_NOT_FOUND',
      status: 404,
    });
  });

  it('[L73] [H40] masks a key that a model repeats, and folds to the view after a reload', async () => {
    const server = await startTestServer({ env: { CREWAGENT_API_KEY: KEY } });
    await addScriptedModel(server.client, [
      streamReply({ text: `I was given ${KEY}?`, reasoning: `It is ${KEY}.`, pieceLength: 3 }),
    ]);
    const workId = await makeRun(server, 'scripted', { isHeldBack: true });
    const stream = server.client.works.events({ workId });
    const first = await readFirst(stream);
    const watching = until(stream, isIdleMessage);
    await server.client.works.resume({ workId, body: {} });
    const messages = [first, ...(await watching)];
    expect(JSON.stringify(messages)).not.toContain(KEY);
    const deltas = messages.map((message) =>
      message.type === 'event' && message.data.type === 'message.delta' ? message.data.text : '',
    );
    expect(deltas.join('')).toMatch(/^I was given \[API key hidden: [0-9a-f]{32}\]\?$/);
    const shown = await server.client.works.show({ workId });
    expect(JSON.parse(JSON.stringify(fold(messages)))).toEqual(JSON.parse(JSON.stringify(shown.view)));
    expect(JSON.stringify(shown)).not.toContain(KEY);
  });

  it.each([
    ['a run', { kind: 'run' }, { kind: 'workflow' }],
    [
      'a conversation',
      { kind: 'agent', input: 'good day to you' },
      { kind: 'agent', agent: { name: 'Nora' } },
    ],
  ] as const)('[H40] continues after the last event that was seen: %s', async (_, choice, state) => {
    const rig = await createServerRig();
    const ready = await prepare(rig);
    const { works } = rig.client;
    const { workId } = await works.create({ body: { ...ready, model: 'rehearsal', ...choice } });
    const all = seqsOf(await until(works.events({ workId, query: { after: '0' } }), isIdleMessage));
    const last = all.at(-1) ?? 0;
    expect(all).toEqual(range(1, last));
    for (const lastEventId of ['1', '4', String(last - 1)]) {
      const missed = await until(works.events({ workId }, { lastEventId }), isSeq(last));
      expect(seqsOf(missed)).toEqual(range(Number(lastEventId) + 1, last));
    }
    for (const lastEventId of [String(last + 5), '-1', 'x', '1e3', '9'.repeat(40)]) {
      const [first] = await until(works.events({ workId }, { lastEventId }), () => true);
      expect(first).toMatchObject({
        type: 'snapshot',
        data: { seq: last, state, view: { phase: 'WaitingUser' } },
      });
    }
  });

  it('[H40] reads events from the log that are no longer buffered, and sends a snapshot if there are too many', async () => {
    const rig = await createServerRig();
    const workId = await makeRun(rig, 'rehearsal', { isHeldBack: true });
    await rig.client.projects.close({ projectId: (await rig.client.works.show({ workId })).work.projectId });
    const log = await openForeignLog(rig, workId);
    for (let count = 0; count < 6_000; count++) log.append(warning(count));
    const last = log.lastSeq;
    const missed = await until(
      rig.client.works.events({ workId }, { lastEventId: String(last - 3_000) }),
      isSeq(last),
    );
    expect(seqsOf(missed)).toEqual(range(last - 2_999, last));
    const [first] = await until(rig.client.works.events({ workId }, { lastEventId: '1' }), () => true);
    expect(first).toMatchObject({ type: 'snapshot', data: { seq: last } });
  });

  it('begins with the last items of a long log, and has the earlier ones on demand', async () => {
    const rig = await createServerRig();
    const workId = await makeRun(rig, 'rehearsal', { isHeldBack: true });
    await rig.client.projects.close({ projectId: (await rig.client.works.show({ workId })).work.projectId });
    const log = await openForeignLog(rig, workId);
    for (let count = 0; count < 3_000; count++) log.append(warning(count, 2_000));
    const { view } = await rig.client.works.show({ workId });
    expect(JSON.stringify(view).length).toBeLessThan(1_000_000);
    const [first] = await until(rig.client.works.events({ workId }), () => true);
    expect(fold(first ? [first] : [])).toMatchObject({ lastSeq: log.lastSeq, earlier: view.earlier });
    const story = toStory(view);
    while (story.earlier) {
      const query = { before: String(story.earlier.before), limit: '5000' };
      const page = await rig.client.works.items({ workId, query });
      expect(page.items.length).toBeLessThanOrEqual(1_000);
      addPage(story, page, Number(query.before));
    }
    const numbers = story.timeline.flatMap((item) =>
      item.kind === 'notice' ? [Number.parseInt(item.message, 10)] : [],
    );
    expect(numbers).toEqual(range(0, 2_999));
    await expect(rig.client.works.items({ workId: 'none' })).rejects.toThrow();
  });

  it('[H40] sends the whole reply in progress to a reader that joins in the middle', async () => {
    const rig = await createServerRig();
    let continueRun: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      continueRun = resolve;
    });
    const whole = [
      ...(streamReply({ text: 'One two three four five six?', pieceLength: 4 }).chunks as string[]),
    ];
    await addScriptedModel(rig.client, [
      rawReply({
        async *[Symbol.asyncIterator]() {
          yield* whole.slice(0, 4);
          await gate;
          yield* whole.slice(4);
        },
      }),
    ]);
    const workId = await makeRun(rig, 'scripted');
    const seen = await until(
      rig.client.works.events({ workId }),
      (message) =>
        (message.type === 'event' &&
          message.data.type === 'message.delta' &&
          message.data.text.includes('thre')) ||
        (message.type === 'snapshot' && message.data.view.streaming?.text === 'One two thre'),
    );
    expect(fold(seen)?.streaming?.text).toBe('One two thre');
    const lastSeq = fold(seen)?.lastSeq ?? 0;
    const fresh = until(rig.client.works.events({ workId }), isIdleMessage);
    const back = until(rig.client.works.events({ workId }, { lastEventId: String(lastSeq) }), isIdleMessage);
    const [firstFresh, firstBack] = await Promise.all([
      until(rig.client.works.events({ workId }), () => true),
      until(rig.client.works.events({ workId }, { lastEventId: String(lastSeq) }), () => true),
    ]);
    expect(firstFresh[0]).toMatchObject({
      type: 'snapshot',
      data: { view: { streaming: { text: 'One two thre' } } },
    });
    expect(firstBack[0]).toEqual({ type: 'streaming', data: { text: 'One two thre', reasoning: '' } });
    continueRun();
    for (const messages of [await fresh, await back]) {
      const deltas = messages.flatMap((message) =>
        message.type === 'event' && message.data.type === 'message.delta' ? [message.data.text] : [],
      );
      expect(deltas.join('')).toBe('e four five six?');
    }
  });

  it('joins the deltas of a fast reply, and folds to the view after a reload', async () => {
    const rig = await createServerRig();
    const text = Array.from({ length: 4_000 }, (_, at) => `word ${at}?`).join('');
    await addScriptedModel(rig.client, [
      streamReply({ text, reasoning: 'Think. '.repeat(500), pieceLength: 9 }),
    ]);
    const workId = await makeRun(rig, 'scripted', { isHeldBack: true });
    const stream = rig.client.works.events({ workId });
    const first = await readFirst(stream);
    const watching = until(stream, isIdleMessage);
    await rig.client.works.resume({ workId, body: {} });
    const messages = [first, ...(await watching)];
    const deltas = messages.flatMap((message) =>
      message.type === 'event' && isTextDelta(message.data) ? [message.data] : [],
    );
    const joinedText = (type: string): string =>
      deltas.flatMap((delta) => (delta.type === type ? [delta.text] : [])).join('');
    expect(joinedText('message.delta')).toBe(text);
    expect(joinedText('reasoning.delta')).toBe('Think. '.repeat(500));
    // About 4,900 pieces came in.
    expect(deltas.length).toBeLessThan(500);
    const { view } = await rig.client.works.show({ workId });
    expect(JSON.parse(JSON.stringify(fold(messages)))).toEqual(JSON.parse(JSON.stringify(view)));
  });

  it('[H40] lets a reader that stopped reading catch up, without blocking others', async () => {
    const server = await startTestServer({ timing: { pollEveryMs: 5 } });
    const workId = await makeRun(server, 'rehearsal', { isHeldBack: true });
    await server.client.projects.close({
      projectId: (await server.client.works.show({ workId })).work.projectId,
    });
    const { port, token } = server;
    const messages: WorkMessage[] = [];
    const frames = createFrameReader(({ event, data }) =>
      messages.push({ type: event || 'event', data: JSON.parse(data) as unknown } as WorkMessage),
    );
    const path = `/api/v1/works/${workId}/events`;
    const request = get({ host: '127.0.0.1', port, path, headers: { authorization: `Bearer ${token}` } });
    onTestFinished(() => void request.destroy());
    const [slow] = (await once(request, 'response')) as [IncomingMessage];
    slow.setEncoding('utf8').on('data', (text: string) => frames.read(text));
    await once(slow, 'data');
    slow.pause();

    const log = await openForeignLog(server, workId);
    const wanted = 12_000;
    const fast = until(server.client.works.events({ workId }), isSeq(wanted));
    for (let count = log.lastSeq; count < wanted; count++) {
      log.append(warning(count, 1_500));
      if (count % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    // The reader that reads gets everything while the other one does not.
    const seen = await fast;
    expect(fold(seen)?.lastSeq).toBe(wanted);

    slow.resume();
    await expect.poll(() => messages.at(-1)?.data, { timeout: 20_000 }).toMatchObject({ seq: wanted });
    expect(fold(messages)?.lastSeq).toBe(wanted);
    expect(messages.filter(({ type }) => type === 'snapshot').length).toBeGreaterThan(1);
    expect(seqsOf(messages).length).toBeLessThan(wanted - 1);
    expect(seqsOf(messages)).toEqual([...seqsOf(messages)].sort((a, b) => a - b));
  });

  it('[H40] follows a run that another process works on', async () => {
    const rig = await createServerRig({ timing: { pollEveryMs: 5, keepMs: 1 } });
    const workId = await makeRun(rig, 'rehearsal', { isHeldBack: true });
    const other = createRuntime({ storeRoot: join(rig.root, 'store') });
    await expect.poll(async () => (await rig.client.works.show({ workId })).isOpen).toBe(false);
    const run = await other.openRun(workId);
    onTestFinished(() => run.close());
    const stream = rig.client.works.events({ workId });
    expect(await readFirst(stream)).toMatchObject({ type: 'snapshot' });
    const watching = until(stream, isIdleMessage);
    await run.engine.start();
    const messages = await watching;
    const readLastSeq = async (): Promise<number> =>
      (await showWork(other.store, await other.store.works.find(workId))).view.own.lastSeq;
    expect(seqsOf(messages).at(-1)).toBe(await readLastSeq());
    await expect(rig.client.works.resume({ workId, body: {} })).rejects.toMatchObject({ code: 'RUN_LOCKED' });
    await run.close();
    const lastSeq = await readLastSeq();
    const continuing = until(
      rig.client.works.events({ workId }, { lastEventId: String(lastSeq) }),
      isIdleMessage,
    );
    await rig.client.works.resume({ workId, body: {} });
    expect(seqsOf(await continuing)[0]).toBe(lastSeq + 1);
  });
});

describe('fifty readers', () => {
  it('[H40] see every event once and in order, despite broken connections', async () => {
    const server = await startTestServer();
    const turns = 25;
    await addScriptedModel(server.client, (_, index) =>
      index < turns
        ? toolCallReply([
            { name: 'fs_write', arguments: { path: `@project/artifacts/${index}.md`, content: `${index}` } },
          ])
        : textReply('That was all.'),
    );
    const workId = await makeRun(server, 'scripted', { isHeldBack: true });
    const { url: baseUrl, token } = server;
    let torn = 0;
    /** Breaks every stream after a few chunks. */
    const tearing: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (!response.body) return response;
      let left = 1 + Math.floor(Math.random() * 20);
      const tear = new TransformStream<Uint8Array, Uint8Array>({
        transform(piece, controller) {
          if (left-- > 0) controller.enqueue(piece);
          else {
            torn++;
            controller.error(new Error('torn off'));
          }
        },
      });
      return new Response(response.body.pipeThrough(tear), response);
    };
    const readers = Array.from({ length: 20 }, () => {
      const client = createApiClient({ baseUrl, token, fetch: tearing });
      return until(client.works.events({ workId, query: { after: '0' } }, { firstWaitMs: 1 }), isIdleMessage);
    });
    await server.client.works.resume({ workId, body: {} });
    const all = await Promise.all(readers);
    const { lastSeq } = (await server.client.works.show({ workId })).view;
    expect(lastSeq).toBeGreaterThan(turns * 4);
    for (const messages of all) {
      expect(messages.filter(({ type }) => type === 'snapshot')).toEqual([]);
      expect(seqsOf(messages)).toEqual(range(1, lastSeq));
    }
    expect(torn).toBeGreaterThan(100);
  });
});

describe('the streams of a conversation', () => {
  it('[H40] fold to the view after a reload, over a real connection', async () => {
    const server = await startTestServer();
    const { client } = server;
    const ready = await prepare(server);
    const body = { ...ready, kind: 'agent', model: 'rehearsal' } as const;
    const { workId } = await client.works.create({ body });
    const watcher = watchWork(client, workId);
    await watcher.until(({ own }) => own.lastSeq > 0);
    await client.works.input({ workId, body: { text: 'good day to you, Nora' } });
    await watcher.until(isIdleWith('reply'));
    expect(await client.works.input({ workId, body: { text: '1' } })).toMatchObject({
      mode: 'run',
    });
    const atQuestion = await watcher.until(isIdleWith('question'));
    const [runId = ''] = atQuestion.state.runIds;
    const callId = atQuestion.runs.get(runId)?.pending?.callId ?? '';
    await client.works.answer({ workId, body: { callId, answers: ANSWERS } });
    await watcher.until(isCompleted);
    const live = timelineOf(watcher.view);
    expect(live).toEqual(timelineOf(await reloaded(client, workId)));
    const later = watchWork(client, workId);
    await later.until(isCompleted);
    expect(timelineOf(later.view)).toEqual(live);
    for (const id of [workId, runId]) {
      const seqs = seqsOf(watcher.messages, id);
      expect(seqs).toEqual(seqs.map((_, index) => (seqs[0] ?? 0) + index));
    }
  });

  it('[H40] show two clients the same, whichever of them sends input', async () => {
    const server = await startTestServer();
    const { url: baseUrl, token } = server;
    await addScriptedModel(server.client, (_, index) => textReply(`Reply ${index}.`));
    const ready = await prepareThreads(server);
    const clients = [server.client, createApiClient({ baseUrl, token })] as const;
    const body = { ...ready, kind: 'agent', model: 'scripted' } as const;
    const { workId } = await clients[0].works.create({ body });
    const watchers = clients.map((client) => watchWork(client, workId));
    for (let count = 0; count < 4; count++) {
      const text = `this is line number ${count}`;
      await clients[count % 2]?.works.input({ workId, body: { text } });
    }
    const isDone = ({ own }: WorkStory): boolean =>
      own.phase === 'WaitingUser' &&
      own.queued.length === 0 &&
      own.timeline.filter(({ kind }) => kind === 'person').length === 4;
    for (const watcher of watchers) await watcher.until(isDone);
    const shown = timelineOf(await reloaded(server.client, workId));
    for (const watcher of watchers) expect(timelineOf(watcher.view)).toEqual(shown);
  });
});

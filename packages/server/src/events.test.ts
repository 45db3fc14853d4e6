import { once } from 'node:events';
import { utimes } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { createRuntime } from '@crewagent/core';
import { createApiClient } from '@crewagent/protocol/api/client';
import { addRunMessage, type RunMessage } from '@crewagent/protocol/api/run-messages';
import { createFrameReader } from '@crewagent/protocol/api/server-sent-events';
import type { WorkMessage } from '@crewagent/protocol/api/work-messages';
import type { RunFact } from '@crewagent/protocol/events';
import type { RunView } from '@crewagent/protocol/run-view';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openRunLog } from '../../core/src/store/run-log.ts';
import { writeStoreFile } from '../../core/src/store/store-file.ts';
import { branchingPackage } from '../../core/src/testing/branching-package.ts';
import { writeTree } from '../../core/src/testing/file-tree.ts';
import { rawReply, streamReply, textReply, toolCallReply } from '../../core/src/testing/provider-replies.ts';
import { createServerParts } from './server-parts.ts';
import {
  addScriptedModel,
  createServerRig,
  type LiveServer,
  prepare,
  type ServerRig,
  startTestServer,
  until,
} from './testing/server-rig.ts';

const KEY = 'sk-0123456789-of-the-model';

const rests = (message: RunMessage): boolean =>
  message.type === 'event' && message.data.type === 'phase.changed' && message.data.phase !== 'Running';

const isSeq = (seq: number) => (message: RunMessage) =>
  (message.type === 'event' && message.data.seq === seq) ||
  (message.type === 'snapshot' && message.data.seq === seq);

const seqsOf = (messages: readonly RunMessage[]): number[] =>
  messages.flatMap((message) => (message.type === 'event' && !isDelta(message) ? [message.data.seq] : []));

const isDelta = (message: RunMessage): boolean =>
  message.type === 'event' && message.data.type.endsWith('.delta');

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

function fold(messages: readonly RunMessage[]): RunView | undefined {
  let view: RunView | undefined;
  for (const message of messages) view = addRunMessage(view, message);
  return view;
}

type Rig = Pick<ServerRig | LiveServer, 'client' | 'project' | 'root'>;

async function makeRun(rig: Rig, model = 'rehearsal', more: { isHeldBack?: boolean } = {}): Promise<string> {
  await writeTree(join(rig.root, 'package'), branchingPackage());
  const ready = await prepare(rig, model === 'rehearsal' ? undefined : join(rig.root, 'package'));
  const limits = { maxTurns: 1_000 };
  return (await rig.client.runs.create({ body: { ...ready, model, limits, ...more } })).runId;
}

/** Another process, as far as the server can tell. */
async function openForeignLog({ root, client }: Rig, runId: string) {
  const { projectId } = (await client.runs.show({ runId })).run;
  const { store } = createRuntime({ storeRoot: join(root, 'store') });
  const log = await openRunLog({ file: store.run({ projectId, runId }).log, runId, now: () => new Date() });
  onTestFinished(() => log.close());
  return log;
}

const warning = (count: number, length = 0): RunFact => ({
  type: 'warning',
  message: `${count}${'x'.repeat(length)}`,
});

describe('the stream of a run', () => {
  it('[H40] is a snapshot and then each event, and folds to what a reload shows', async () => {
    const rig = await createServerRig();
    const runId = await makeRun(rig, 'rehearsal', { isHeldBack: true });
    const watching = until(rig.client.runs.events({ runId }), rests);
    await rig.client.runs.resume({ runId, body: {} });
    const messages = await watching;
    const [first] = messages;
    expect(first).toMatchObject({ type: 'snapshot', data: { seq: 1 } });
    const { view } = await rig.client.runs.show({ runId });
    expect(seqsOf(messages)).toEqual(range(2, view.lastSeq));
    expect(messages.some(isDelta)).toBe(true);
    expect(JSON.parse(JSON.stringify(fold(messages)))).toEqual(JSON.parse(JSON.stringify(view)));
    const later = await until(rig.client.runs.events({ runId }), () => true);
    expect(JSON.parse(JSON.stringify(fold(later)))).toEqual(JSON.parse(JSON.stringify(view)));
  });

  it('[H40] is refused for a run that is not there', async () => {
    const { client } = await createServerRig();
    const runId = '01a1de7a-846b-7205-b1df-136fc8f565ee';
    await expect(until(client.runs.events({ runId }), () => true)).rejects.toMatchObject({
      code: 'RUN_NOT_FOUND',
    });
  });

  it('[L73] [H40] shows no key that a model repeats, and folds to what a reload shows', async () => {
    const server = await startTestServer({ env: { CREWAGENT_API_KEY: KEY } });
    await addScriptedModel(server.client, [
      streamReply({ text: `I was given ${KEY}.`, reasoning: `It is ${KEY}.`, pieceLength: 3 }),
    ]);
    const runId = await makeRun(server, 'scripted', { isHeldBack: true });
    const watching = until(server.client.runs.events({ runId }), rests);
    await server.client.runs.resume({ runId, body: {} });
    const messages = await watching;
    expect(JSON.stringify(messages)).not.toContain(KEY);
    const words = messages.map((message) =>
      message.type === 'event' && message.data.type === 'message.delta' ? message.data.text : '',
    );
    expect(words.join('')).toMatch(/^I was given \[API key hidden: [0-9a-f]{32}\]\.$/);
    const shown = await server.client.runs.show({ runId });
    expect(JSON.parse(JSON.stringify(fold(messages)))).toEqual(JSON.parse(JSON.stringify(shown.view)));
    expect(JSON.stringify(shown)).not.toContain(KEY);
  });

  it('[H41] goes on behind the last event that was seen', async () => {
    const rig = await createServerRig();
    const runId = await makeRun(rig);
    const all = seqsOf(await until(rig.client.runs.events({ runId, query: { after: '0' } }), rests));
    const last = all.at(-1) ?? 0;
    expect(all).toEqual(range(1, last));
    for (const lastEventId of ['1', '4', String(last - 1)]) {
      const missed = await until(rig.client.runs.events({ runId }, { lastEventId }), isSeq(last));
      expect(seqsOf(missed)).toEqual(range(Number(lastEventId) + 1, last));
    }
    for (const lastEventId of [String(last + 5), '-1', 'x', '1e3', '9'.repeat(40)]) {
      const [first] = await until(rig.client.runs.events({ runId }, { lastEventId }), () => true);
      expect(first).toMatchObject({ type: 'snapshot', data: { seq: last } });
    }
  });

  it('[H41] finds in the log what is no longer at hand, and gives up on too much', async () => {
    const rig = await createServerRig();
    const runId = await makeRun(rig, 'rehearsal', { isHeldBack: true });
    await rig.client.projects.close({ projectId: (await rig.client.runs.show({ runId })).run.projectId });
    const log = await openForeignLog(rig, runId);
    for (let count = 0; count < 6_000; count++) log.append(warning(count));
    const last = log.lastSeq;
    const missed = await until(
      rig.client.runs.events({ runId }, { lastEventId: String(last - 3_000) }),
      isSeq(last),
    );
    expect(seqsOf(missed)).toEqual(range(last - 2_999, last));
    const [first] = await until(rig.client.runs.events({ runId }, { lastEventId: '1' }), () => true);
    expect(first).toMatchObject({ type: 'snapshot', data: { seq: last } });
  });

  it('[H41] has the whole of the reply that is under way, for whoever comes in the middle', async () => {
    const rig = await createServerRig();
    let goOn: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const whole = [
      ...(streamReply({ text: 'One two three four five six.', pieceLength: 4 }).chunks as string[]),
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
    const runId = await makeRun(rig, 'scripted');
    const seen = await until(
      rig.client.runs.events({ runId }),
      (message) =>
        (message.type === 'event' &&
          message.data.type === 'message.delta' &&
          message.data.text.includes('thre')) ||
        (message.type === 'snapshot' && message.data.view.streaming?.text === 'One two thre'),
    );
    expect(fold(seen)?.streaming?.text).toBe('One two thre');
    const lastSeq = fold(seen)?.lastSeq ?? 0;
    const fresh = until(rig.client.runs.events({ runId }), rests);
    const back = until(rig.client.runs.events({ runId }, { lastEventId: String(lastSeq) }), rests);
    const [firstFresh, firstBack] = await Promise.all([
      until(rig.client.runs.events({ runId }), () => true),
      until(rig.client.runs.events({ runId }, { lastEventId: String(lastSeq) }), () => true),
    ]);
    expect(firstFresh[0]).toMatchObject({
      type: 'snapshot',
      data: { view: { streaming: { text: 'One two thre' } } },
    });
    expect(firstBack[0]).toEqual({ type: 'streaming', data: { text: 'One two thre', reasoning: '' } });
    goOn();
    for (const messages of [await fresh, await back]) {
      const words = messages.flatMap((message) =>
        message.type === 'event' && message.data.type === 'message.delta' ? [message.data.text] : [],
      );
      expect(words.join('')).toBe('e four five six.');
    }
  });

  it('[H42] lets a reader that stopped reading catch up, and keeps nobody waiting', async () => {
    const server = await startTestServer({ timing: { lookEveryMs: 5 } });
    const runId = await makeRun(server, 'rehearsal', { isHeldBack: true });
    await server.client.projects.close({
      projectId: (await server.client.runs.show({ runId })).run.projectId,
    });
    const { port, token } = server;
    const messages: RunMessage[] = [];
    const frames = createFrameReader(({ event, data }) =>
      messages.push({ type: event || 'event', data: JSON.parse(data) as unknown } as RunMessage),
    );
    const path = `/api/v1/runs/${runId}/events`;
    const request = get({ host: '127.0.0.1', port, path, headers: { authorization: `Bearer ${token}` } });
    onTestFinished(() => void request.destroy());
    const [slow] = (await once(request, 'response')) as [IncomingMessage];
    slow.setEncoding('utf8').on('data', (text: string) => frames.read(text));
    await once(slow, 'data');
    slow.pause();

    const log = await openForeignLog(server, runId);
    const wanted = 12_000;
    const fast = until(server.client.runs.events({ runId }), isSeq(wanted));
    for (let count = log.lastSeq; count < wanted; count++) {
      log.append(warning(count, 1_500));
      if (count % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    // The one who reads gets it all, while the other one does not.
    const seen = await fast;
    expect(fold(seen)?.lastSeq).toBe(wanted);

    slow.resume();
    await expect.poll(() => messages.at(-1)?.data, { timeout: 20_000 }).toMatchObject({ seq: wanted });
    expect(fold(messages)?.lastSeq).toBe(wanted);
    expect(messages.filter(({ type }) => type === 'snapshot').length).toBeGreaterThan(1);
    expect(seqsOf(messages).length).toBeLessThan(wanted - 1);
    expect(seqsOf(messages)).toEqual([...seqsOf(messages)].sort((a, b) => a - b));
  });

  it('[H43] is told of a run that another process works on', async () => {
    const rig = await createServerRig({ timing: { lookEveryMs: 5, keepMs: 1 } });
    const runId = await makeRun(rig, 'rehearsal', { isHeldBack: true });
    const other = createRuntime({ storeRoot: join(rig.root, 'store') });
    await expect.poll(async () => (await rig.client.runs.show({ runId })).isOpen).toBe(false);
    const run = await other.openRun(runId);
    onTestFinished(() => run.close());
    const watching = until(rig.client.runs.events({ runId }), rests);
    await run.engine.start();
    const messages = await watching;
    expect(seqsOf(messages).at(-1)).toBe((await other.showRun(runId)).view.lastSeq);
    await expect(rig.client.runs.resume({ runId, body: {} })).rejects.toMatchObject({ code: 'RUN_LOCKED' });
    await run.close();
    const { lastSeq } = (await other.showRun(runId)).view;
    const goingOn = until(rig.client.runs.events({ runId }, { lastEventId: String(lastSeq) }), rests);
    await rig.client.runs.resume({ runId, body: {} });
    expect(seqsOf(await goingOn)[0]).toBe(lastSeq + 1);
  });
});

describe('fifty readers', () => {
  it('[H45] see every event once and in order, torn off again and again', async () => {
    const server = await startTestServer();
    const turns = 25;
    await addScriptedModel(server.client, (_, index) =>
      index < turns
        ? toolCallReply([
            { name: 'fs_write', arguments: { path: `@project/artifacts/${index}.md`, content: `${index}` } },
          ])
        : textReply('That was all.'),
    );
    const runId = await makeRun(server, 'scripted', { isHeldBack: true });
    const { url: baseUrl, token } = server;
    let torn = 0;
    /** Breaks every stream after a few pieces. */
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
      return until(client.runs.events({ runId, query: { after: '0' } }, { firstWaitMs: 1 }), rests);
    });
    await server.client.runs.resume({ runId, body: {} });
    const all = await Promise.all(readers);
    const { lastSeq } = (await server.client.runs.show({ runId })).view;
    expect(lastSeq).toBeGreaterThan(turns * 4);
    for (const messages of all) {
      expect(messages.filter(({ type }) => type === 'snapshot')).toEqual([]);
      expect(seqsOf(messages)).toEqual(range(1, lastSeq));
    }
    expect(torn).toBeGreaterThan(100);
  });
});

/** The next message about a run; others may be told again meanwhile. */
async function nextAbout(
  stream: AsyncGenerator<WorkMessage, void>,
  runId: string,
): Promise<WorkMessage | undefined> {
  for await (const message of { [Symbol.asyncIterator]: () => ({ next: () => stream.next() }) }) {
    if ('runId' in message.data && message.data.runId === runId) return message;
  }
  return undefined;
}

describe('the streams of many runs', () => {
  const hasRun = (runId: string, phase: string) => (message: WorkMessage) =>
    message.type === 'run' && message.data.runId === runId && message.data.phase === phase;

  it('[H44] begin with the list and tell each change, of a project or of all', async () => {
    const rig = await createServerRig({ timing: { lookEveryMs: 10 } });
    const before = await makeRun(rig, 'rehearsal', { isHeldBack: true });
    const { projectId } = (await rig.client.runs.show({ runId: before })).run;
    const { projectId: elsewhere } = await rig.client.projects.open({
      body: { path: join(rig.root, 'other'), create: true },
    });
    const everything = rig.client.system.events();
    const project = rig.client.projects.events({ projectId });
    const other = rig.client.projects.events({ projectId: elsewhere });
    for (const stream of [everything, project]) {
      const { value } = await stream.next();
      expect(value).toMatchObject({ type: 'snapshot', data: { runs: [{ runId: before }] } });
    }
    expect((await other.next()).value).toMatchObject({ data: { runs: [] } });

    await rig.client.runs.resume({ runId: before, body: {} });
    for (const stream of [everything, project]) {
      const messages: WorkMessage[] = [];
      for (;;) {
        const { value } = await stream.next();
        if (value) messages.push(value);
        if (value && hasRun(before, 'WaitingUser')(value)) break;
      }
      expect(messages.length).toBeGreaterThan(0);
    }
    // By another process.
    const foreign = createRuntime({ storeRoot: join(rig.root, 'store') });
    const made = await foreign.createRun({
      package: 'hello-branch',
      projectPath: rig.project,
      model: { model: 'rehearsal' },
    });
    const { runId } = made.record;
    await made.close();
    expect(await nextAbout(project, runId)).toMatchObject({ type: 'run', data: { runId } });
    await foreign.deleteRun(runId);
    expect(await nextAbout(project, runId)).toEqual({ type: 'run.removed', data: { runId } });
    for (const stream of [everything, project, other]) await stream.return();
  });

  it('[H44] tell of a run whose process died', async () => {
    const rig = await createServerRig({ timing: { lookEveryMs: 10 } });
    const runId = await makeRun(rig, 'rehearsal', { isHeldBack: true });
    const { projectId } = (await rig.client.runs.show({ runId })).run;
    await rig.client.projects.close({ projectId });
    const stream = rig.client.system.events();
    await stream.next();
    // A record that says Running and a lock that nobody holds is what a killed process leaves.
    const { record } = await rig.runtime.showRun(runId);
    const { reason: _, ...rest } = record;
    await writeStoreFile(rig.runtime.store.run(record).record, { ...rest, phase: 'Running' });
    const messages: WorkMessage[] = [];
    while (!messages.some(hasRun(runId, 'WaitingUser'))) {
      const { value } = await stream.next();
      if (value) messages.push(value);
    }
    expect(messages.at(-1)).toMatchObject({ data: { reason: { code: 'interrupted' } } });
    await stream.return();
  });

  it('[A51] [H44] tell of a change that nobody marked, with a later look', async () => {
    const rig = await createServerRig({ timing: { lookEveryMs: 1 } });
    const runId = await makeRun(rig, 'rehearsal', { isHeldBack: true });
    const { record } = await rig.runtime.showRun(runId);
    const { store } = rig.runtime;
    await rig.client.projects.close({ projectId: record.projectId });
    const longAgo = new Date(Date.now() - 3_600_000);
    const hideChanges = async (): Promise<void> => {
      for (const folder of [store.runsFolder(record.projectId), store.projects])
        await utimes(folder, longAgo, longAgo);
    };
    await hideChanges();
    const stream = rig.client.system.events();
    await stream.next();
    await writeStoreFile(store.run(record).record, { ...record, workflowTitle: 'Changed' });
    await hideChanges();
    expect(await nextAbout(stream, runId)).toMatchObject({ data: { workflow: { title: 'Changed' } } });
    await stream.return();
  });

  it('[H44] are refused for a project that is not there', async () => {
    const { client } = await createServerRig();
    const projectId = '01a1de7a-846b-7205-b1df-136fc8f565ee';
    await expect(client.projects.events({ projectId }).next()).rejects.toMatchObject({
      code: 'PROJECT_NOT_FOUND',
    });
  });
});

describe('a run that nobody watches', () => {
  it('[H54] goes on, and is let go soon after it rests', async () => {
    const rig = await createServerRig({ timing: { keepMs: 20 } });
    const runId = await makeRun(rig);
    await expect.poll(async () => (await rig.client.runs.show({ runId })).run.reason?.code).toBe('question');
    await expect.poll(async () => (await rig.client.runs.show({ runId })).isOpen).toBe(false);
    const run = await createRuntime({ storeRoot: join(rig.root, 'store') }).openRun(runId);
    await run.close();
  });

  it('[H52] stops resumable when the server ends, and takes no command after that', async () => {
    const rig = await createServerRig();
    await addScriptedModel(rig.client, [{ isHeadless: true, ending: 'hang' }]);
    const runId = await makeRun(rig, 'scripted');
    await rig.parts.close();
    const { record, isOpen } = await rig.runtime.showRun(runId);
    expect(record).toMatchObject({ phase: 'WaitingUser', reason: { code: 'stopped' } });
    expect(isOpen).toBe(false);
    await expect(rig.client.runs.resume({ runId, body: {} })).rejects.toMatchObject({
      code: 'SERVER_STOPPING',
    });
    const next = createServerParts({ runtime: rig.runtime, env: {}, onBug: () => undefined });
    await next.openRuns.command(runId, ({ engine }) => engine.resume(), { model: { model: 'rehearsal' } });
    await next.close();
  });
});

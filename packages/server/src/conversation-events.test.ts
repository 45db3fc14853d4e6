import { join } from 'node:path';
import { createRuntime } from '@crewagent/core';
import { createApiClient } from '@crewagent/protocol/api/client';
import type { ConversationMessage } from '@crewagent/protocol/api/conversation-messages';
import type { RunMessage } from '@crewagent/protocol/api/run-messages';
import type { WorkMessage } from '@crewagent/protocol/api/work-messages';
import { isDelta } from '@crewagent/protocol/event-kinds';
import { describe, expect, it, onTestFinished } from 'vitest';
import { updateConversationRecord } from '../../core/src/store/conversation-store.ts';
import {
  hangBeforeHeaders,
  rawReply,
  streamReply,
  textReply,
} from '../../core/src/testing/provider-replies.ts';
import { startServer } from './serve.ts';
import { addScriptedModel, createServerRig, prepare, startTestServer, until } from './testing/server-rig.ts';
import {
  isCompleted,
  prepareTalking,
  reloaded,
  restsWith,
  timelineOf,
  watchConversation,
} from './testing/talking-rig.ts';

const ANSWERS = { projectName: 'Nova', goal: 'Ship it', existing: 'nothing' };

const seqsOf = (messages: readonly (ConversationMessage | RunMessage)[], id: string): number[] =>
  messages.flatMap((message) =>
    message.type === 'event' && message.data.runId === id && !isDelta(message.data) ? message.data.seq : [],
  );

const restsWithReply = (message: ConversationMessage): boolean =>
  message.type === 'event' && message.data.type === 'phase.changed' && message.data.phase !== 'Running';

/** A reply that stops in the middle until it is let go on. */
function gatedReply(text: string, pieces: number) {
  const chunks = [...(streamReply({ text, pieceLength: 4 }).chunks as string[])];
  let goOn: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const reply = rawReply({
    async *[Symbol.asyncIterator]() {
      yield* chunks.slice(0, pieces);
      await gate;
      yield* chunks.slice(pieces);
    },
  });
  return { reply, goOn: () => goOn() };
}

describe('the streams of a conversation', () => {
  it('[H47] fold to what a reload shows, over a real connection', async () => {
    const server = await startTestServer();
    const { client } = server;
    const ready = await prepare(server);
    const body = { ...ready, kind: 'agent', model: 'rehearsal' } as const;
    const { conversationId } = await client.conversations.create({ body });
    const watcher = watchConversation(client, conversationId);
    await watcher.until(({ talk }) => talk.lastSeq > 0);
    await client.conversations.input({ conversationId, body: { text: 'good day to you, Nora' } });
    await watcher.until(restsWith('reply'));
    expect(await client.conversations.input({ conversationId, body: { text: '1' } })).toMatchObject({
      mode: 'run',
    });
    const asked = await watcher.until(restsWith('question'));
    const [runId = ''] = asked.state.runIds;
    const callId = asked.runs.get(runId)?.pending?.callId ?? '';
    await client.conversations.answer({ conversationId, body: { callId, answers: ANSWERS } });
    await watcher.until(isCompleted);
    const live = timelineOf(watcher.view);
    expect(live).toEqual(timelineOf(await reloaded(client, conversationId)));
    const later = watchConversation(client, conversationId);
    await later.until(isCompleted);
    expect(timelineOf(later.view)).toEqual(live);
    for (const id of [conversationId, runId]) {
      const seqs = seqsOf(watcher.messages, id);
      expect(seqs).toEqual(seqs.map((_, index) => (seqs[0] ?? 0) + index));
    }
  });

  it('[H47] go on behind the last event that was seen, and begin anew where there is none such', async () => {
    const rig = await createServerRig();
    await addScriptedModel(rig.client, [textReply('Hello.')]);
    const ready = await prepareTalking(rig);
    const { conversations } = rig.client;
    const body = { ...ready, kind: 'agent', model: 'scripted', input: 'good day to you, Ann' } as const;
    const { conversationId } = await conversations.create({ body });
    const all = await until(conversations.events({ conversationId, query: { after: '0' } }), restsWithReply);
    const last = seqsOf(all, conversationId).at(-1) ?? 0;
    expect(seqsOf(all, conversationId)).toEqual(Array.from({ length: last }, (_, index) => index + 1));
    const missed = await until(
      conversations.events({ conversationId }, { lastEventId: '3' }),
      restsWithReply,
    );
    expect(seqsOf(missed, conversationId)[0]).toBe(4);
    const [first] = await until(
      conversations.events({ conversationId }, { lastEventId: String(last + 9) }),
      () => true,
    );
    expect(first).toMatchObject({
      type: 'snapshot',
      data: { seq: last, state: { kind: 'agent', agent: { name: 'Ann' } }, view: { phase: 'WaitingUser' } },
    });
  });

  it('[H47] are refused for a conversation that is not there', async () => {
    const { client } = await createServerRig();
    const conversationId = '01a1de7a-846b-7205-b1df-136fc8f565ee';
    await expect(client.conversations.events({ conversationId }).next()).rejects.toMatchObject({
      code: 'CONVERSATION_NOT_FOUND',
      status: 404,
    });
  });

  it('[H47] show two clients the same, whichever of them says something', async () => {
    const server = await startTestServer();
    const { url: baseUrl, token } = server;
    await addScriptedModel(server.client, (_, index) => textReply(`Reply ${index}.`));
    const ready = await prepareTalking(server);
    const clients = [server.client, createApiClient({ baseUrl, token })] as const;
    const body = { ...ready, kind: 'agent', model: 'scripted' } as const;
    const { conversationId } = await clients[0].conversations.create({ body });
    const watchers = clients.map((client) => watchConversation(client, conversationId));
    for (let count = 0; count < 4; count++) {
      const text = `this is line number ${count}`;
      await clients[count % 2]?.conversations.input({ conversationId, body: { text } });
    }
    const isDone = ({ talk }: (typeof watchers)[number]['view']): boolean =>
      talk.phase === 'WaitingUser' &&
      talk.queued.length === 0 &&
      talk.timeline.filter(({ kind }) => kind === 'person').length === 4;
    for (const watcher of watchers) await watcher.until(isDone);
    const shown = timelineOf(await reloaded(server.client, conversationId));
    for (const watcher of watchers) expect(timelineOf(watcher.view)).toEqual(shown);
  });
});

describe('a run that a conversation drives', () => {
  it('[H48] is told word by word on its own stream, from the first one on', async () => {
    const rig = await createServerRig();
    const gated = gatedReply('One two three four five six.', 4);
    await addScriptedModel(rig.client, [gated.reply]);
    const ready = await prepareTalking(rig);
    const body = { ...ready, kind: 'workflow', model: 'scripted' } as const;
    const { conversationId } = await rig.client.conversations.create({ body });
    const watcher = watchConversation(rig.client, conversationId);
    const [runId = ''] = (await watcher.until(({ state }) => state.runIds.length > 0)).state.runIds;
    await watcher.until(({ runs }) => runs.get(runId)?.streaming?.text === 'One two thre');
    const { runs } = await rig.client.conversations.show({ conversationId });
    expect(runs[runId]?.streaming?.text).toBe('One two thre');
    const late = await until(rig.client.runs.events({ runId }), () => true);
    expect(late).toMatchObject([{ data: { view: { streaming: { text: 'One two thre' } } } }]);
    gated.goOn();
    await watcher.until(restsWith('reply'));
    const words = watcher.messages.flatMap((message) =>
      message.type === 'event' && message.data.type === 'message.delta' ? message.data.text : [],
    );
    expect('One two three four five six.'.endsWith(words.join(''))).toBe(true);
    expect(words.join('').length).toBeGreaterThanOrEqual('e four five six.'.length);
  });

  it('[H48] is followed again by its log when the conversation has left it', async () => {
    const rig = await createServerRig({ timing: { lookEveryMs: 5 } });
    await addScriptedModel(rig.client, [textReply('Well?')]);
    const ready = await prepareTalking(rig);
    const { conversations } = rig.client;
    const { conversationId } = await conversations.create({
      body: { ...ready, kind: 'agent', model: 'scripted' },
    });
    const watcher = watchConversation(rig.client, conversationId);
    await conversations.input({ conversationId, body: { text: 'go' } });
    const [runId = ''] = (await watcher.until(restsWith('reply'))).state.runIds;
    await conversations.input({ conversationId, body: { text: '/stop' } });
    const other = createRuntime({ storeRoot: join(rig.root, 'store') });
    const run = await other.openRun(runId, { model: { model: 'rehearsal' } });
    onTestFinished(() => run.close());
    await run.engine.resume();
    const { lastSeq } = (await other.showRun(runId)).view;
    await watcher.until(({ runs }) => runs.get(runId)?.lastSeq === lastSeq);
    expect(rig.bugs).toEqual([]);
  });
});

describe('the streams of a project', () => {
  /** Reads on until a message fits. */
  const next = async (stream: AsyncGenerator<WorkMessage, void>, fits: (message: WorkMessage) => boolean) => {
    for (;;) {
      const { value, done } = await stream.next();
      if (done || !value) throw new Error('the stream ended');
      if (fits(value)) return value;
    }
  };
  const isAt =
    (conversationId: string, phase: string, title: RegExp) =>
    (message: WorkMessage): boolean =>
      message.type === 'conversation' &&
      message.data.conversationId === conversationId &&
      message.data.phase === phase &&
      title.test(message.data.title);

  it('[H49] tell of conversations: new ones, titles, phases, deleted ones, by whichever process', async () => {
    const rig = await createServerRig({ timing: { lookEveryMs: 10 } });
    await addScriptedModel(rig.client, [hangBeforeHeaders()]);
    const ready = await prepareTalking(rig);
    const { projectId } = ready;
    const { conversations } = rig.client;
    const streams = [rig.client.system.events(), rig.client.projects.events({ projectId })];
    for (const stream of streams)
      expect((await stream.next()).value).toMatchObject({ type: 'snapshot', data: { conversations: [] } });
    const { conversationId } = await conversations.create({
      body: { ...ready, kind: 'agent', model: 'scripted' },
    });
    for (const stream of streams) await next(stream, isAt(conversationId, 'WaitingUser', /^$/));
    await conversations.input({ conversationId, body: { text: 'go' } });
    for (const stream of streams)
      expect(await next(stream, isAt(conversationId, 'Running', /./))).toMatchObject({
        data: { activeRunId: expect.any(String) as string },
      });
    await conversations.stop({ conversationId });
    for (const stream of streams) await next(stream, isAt(conversationId, 'WaitingUser', /./));
    await conversations.change({ conversationId, body: { title: 'Mine' } });
    for (const stream of streams) await next(stream, isAt(conversationId, 'WaitingUser', /^Mine$/));
    await rig.client.projects.close({ projectId });
    const [first] = await until(rig.client.projects.events({ projectId }), () => true);
    expect(first).toMatchObject({ data: { conversations: [{ conversationId, title: 'Mine' }] } });
    await createRuntime({ storeRoot: join(rig.root, 'store') }).deleteConversation(conversationId);
    for (const stream of streams) {
      await next(stream, ({ type }) => type === 'conversation.removed');
      await stream.return();
    }
  });

  it('[H49] tell of a conversation whose process died', async () => {
    const rig = await createServerRig({ timing: { lookEveryMs: 10 } });
    const { projectId } = await prepare(rig);
    const body = { projectId, kind: 'chat', model: 'rehearsal' } as const;
    const { conversationId } = await rig.client.conversations.create({ body });
    await rig.client.projects.close({ projectId });
    const stream = rig.client.system.events();
    await stream.next();
    const address = { projectId, conversationId };
    await updateConversationRecord(rig.runtime.store, address, (record) => ({ ...record, phase: 'Running' }));
    const found = await next(
      stream,
      (message) => message.type === 'conversation' && message.data.reason?.code === 'interrupted',
    );
    expect(found).toMatchObject({ data: { conversationId, phase: 'WaitingUser' } });
    await stream.return();
  });
});

describe('a conversation that nobody watches', () => {
  it('[H57] goes on, and is let go soon after it rests, with its run', async () => {
    const rig = await createServerRig({ timing: { keepMs: 20 } });
    const ready = await prepare(rig);
    const body = { ...ready, kind: 'workflow', model: 'rehearsal' } as const;
    const { conversationId } = await rig.client.conversations.create({ body });
    const show = () => rig.client.conversations.show({ conversationId });
    await expect.poll(async () => (await show()).conversation.reason?.code).toBe('question');
    await expect.poll(async () => (await show()).isOpen).toBe(false);
    const session = await createRuntime({ storeRoot: join(rig.root, 'store') }).openConversation(
      conversationId,
    );
    expect(session.mode).toBe('run');
    expect(await session.answer(ANSWERS)).toMatchObject({ phase: 'Completed' });
    await session.close();
  });

  it('[H57] is stopped resumable when the server ends, and goes on with the next one', async () => {
    const server = await startTestServer();
    const provider = await addScriptedModel(server.client, (_, index) =>
      index < 2 ? hangBeforeHeaders() : textReply('Here I am.'),
    );
    const ready = await prepareTalking(server);
    const { conversations } = server.client;
    const made = { ...ready, model: 'scripted' } as const;
    const talk = await conversations.create({
      body: { ...made, kind: 'chat', packageHash: undefined, input: 'hello' },
    });
    const run = await conversations.create({ body: { ...made, kind: 'workflow' } });
    await expect.poll(() => provider.requests.length).toBe(2);
    await server.stop();
    const next = await startServer({
      storeRoot: join(server.root, 'store'),
      env: { CREWAGENT_API_KEY: 'k' },
    });
    onTestFinished(() => next.stop());
    const client = createApiClient({ baseUrl: next.url, token: next.token });
    for (const { conversationId } of [talk, run]) {
      const { conversation } = await client.conversations.show({ conversationId });
      expect(conversation).toMatchObject({ phase: 'WaitingUser', reason: { code: 'stopped' } });
      const watcher = watchConversation(client, conversationId);
      await client.conversations.resume({ conversationId, body: {} });
      await watcher.until(restsWith('reply'));
    }
  });
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  hangBeforeHeaders,
  textReply,
  toolCallReply,
} from '../../core/src/testing/models/provider-replies.ts';
import { tempFolder } from '../../core/src/testing/temp-folder.ts';
import {
  ANSWERS,
  addScriptedModel,
  HELLO_BRANCH,
  startTestServer,
} from '../../server/src/testing/server-rig.ts';
import { ApiError, connect, type PendingItem, type StartOptions, type Stop } from './index.ts';
import { connectLocal } from './local.ts';

async function openServer() {
  const server = await startTestServer();
  const client = connect(server);
  const start = (more: Partial<StartOptions> = {}) =>
    client.start({ project: server.project, package: HELLO_BRANCH, model: 'rehearsal', ...more });
  return { server, client, start };
}

function pendingOf({ pending }: Stop): PendingItem {
  if (!pending) throw new Error('Nothing is pending.');
  return pending;
}

describe('the client', () => {
  it('[O50] starts a run, waits for its question, answers it, and reads its results and its evidence', async () => {
    const { start, client } = await openServer();
    const work = await start();
    const asked = await work.wait();
    expect(asked).toMatchObject({ phase: 'WaitingUser', pending: { kind: 'question' } });
    await expect(work.answer(pendingOf(asked), { nothing: 'x' })).rejects.toMatchObject({ code: 'USAGE' });
    await expect(work.approve(pendingOf(asked))).rejects.toMatchObject({ code: 'USAGE' });
    await work.answer(pendingOf(asked), ANSWERS);
    expect(await work.wait()).toMatchObject({ phase: 'Completed', pending: undefined });
    const paths = await work.artifacts();
    expect(paths).toContainEqual(expect.stringMatching(/^@project\/.*\.md$/));
    expect(await work.read(paths[0] ?? '')).not.toBe('');
    expect((await work.evidence()).visits.length).toBeGreaterThan(2);
    expect((await client.work(work.workId).show()).own.phase).toBe('Completed');
    await expect(work.answer(pendingOf(asked), ANSWERS)).rejects.toBeInstanceOf(ApiError);
    const { undoneCount } = await client.api.works
      .undo({ workId: work.workId, body: { all: true } })
      .then(({ files }) => ({ undoneCount: files.length }));
    expect(undoneCount).toBe(paths.length);
    expect(await work.artifacts()).toEqual([]);
  });

  it('[O50] follows its log: each event once, as the story of the page, from where a reader left', async () => {
    const { start } = await openServer();
    const work = await start();
    const first = await work.wait();
    await work.answer(pendingOf(first), Object.values(ANSWERS).join('\n'));
    const phases: string[] = [];
    let last: unknown;
    for await (const story of work.stories()) {
      phases.push(story.phase);
      last = story;
      if (story.phase === 'Completed') break;
    }
    const { own } = await work.show();
    expect(JSON.parse(JSON.stringify(last))).toEqual(JSON.parse(JSON.stringify(own)));
    const seen: number[] = [];
    for await (const message of work.events({ after: 2 })) {
      if (message.type === 'event') seen.push(message.data.seq);
      if (seen.at(-1) === own.lastSeq) break;
    }
    expect(seen).toEqual(Array.from({ length: own.lastSeq - 2 }, (_, index) => index + 3));
  });

  it('[O50] a change is approved with the hash of its preview only, or denied', async () => {
    const { start, client, server } = await openServer();
    const write = (content: string) =>
      toolCallReply([{ name: 'fs_write', arguments: { path: '@project/README.md', content } }]);
    await addScriptedModel(client.api, [write('denied'), write('approved'), textReply('I see.')]);
    const work = await start({
      kind: 'chat',
      package: '',
      model: 'scripted',
      approval: 'ask',
      input: 'Write.',
    });
    const first = pendingOf(await work.wait());
    await work.deny(first, 'Not this one.');
    const second = pendingOf(await work.wait());
    if (second.kind !== 'approval') throw new Error('it waits for an approval');
    const preview = { ...second.action.preview, text: 'Another text.' };
    await expect(work.approve({ ...second, action: { ...second.action, preview } })).rejects.toMatchObject({
      code: 'APPROVAL_OUTDATED',
    });
    expect(await readFile(join(server.project, 'README.md'), 'utf8')).toBe('# Project\n');
    await work.approve(second);
    expect(await work.wait()).toMatchObject({ pending: undefined, reply: 'I see.' });
    expect(await readFile(join(server.project, 'README.md'), 'utf8')).toBe('approved');
  });

  it('[O50] talks: each wait ends with the reply to what was said; stopped and resumed', async () => {
    const { start, client, server } = await openServer();
    const replies = Array.from({ length: 20 }, (_, index) => textReply(`Reply ${index}.`));
    await addScriptedModel(client.api, [...replies, hangBeforeHeaders(), textReply('Resumed.')]);
    const chat = await start({ kind: 'chat', package: '', model: 'scripted', input: 'Message 0' });
    for (let index = 0; index < 20; index++) {
      if (index > 0) await chat.say(`Message ${index}`);
      expect(await chat.wait()).toMatchObject({ phase: 'WaitingUser', reply: `Reply ${index}.` });
    }
    await chat.say('One more');
    const waiting = chat.wait();
    await chat.stop();
    expect(await waiting).toMatchObject({ phase: 'WaitingUser', pending: undefined });
    await chat.resume();
    expect(await chat.wait()).toMatchObject({ reply: 'Resumed.' });
    const wrong = connect({ url: server.url, token: 'wrong' });
    await expect(wrong.work(chat.workId).show()).rejects.toMatchObject({ status: 401 });
  });

  it('[O50] a wait goes on over broken connections', async () => {
    const { server, start, client } = await openServer();
    await addScriptedModel(client.api, [hangBeforeHeaders()]);
    const chat = await start({ kind: 'chat', package: '', model: 'scripted', input: 'Hello' });
    let shows = 0;
    let report = (): void => undefined;
    const broken = new Promise<void>((resolve) => {
      report = resolve;
    });
    const unreliable: typeof fetch = (input, init) => {
      if (!String(input).endsWith(chat.workId)) return fetch(input, init);
      shows++;
      if (shows === 1 || shows > 3) return fetch(input, init);
      report();
      return Promise.reject(new TypeError('fetch failed'));
    };
    const waiting = connect({ ...server, fetch: unreliable })
      .work(chat.workId)
      .wait();
    await Promise.race([broken, waiting]);
    await chat.stop();
    expect(await waiting).toMatchObject({ phase: 'WaitingUser', pending: undefined });
    expect(shows).toBeGreaterThan(3);
  });

  it('[O50] a wait ends with its signal', async () => {
    const { start, client } = await openServer();
    await addScriptedModel(client.api, [hangBeforeHeaders()]);
    const chat = await start({ kind: 'chat', package: '', model: 'scripted', input: 'Hello' });
    const closing = new AbortController();
    const waiting = chat.wait({ signal: closing.signal });
    closing.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });

  it('[O50] finds the server of this machine while it runs, and not after it', async () => {
    const { server } = await openServer();
    const store = join(server.root, 'store');
    const found = await connectLocal(store);
    expect(await found?.api.system.show()).toMatchObject({ name: 'crewagent' });
    await server.stop();
    expect(await connectLocal(store)).toBeUndefined();
    expect(await connectLocal(await tempFolder())).toBeUndefined();
  });
});

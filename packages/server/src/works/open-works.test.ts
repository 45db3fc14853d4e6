import { join } from 'node:path';
import { createRuntime, type OpenWork, showWork, toOpenWork } from '@crewagent/core';
import { createApiClient } from '@crewagent/protocol/api/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hangBeforeHeaders, textReply } from '../../../core/src/testing/models/provider-replies.ts';
import { startServer } from '../serve.ts';
import { createServerParts } from '../server-parts.ts';
import {
  ANSWERS,
  addScriptedModel,
  createServerRig,
  makeRun,
  prepare,
  startTestServer,
} from '../testing/server-rig.ts';
import { isIdleWith, prepareThreads, watchWork } from '../testing/thread-rig.ts';

describe('a Work that nobody watches', () => {
  it.each([
    ['a run', 'run'],
    ['a conversation with its run', 'workflow'],
  ] as const)('[H52] continues, and is released soon after it becomes idle: %s', async (_, kind) => {
    const rig = await createServerRig({ timing: { keepMs: 20 } });
    const body = { ...(await prepare(rig)), kind, model: 'rehearsal' };
    const { workId } = await rig.client.works.create({ body });
    const show = () => rig.client.works.show({ workId });
    await expect.poll(async () => (await show()).work.reason?.code).toBe('question');
    await expect.poll(async () => (await show()).isOpen).toBe(false);
    const other = createRuntime({ storeRoot: join(rig.root, 'store') });
    const work: OpenWork =
      kind === 'run' ? toOpenWork(await other.openRun(workId)) : await other.openConversation(workId);
    expect(work.state()).toMatchObject({ mode: 'run' });
    expect(await work.answer(ANSWERS)).toMatchObject({ phase: 'Completed' });
    await work.close();
  });

  it('[H52] stops resumable when the server stops, and accepts no command after that', async () => {
    const rig = await createServerRig();
    await addScriptedModel(rig.client, [{ isHeadless: true, ending: 'hang' }]);
    const workId = await makeRun(rig, 'scripted');
    await rig.parts.close();
    const { store } = rig.runtime;
    const { record, isOpen } = await showWork(store, await store.works.find(workId));
    expect(record).toMatchObject({ phase: 'WaitingUser', reason: { code: 'stopped' } });
    expect(isOpen).toBe(false);
    await expect(rig.client.works.resume({ workId, body: {} })).rejects.toMatchObject({
      code: 'SERVER_STOPPING',
    });
    const next = createServerParts({ runtime: rig.runtime, env: {}, onBug: () => undefined });
    await next.openWorks.command(workId, (work, options) => work.resume(options), { model: 'rehearsal' });
    await next.close();
  });

  it('[H52] is stopped resumable when the server stops, and continues on the next server', async () => {
    const server = await startTestServer();
    const provider = await addScriptedModel(server.client, (_, index) =>
      index < 2 ? hangBeforeHeaders() : textReply('Here I am.'),
    );
    const ready = await prepareThreads(server);
    const { works } = server.client;
    const made = { ...ready, model: 'scripted' } as const;
    const conversation = await works.create({
      body: { ...made, kind: 'chat', packageHash: undefined, input: 'hello' },
    });
    const run = await works.create({ body: { ...made, kind: 'workflow' } });
    await expect.poll(() => provider.requests.length).toBe(2);
    await server.stop();
    const next = await startServer({
      storeRoot: join(server.root, 'store'),
      env: { CREWAGENT_API_KEY: 'k' },
    });
    onTestFinished(() => next.stop());
    const client = createApiClient({ baseUrl: next.url, token: next.token });
    for (const { workId } of [conversation, run]) {
      const { work } = await client.works.show({ workId });
      expect(work).toMatchObject({ phase: 'WaitingUser', reason: { code: 'stopped' } });
      const watcher = watchWork(client, workId);
      await client.works.resume({ workId, body: {} });
      await watcher.until(isIdleWith('reply'));
    }
  });
});

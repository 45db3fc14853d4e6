import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { createRuntime, createStoreLayout, toAddress, toStored } from '@crewagent/core';
import type { ListMessage } from '@crewagent/protocol/api/work-messages';
import type { WorkRecord } from '@crewagent/protocol/work';
import { describe, expect, it } from 'vitest';
import { writeStoreFile } from '../../../core/src/store/disk/store-file.ts';
import { withPhase } from '../../../core/src/store/work-records.ts';
import { hangBeforeHeaders } from '../../../core/src/testing/models/provider-replies.ts';
import { addScriptedModel, createServerRig, makeRun, prepare, until } from '../testing/server-rig.ts';
import { prepareThreads } from '../testing/thread-rig.ts';

/** Reads until a message matches. */
async function next(
  stream: AsyncGenerator<ListMessage, void>,
  fits: (message: ListMessage) => boolean,
): Promise<ListMessage> {
  for (;;) {
    const { value, done } = await stream.next();
    if (done || !value) throw new Error('the stream ended');
    if (fits(value)) return value;
  }
}

const isAbout =
  (workId: string) =>
  ({ type, data }: ListMessage): boolean =>
    (type === 'work' || type === 'work.removed') && data.workId === workId;

const isAt =
  (workId: string, phase: string, title = /^/) =>
  ({ type, data }: ListMessage): boolean =>
    type === 'work' && data.workId === workId && data.phase === phase && title.test(data.title);

describe('the streams of a project and of everything', () => {
  it('[H40] begin with the list and report each change, of one project or of all', async () => {
    const rig = await createServerRig({ timing: { pollEveryMs: 10 } });
    const before = await makeRun(rig, 'rehearsal', { isHeldBack: true });
    const { projectId } = (await rig.client.works.show({ workId: before })).work;
    const { projectId: elsewhere } = await rig.client.projects.open({
      body: { path: join(rig.root, 'other'), create: true },
    });
    const everything = rig.client.system.events();
    const project = rig.client.projects.events({ projectId });
    const other = rig.client.projects.events({ projectId: elsewhere });
    for (const stream of [everything, project]) {
      const { value } = await stream.next();
      expect(value).toMatchObject({ type: 'snapshot', data: { works: [{ workId: before }] } });
    }
    expect((await other.next()).value).toMatchObject({ data: { works: [] } });

    await rig.client.works.resume({ workId: before, body: {} });
    for (const stream of [everything, project]) await next(stream, isAt(before, 'WaitingUser'));
    // By another process.
    const sanitize = createRuntime({ storeRoot: join(rig.root, 'store') });
    const made = await sanitize.createWork({
      package: 'hello-branch',
      projectPath: rig.project,
      model: { model: 'rehearsal' },
    });
    const { workId } = made.record;
    await made.close();
    expect(await next(project, isAbout(workId))).toMatchObject({ type: 'work', data: { workId } });
    await sanitize.deleteWork(toAddress(made.record));
    expect(await next(project, isAbout(workId))).toEqual({ type: 'work.removed', data: { workId } });
    for (const stream of [everything, project, other]) await stream.return();
  });

  it('[H40] report new and deleted conversations, titles and phases, whichever process changed them', async () => {
    const rig = await createServerRig({ timing: { pollEveryMs: 10 } });
    await addScriptedModel(rig.client, [hangBeforeHeaders()]);
    const ready = await prepareThreads(rig);
    const { projectId } = ready;
    const { works } = rig.client;
    const streams = [rig.client.system.events(), rig.client.projects.events({ projectId })];
    for (const stream of streams)
      expect((await stream.next()).value).toMatchObject({ type: 'snapshot', data: { works: [] } });
    const { workId } = await works.create({
      body: { ...ready, kind: 'agent', model: 'scripted' },
    });
    for (const stream of streams) await next(stream, isAt(workId, 'WaitingUser', /^$/));
    await works.input({ workId, body: { text: 'go' } });
    for (const stream of streams)
      expect(await next(stream, isAt(workId, 'Running', /./))).toMatchObject({
        data: { activeRunId: expect.any(String) as string },
      });
    await works.stop({ workId });
    for (const stream of streams) await next(stream, isAt(workId, 'WaitingUser', /./));
    await works.change({ workId, body: { title: 'Mine' } });
    for (const stream of streams) await next(stream, isAt(workId, 'WaitingUser', /^Mine$/));
    await rig.client.projects.close({ projectId });
    const [first] = await until(rig.client.projects.events({ projectId }), () => true);
    expect(first).toMatchObject({
      data: {
        works: expect.arrayContaining([expect.objectContaining({ workId, title: 'Mine' })]) as unknown,
      },
    });
    const other = createRuntime({ storeRoot: join(rig.root, 'store') });
    await other.deleteWork(await other.store.works.find(workId));
    for (const stream of streams) {
      await next(stream, ({ type, data }) => type === 'work.removed' && data.workId === workId);
      await stream.return();
    }
  });

  it.each([
    ['a run', { kind: 'run', isHeldBack: true }],
    ['a conversation', { kind: 'agent' }],
  ] as const)('[H40] report %s whose process died', async (_, choice) => {
    const rig = await createServerRig({ timing: { pollEveryMs: 10 } });
    const { projectId, packageHash } = await prepare(rig);
    const body = { projectId, packageHash, model: 'rehearsal', ...choice };
    const { workId } = await rig.client.works.create({ body });
    await rig.client.projects.close({ projectId });
    const stream = rig.client.system.events();
    await stream.next();
    // A killed process leaves a record that says Running, and a lock that no process holds.
    const address = { projectId, workId, isRun: choice.kind === 'run' };
    await rig.runtime.store.works.update<WorkRecord>(address, (record) =>
      withPhase(record, 'Running', undefined),
    );
    await next(stream, isAt(workId, 'Running'));
    expect(await next(stream, isAt(workId, 'WaitingUser'))).toMatchObject({
      data: { reason: { code: 'interrupted' } },
    });
    await stream.return();
  });

  it('[H40] report a change that left no mark, with a later poll', async () => {
    const rig = await createServerRig({ timing: { pollEveryMs: 1 } });
    const workId = await makeRun(rig, 'rehearsal', { isHeldBack: true });
    const { store } = rig.runtime;
    const address = await store.works.find(workId);
    const record = await store.works.read(address);
    await rig.client.projects.close({ projectId: address.projectId });
    const longAgo = new Date(Date.now() - 3_600_000);
    const hideChanges = async (): Promise<void> => {
      for (const folder of [
        createStoreLayout(store.root).worksFolder(address.projectId, true),
        createStoreLayout(store.root).projectsFolder,
      ])
        await utimes(folder, longAgo, longAgo);
    };
    await hideChanges();
    const stream = rig.client.system.events();
    await stream.next();
    await writeStoreFile(createStoreLayout(store.root).work(address).record, {
      ...toStored(record),
      workflowTitle: 'Changed',
    });
    await hideChanges();
    expect(await next(stream, isAbout(workId))).toMatchObject({
      data: { title: 'Changed', run: { workflow: { title: 'Changed' } } },
    });
    await stream.return();
  });

  it.skipIf(process.platform === 'win32')(
    '[H40] report a change by another process when it happens, without a poll',
    async () => {
      const rig = await createServerRig({ timing: { pollEveryMs: 3_600_000 } });
      const workId = await makeRun(rig, 'rehearsal', { isHeldBack: true });
      const { projectId } = await rig.runtime.store.works.find(workId);
      await rig.client.projects.close({ projectId });
      const stream = rig.client.system.events();
      await stream.next();
      const other = createRuntime({ storeRoot: join(rig.root, 'store') });
      const address = { projectId, workId, isRun: true } as const;
      for (const phase of ['Failed', 'Completed'] as const) {
        await other.store.works.update<WorkRecord>(address, (record) => withPhase(record, phase, undefined));
        await next(stream, isAt(workId, phase));
      }
      await other.deleteWork(address);
      await next(stream, ({ type }) => type === 'work.removed');
      await stream.return();
    },
  );

  it('[H40] are rejected for an unknown project', async () => {
    const { client } = await createServerRig();
    const projectId = '01a1de7a-846b-7205-b1df-136fc8f565ee';
    await expect(client.projects.events({ projectId }).next()).rejects.toMatchObject({
      code: 'PROJECT_NOT_FOUND',
    });
  });
});

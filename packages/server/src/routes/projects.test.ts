import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRuntime, createStoreLayout } from '@crewagent/core';
import type { ListMessage } from '@crewagent/protocol/api/work-messages';
import { describe, expect, it } from 'vitest';
import {
  hangBeforeHeaders,
  textReply,
  toolCallReply,
} from '../../../core/src/testing/models/provider-replies.ts';
import {
  addScriptedModel,
  createServerRig,
  prepare,
  type ServerRig,
  shownOf,
  until,
} from '../testing/server-rig.ts';
import { isIdleWith, watchWork } from '../testing/thread-rig.ts';

describe('projects', () => {
  it('[H22] are opened, created, listed and relinked', async () => {
    const { client, project, root } = await createServerRig();
    const opened = await client.projects.open({ body: { path: project } });
    expect(opened).toMatchObject({ name: 'project', path: project, exists: true });
    const made = await client.projects.open({ body: { path: join(root, 'new', 'one'), create: true } });
    expect(made).toMatchObject({ name: 'one', exists: true });
    const { projects } = await client.projects.list();
    expect(projects.map(({ projectId }) => projectId).sort()).toEqual(
      [made.projectId, opened.projectId].sort(),
    );
    expect(await client.projects.open({ body: { path: project } })).toMatchObject({
      projectId: opened.projectId,
    });

    await rename(project, join(root, 'moved'));
    const { projectId } = opened;
    expect(await client.projects.show({ projectId })).toMatchObject({ exists: false });
    const linked = await client.projects.relink({ projectId, body: { path: join(root, 'moved') } });
    expect(linked).toMatchObject({ projectId, name: 'moved', exists: true });
    expect(await client.projects.close({ projectId })).toBeUndefined();
  });

  it('[L21] list standing approvals, and revoke them', async () => {
    const rig = await createServerRig();
    const { projectId } = await prepare(rig);
    const { client } = rig;
    await addScriptedModel(client, [
      toolCallReply([{ name: 'fs_write', arguments: { path: '@project/docs/a.md', content: 'a' } }]),
      textReply('Written.'),
    ]);
    const { workId } = await client.works.create({
      body: { projectId, kind: 'chat', model: 'scripted', input: 'Write it.' },
    });
    const { own } = await watchWork(client, workId).until(isIdleWith('approval'));
    const callId = own.pending?.callId ?? '';
    const body = { callId, decision: 'always', reach: 'folder', shown: shownOf(own.pending) } as const;
    await client.works.approve({ workId, body });
    const allowed = { tool: 'fs.write', path: '@project/docs/a.md', reach: 'folder' } as const;
    await expect.poll(async () => (await client.projects.show({ projectId })).approvals).toEqual([allowed]);
    expect(await client.projects.revoke({ projectId, body: allowed })).toMatchObject({ approvals: [] });
    expect((await client.projects.list()).projects).toMatchObject([{ approvals: [] }]);
  });

  it('[H22] that do not exist, and the store itself, are rejected', async () => {
    const { client, root, runtime } = await createServerRig();
    const open = (path: string) => client.projects.open({ body: { path } });
    await expect(open(join(root, 'nowhere'))).rejects.toMatchObject({
      code: 'FOLDER_NOT_FOUND',
      status: 404,
    });
    await expect(open(root)).rejects.toMatchObject({ code: 'USAGE' });
    await expect(open(join(runtime.store.root))).rejects.toMatchObject({ code: 'USAGE' });
    const projectId = '01a1de7a-846b-7205-b1df-136fc8f565ee';
    await expect(client.projects.show({ projectId })).rejects.toMatchObject({ code: 'PROJECT_NOT_FOUND' });
    await expect(client.projects.close({ projectId })).rejects.toMatchObject({ code: 'PROJECT_NOT_FOUND' });
  });
});

/** A project with an idle run, an idle conversation and a running run. */
async function busyProject(rig: ServerRig) {
  const { client } = rig;
  const { projectId, packageHash } = await prepare(rig);
  await addScriptedModel(client, [hangBeforeHeaders()]);
  const idle = await client.works.create({
    body: { projectId, packageHash, kind: 'run', model: 'rehearsal', isHeldBack: true },
  });
  const conversation = await client.works.create({
    body: { projectId, packageHash, kind: 'agent', model: 'rehearsal' },
  });
  const running = await client.works.create({
    body: { projectId, packageHash, kind: 'run', model: 'scripted' },
  });
  return {
    projectId,
    packageHash,
    idle: idle.workId,
    conversation: conversation.workId,
    running: running.workId,
  };
}

/** Resolves when the stream has begun; the returned function resolves when this many Works are removed. */
async function untilGone(
  stream: AsyncGenerator<ListMessage, void>,
  count: number,
): Promise<() => Promise<string[]>> {
  const gone: string[] = [];
  await stream.next();
  const removals = until(stream, ({ type, data }) => {
    if (type === 'work.removed') gone.push(data.workId);
    return gone.length === count;
  });
  return async () => {
    await removals;
    return gone.sort();
  };
}

describe('a project that is cleared', () => {
  it('[H22] loses idle Works, keeps running ones, and notifies watchers', async () => {
    const rig = await createServerRig({ timing: { pollEveryMs: 5 } });
    const { client, project } = rig;
    const { projectId, idle, conversation, running } = await busyProject(rig);
    const removed = await untilGone(client.projects.events({ projectId }), 2);
    const allReported = await untilGone(client.system.events(), 2);
    // The server still holds both, as after any command.
    expect(await client.projects.clear({ projectId })).toEqual({ conversations: 1, runs: 1, kept: 1 });
    expect(await removed()).toEqual([idle, conversation].sort());
    expect(await allReported()).toEqual([idle, conversation].sort());
    expect((await client.works.list()).works.map(({ workId }) => workId)).toEqual([running]);
    await expect(client.works.show({ workId: idle })).rejects.toMatchObject({ status: 404 });
    expect(await readFile(join(project, 'README.md'), 'utf8')).toBe('# Project\n');
    await client.works.stop({ workId: running });
    await expect
      .poll(async () => (await client.projects.clear({ projectId })).kept, { timeout: 10_000 })
      .toBe(0);
    expect((await client.works.list()).works).toEqual([]);
    expect(rig.bugs).toEqual([]);
  });

  it('[H22] keeps Works of another process', async () => {
    const rig = await createServerRig();
    const { client, project, runtime } = rig;
    const { projectId, packageHash } = await prepare(rig);
    const elsewhere = createRuntime({ storeRoot: runtime.store.root });
    const run = await elsewhere.createWork({
      package: packageHash,
      projectPath: project,
      model: { model: 'rehearsal' },
    });
    expect(await client.projects.clear({ projectId })).toEqual({ conversations: 0, runs: 0, kept: 1 });
    await expect(client.projects.forget({ projectId })).rejects.toMatchObject({ code: 'RUN_LOCKED' });
    await run.close();
    expect(await client.projects.clear({ projectId })).toEqual({ conversations: 0, runs: 1, kept: 0 });
  });

  it('[H22] ends the streams of removed Works', async () => {
    const rig = await createServerRig();
    const { client } = rig;
    const { projectId, packageHash } = await prepare(rig);
    const { workId } = await client.works.create({
      body: { projectId, packageHash, kind: 'run', model: 'rehearsal', isHeldBack: true },
    });
    const stream = client.works.events({ workId });
    await stream.next();
    await client.projects.clear({ projectId });
    const drain = async (): Promise<void> => {
      for await (const _ of stream);
    };
    await expect(drain()).rejects.toMatchObject({ code: 'WORK_NOT_FOUND' });
  });

  it('[H22] ends the streams of removed Works also when a disk error interrupts it', async () => {
    const rig = await createServerRig();
    const { client, runtime } = rig;
    const { projectId, packageHash } = await prepare(rig);
    const begin = async (): Promise<string> => {
      const body = { projectId, packageHash, kind: 'run', model: 'rehearsal', isHeldBack: true } as const;
      return (await client.works.create({ body })).workId;
    };
    // The newest Work is removed first.
    const [stuck, gone] = [await begin(), await begin()];
    await client.projects.close({ projectId });
    const { lock } = createStoreLayout(runtime.store.root).work({ projectId, workId: stuck, isRun: true });
    await rm(lock);
    await mkdir(lock);
    const stream = client.works.events({ workId: gone });
    await stream.next();
    await expect(client.projects.clear({ projectId })).rejects.toMatchObject({ code: 'DISK' });
    const drain = async (): Promise<void> => {
      for await (const _ of stream);
    };
    await expect(drain()).rejects.toMatchObject({ code: 'WORK_NOT_FOUND' });
    expect((await client.works.list()).works.map(({ workId }) => workId)).toEqual([stuck]);
  });
});

describe('a project that is forgotten', () => {
  it('[H22] is rejected while something is running, then removes everything that belongs to it', async () => {
    const rig = await createServerRig({ timing: { pollEveryMs: 5 } });
    const { client, project, root } = rig;
    const { projectId, idle, conversation, running } = await busyProject(rig);
    await client.files.createFile({ projectId, body: { path: '@project/new.md', text: 'mine' } });
    await expect(client.projects.forget({ projectId })).rejects.toMatchObject({
      code: 'RUN_LOCKED',
      status: 409,
    });
    expect((await client.works.list()).works.map(({ workId }) => workId).sort()).toEqual(
      [idle, conversation, running].sort(),
    );
    expect((await client.files.changes({ projectId })).changes).toHaveLength(1);

    await client.works.stop({ workId: running });
    const removed = await untilGone(client.system.events(), 3);
    await expect
      .poll(
        () =>
          client.projects.forget({ projectId }).then(
            () => 'gone',
            (error: unknown) => (error as { code: string }).code,
          ),
        { timeout: 10_000 },
      )
      .toBe('gone');
    expect(await removed()).toHaveLength(3);
    expect((await client.projects.list()).projects).toEqual([]);
    expect(await readdir(join(root, 'store/projects'))).toEqual([]);
    expect((await readdir(project)).sort()).toEqual(['README.md', 'artifacts', 'new.md']);
    for (const call of [
      () => client.projects.show({ projectId }),
      () => client.projects.forget({ projectId }),
      () => client.projects.clear({ projectId }),
      () => client.files.list({ projectId, query: { path: '@project' } }),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'PROJECT_NOT_FOUND' });
    const again = await client.projects.open({ body: { path: project } });
    expect(again.projectId).not.toBe(projectId);
    expect(rig.bugs).toEqual([]);
  });
});

describe('the folder picker', () => {
  it('[H22] lists folders and links to folders, by name, never files', async () => {
    const { client, root } = await createServerRig();
    const folder = join(root, 'folder');
    for (const name of ['b', 'a', '.hidden']) await mkdir(join(folder, name), { recursive: true });
    await writeFile(join(folder, 'file.txt'), 'secret');
    await symlink(join(root, 'project'), join(folder, 'link'));
    await symlink(join(folder, 'file.txt'), join(folder, 'file-link'));
    const list = await client.folders.list({ query: { path: folder } });
    expect(list).toMatchObject({ path: folder, parent: root, isCut: false });
    expect(list.folders).toEqual(['a', 'b', 'link'].map((name) => ({ name, path: join(folder, name) })));
    const all = await client.folders.list({ query: { path: folder, hidden: 'true' } });
    expect(all.folders.map(({ name }) => name)).toContain('.hidden');
    expect(list.roots[0]).toMatchObject({ name: 'Home' });
  });

  it('[H22] begins at the home folder and ends at the root', async () => {
    const { client } = await createServerRig();
    const home = await client.folders.list();
    expect(home.path).toBe(home.roots[0]?.path);
    expect((await client.folders.list({ query: { path: '/' } })).parent).toBeUndefined();
  });

  it('[H22] rejects a path that is not a folder or not absolute', async () => {
    const { client, project } = await createServerRig();
    const list = (path: string) => client.folders.list({ query: { path } });
    await expect(list(join(project, 'README.md'))).rejects.toMatchObject({ code: 'FOLDER_NOT_FOUND' });
    await expect(list(join(project, 'nowhere'))).rejects.toMatchObject({ code: 'FOLDER_NOT_FOUND' });
    for (const path of ['.', 'project', '../x', '~'])
      await expect(list(path)).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('[H22] creates folders with plain names', async () => {
    const { client, project: parent } = await createServerRig();
    const create = (name: string) => client.folders.create({ body: { parent, name } });
    expect(await create('neu')).toEqual({ name: 'neu', path: join(parent, 'neu') });
    await expect(create('neu')).rejects.toMatchObject({ code: 'TARGET_EXISTS' });
    for (const name of ['.', '..', 'a/b', 'a\\b', ' ', 'nul', 'x.', 'a\nb'])
      await expect(create(name)).rejects.toMatchObject({ code: 'USAGE' });
    await expect(
      client.folders.create({ body: { parent: join(parent, 'no'), name: 'x' } }),
    ).rejects.toMatchObject({
      code: 'FOLDER_NOT_FOUND',
    });
  });
});

it('[H20] commands of models are switched on for a project, with rules that no shell interprets', async () => {
  const { client, root } = await createServerRig();
  const { projectId } = await client.projects.open({ body: { path: join(root, 'project') } });
  expect(await client.projects.shell({ projectId })).toMatchObject({
    enabled: false,
    network: false,
    git: false,
    allow: [],
    sandbox: { kind: expect.any(String) as string },
  });
  await client.projects.changeShell({ projectId, body: { enabled: true, allow: ['npm test'] } });
  expect(await client.projects.changeShell({ projectId, body: { network: true, git: true } })).toMatchObject({
    enabled: true,
    network: true,
    git: true,
    allow: ['npm test'],
  });
  await expect(client.projects.changeShell({ projectId, body: { allow: ['a; b'] } })).rejects.toThrow();
  await expect(client.projects.changeShell({ projectId, body: { folders: ['relative'] } })).rejects.toThrow();
  expect(await client.projects.shell({ projectId })).toMatchObject({ allow: ['npm test'], folders: [] });
});

import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stagingName } from '../../base/staging.ts';
import { sampleConversation } from '../../testing/sample-conversation.ts';
import { sampleDraft } from '../../testing/sample-record.ts';
import { readTree, tempFolder, writeTree } from '../../testing/temp-folder.ts';
import { archiveConversation } from '../edit-work.ts';
import { listConversations, listRuns } from '../find-works.ts';
import { withApproval } from '../project-store.ts';
import { toAddress, type WorkAddress } from '../work-address.ts';
import { lockFile } from './locks/file-lock.ts';
import { isWorkLocked, takeWorkLock } from './locks/work-lock.ts';
import { type DiskStore, openDiskStore } from './open-store.ts';
import { moveToTrash, type Publishing, publishFolder } from './staged-folder.ts';
import { createWork } from './work-folders.ts';

const now = (): Date => new Date();

/** Two projects with conversations, runs and files. */
async function scene() {
  const root = await tempFolder();
  const store = openDiskStore(join(root, 'store'));
  const folder = join(root, 'project');
  await writeTree(root, { 'project/docs/a.md': 'A', 'other/b.md': 'B' });
  const fill = async (path: string) => {
    const { projectId } = await store.projects.open(path, { now });
    const threadIn = async () =>
      toAddress(await createWork(store, sampleConversation({ projectId }), { now }));
    const runIn = async (parentId?: string) =>
      toAddress(await createWork(store, sampleDraft({ projectId, ...(parentId && { parentId }) }), { now }));
    const [thread, archived] = [await threadIn(), await threadIn()];
    await archiveConversation(store.works, archived, true, now);
    const ownRuns = [await runIn(thread.workId), await runIn(thread.workId)];
    const alone = await runIn();
    await writeTree(store.fileJournal(projectId), {
      'journal.jsonl': '',
      'blobs/a': 'what was there before',
    });
    return { projectId, thread, archived, ownRuns, alone };
  };
  const other = await fill(join(root, 'other'));
  return { root, store, folder, other, ...(await fill(folder)) };
}

/** A leftover of a dead process that was forgetting a project. Returns a function that says whether it was swept. */
async function leaveRest(store: DiskStore): Promise<() => Promise<boolean>> {
  const name = stagingName('removing').replace(String(process.pid), '999999999');
  await writeTree(join(store.projectsFolder, name), { 'runs/x': '' });
  return async () => !(await readdir(store.projectsFolder)).includes(name);
}

const byId = (works: readonly WorkAddress[]): WorkAddress[] =>
  works.toSorted((a, b) => (a.workId < b.workId ? -1 : 1));

describe('clearing a project', () => {
  it('[H22] deletes its conversations and runs, and nothing else', async () => {
    const { store, folder, projectId, other, thread, archived, ownRuns, alone } = await scene();
    expect(byId(await store.works.addresses({ projectId }))).toEqual(
      byId([thread, archived, ...ownRuns, alone]),
    );
    const before = await readTree(store.projectFolder(other.projectId));
    const cleared = await store.clearProject(projectId);
    expect(cleared).toEqual({ conversations: 2, runs: ownRuns.length + 1, kept: 0 });
    expect(await listRuns(store, { projectId })).toEqual([]);
    expect(await listConversations(store, { projectId })).toEqual([]);
    expect(await readTree(store.projectFolder(other.projectId))).toEqual(before);
    expect(await readdir(store.fileJournal(projectId))).toContain('blobs');
    expect(await readFile(join(folder, 'docs/a.md'), 'utf8')).toBe('A');
    expect(await store.clearProject(projectId)).toEqual({ conversations: 0, runs: 0, kept: 0 });
  });

  it('[H22] does not delete Works in use; a conversation is in use with all its runs', async () => {
    const { store, projectId, thread, ownRuns, alone } = await scene();
    const lock = await takeWorkLock(store, alone);
    const runLock = await takeWorkLock(store, ownRuns[0] ?? alone);
    const cleared = await store.clearProject(projectId);
    expect(cleared).toEqual({ conversations: 1, runs: 0, kept: 2 });
    const left = async () => byId(await store.works.addresses({ projectId }));
    expect(await left()).toEqual(byId([thread, ...ownRuns, alone]));
    await lock.release();
    expect(await store.clearProject(projectId)).toEqual({ conversations: 0, runs: 1, kept: 1 });
    await runLock.release();
    expect(await left()).toEqual(byId([thread, ...ownRuns]));
    expect(await store.clearProject(projectId)).toMatchObject({ kept: 0 });
    expect(await left()).toEqual([]);
  });

  it('[H22] deletes damaged Works as well', async () => {
    const { store, projectId, thread, alone } = await scene();
    await writeFile(store.work(alone).record, '{');
    await writeFile(store.work(thread).record, '');
    expect(await store.clearProject(projectId)).toMatchObject({ kept: 0 });
    expect(await listRuns(store, { projectId })).toEqual([]);
    expect(await listConversations(store, { projectId })).toEqual([]);
  });
});

describe('forgetting a project', () => {
  it('[H22] deletes everything in the store and nothing in its folder; opened again it is a new project', async () => {
    const { root, store, folder, projectId, other } = await scene();
    const approval = { tool: 'fs.write', path: '@project/docs' };
    await store.projects.update(projectId, (project) => withApproval(project, approval));
    const before = await readTree(store.projectFolder(other.projectId));
    await store.forgetProject(projectId);
    expect((await store.projects.list()).map((project) => project.projectId)).toEqual([other.projectId]);
    expect(await readdir(store.projectsFolder)).toEqual([other.projectId]);
    expect(JSON.stringify(await readTree(store.root))).not.toContain(projectId);
    expect(await readTree(store.projectFolder(other.projectId))).toEqual(before);
    expect(await readTree(join(root, 'project'))).toEqual({ 'docs/': '', 'docs/a.md': 'A' });
    const again = await store.projects.open(folder, { now });
    expect(again.projectId).not.toBe(projectId);
    expect(again.approvals).toEqual([]);
    await expect(store.forgetProject(projectId)).rejects.toMatchObject({ code: 'PROJECT_NOT_FOUND' });
  });

  it('[H22] is rejected without changes while one of its runs is in use', async () => {
    const { store, projectId, alone } = await scene();
    const lock = await takeWorkLock(store, alone);
    const before = Object.keys(await readTree(store.root));
    await expect(store.forgetProject(projectId)).rejects.toMatchObject({ code: 'RUN_LOCKED' });
    expect(Object.keys(await readTree(store.root))).toEqual(before);
    await lock.release();
    await store.forgetProject(projectId);
  });

  it('[H22] waits for a process that is changing its files', async () => {
    const { store, projectId } = await scene();
    const attempt = await lockFile(join(store.fileJournal(projectId), 'lock'));
    if (!attempt.isAccepted) throw new Error('the lock is not free');
    const isUnderWay = await leaveRest(store);
    const forgetting = store.forgetProject(projectId);
    await expect.poll(isUnderWay).toBe(true);
    expect(await readdir(store.projectsFolder)).toContain(projectId);
    await attempt.lock.release();
    await forgetting;
    expect(await readdir(store.projectsFolder)).not.toContain(projectId);
  });

  it('[H22] is rejected without changes if a run is created at the last moment', async () => {
    const { store, projectId, alone } = await scene();
    const before = (await listRuns(store, { projectId })).map(({ workId }) => workId);
    const conversations = await listConversations(store, { projectId });
    const attempt = await lockFile(`${store.projectList}.lock`);
    if (!attempt.isAccepted) throw new Error('the lock is not free');
    const forgetting = store.forgetProject(projectId).catch((error: unknown) => error);
    await expect.poll(() => isWorkLocked(store, alone)).toBe(true);
    // Succeeds: `forgetProject` waits for the lock of the list.
    const begun = await createWork(store, sampleDraft({ projectId }), { now });
    await attempt.lock.release();
    expect(await forgetting).toMatchObject({ code: 'RUN_LOCKED' });
    expect((await store.projects.list()).map((project) => project.projectId)).toContain(projectId);
    expect((await listRuns(store, { projectId })).map(({ workId }) => workId)).toEqual([
      begun.workId,
      ...before,
    ]);
    expect(await listConversations(store, { projectId })).toEqual(conversations);
    expect(await isWorkLocked(store, alone)).toBe(false);
    await store.forgetProject(projectId);
  });

  it('[H22] is rejected without changes if one of its runs is opened at the last moment', async () => {
    const { store, projectId, alone } = await scene();
    const attempt = await lockFile(join(store.fileJournal(projectId), 'lock'));
    if (!attempt.isAccepted) throw new Error('the lock is not free');
    const isUnderWay = await leaveRest(store);
    const forgetting = store.forgetProject(projectId).catch((error: unknown) => error);
    await expect.poll(isUnderWay).toBe(true);
    const lock = await takeWorkLock(store, alone);
    await attempt.lock.release();
    expect(await forgetting).toMatchObject({ code: 'RUN_LOCKED' });
    expect((await store.projects.list()).map((project) => project.projectId)).toContain(projectId);
    expect(await listRuns(store, { projectId })).toHaveLength(3);
    expect(await listConversations(store, { projectId })).toHaveLength(1);
    await lock.release();
    await store.forgetProject(projectId);
  });

  it('[H22] restores everything if the list of projects cannot be written', async () => {
    const { store, projectId } = await scene();
    const folder = store.projectFolder(projectId);
    const before = await readTree(folder);
    const removing = store.projects.remove(projectId, async () => {
      const trashed = await moveToTrash(folder, { release: () => Promise.resolve() });
      // A file cannot replace a folder.
      await rm(store.projectList);
      await mkdir(join(store.projectList, 'full'), { recursive: true });
      return trashed;
    });
    await expect(removing).rejects.toMatchObject({ code: 'DISK' });
    expect(await readTree(folder)).toEqual(before);
  });

  it('[H22] rejects a run that is being created, with PROJECT_NOT_FOUND instead of a disk error', async () => {
    const { store, projectId, other } = await scene();
    const fill = async (staging: string): Promise<void> => {
      await store.forgetProject(projectId);
      await writeFile(join(staging, 'run.json'), '{}');
    };
    const publishing: Publishing = (publish) => store.projects.whileStays(projectId, publish);
    const folder = join(store.worksFolder(projectId, true), projectId);
    await expect(publishFolder(folder, fill, publishing)).rejects.toMatchObject({
      code: 'PROJECT_NOT_FOUND',
    });
    expect(await readdir(store.projectsFolder)).toEqual([other.projectId]);
    // Other disk errors are thrown unchanged.
    const target = join(store.worksFolder(other.projectId, true), projectId);
    const refuse = (): Promise<void> => writeFile(join(target, 'nowhere', 'run.json'), '{}');
    const allowed: Publishing = (publish) => store.projects.whileStays(other.projectId, publish);
    await expect(publishFolder(target, refuse, allowed)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('[H22] removes a run or conversation that is being created', async () => {
    const { store, projectId, other } = await scene();
    let isForgotten = false;
    const publishing: Publishing = async (publish) => {
      if (!isForgotten) await store.forgetProject(projectId);
      isForgotten = true;
      await store.projects.whileStays(projectId, publish);
    };
    for (const making of [
      () => createWork(store, sampleDraft({ projectId }), { now, publishing }),
      () => createWork(store, sampleConversation({ projectId }), { now, publishing }),
    ])
      await expect(making()).rejects.toMatchObject({ code: 'PROJECT_NOT_FOUND' });
    expect(await readdir(store.projectsFolder)).toEqual([other.projectId]);
  });

  it('[H22] works if its folder does not exist, and if it has no data yet', async () => {
    const root = await tempFolder();
    const store = openDiskStore(join(root, 'store'));
    await mkdir(join(root, 'p'));
    const { projectId } = await store.projects.open(join(root, 'p'), { now });
    await leaveRest(store);
    await store.forgetProject(projectId);
    expect(await readdir(store.projectsFolder)).toEqual([]);
    expect(await store.projects.list()).toEqual([]);
  });
});

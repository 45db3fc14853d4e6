import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stagingName } from '../../base/staging.ts';
import { sampleConversation } from '../../testing/sample-conversation.ts';
import { sampleDraft } from '../../testing/sample-record.ts';
import { readTree, tempFolder, writeTree } from '../../testing/temp-folder.ts';
import { archiveConversation } from '../edit-conversation.ts';
import { listConversations, listRuns } from '../find-works.ts';
import { toAddress, type WorkAddress } from '../work-address.ts';
import { lockFile } from './file-lock.ts';
import { clearProject, forgetProject } from './forget-project.ts';
import { type DiskStore, openDiskStore } from './open-store.ts';
import {
  addStandingApproval,
  listProjects,
  openProject,
  removeProject,
  whileProjectStays,
} from './project-store.ts';
import { moveToTrash, type Publishing, publishFolder } from './staged-folder.ts';
import { createConversation, createRun } from './work-folders.ts';
import { isWorkLocked, takeWorkLock } from './work-lock.ts';

const now = (): Date => new Date();

/** Two projects that both have everything. */
async function scene() {
  const root = await tempFolder();
  const store = openDiskStore(join(root, 'store'));
  const folder = join(root, 'project');
  await writeTree(root, { 'project/docs/a.md': 'A', 'other/b.md': 'B' });
  const fill = async (path: string) => {
    const { projectId } = await openProject(store, path, { now });
    const threadIn = async () =>
      toAddress(await createConversation(store, sampleConversation({ projectId }), { now }));
    const runIn = async (parentId?: string) =>
      toAddress(await createRun(store, sampleDraft({ projectId, ...(parentId && { parentId }) }), { now }));
    const [talk, archived] = [await threadIn(), await threadIn()];
    await archiveConversation(store.works, archived, true, now);
    const ownRuns = [await runIn(talk.workId), await runIn(talk.workId)];
    const alone = await runIn();
    await writeTree(store.fileJournal(projectId), {
      'journal.jsonl': '',
      'blobs/a': 'what was there before',
    });
    return { projectId, talk, archived, ownRuns, alone };
  };
  const other = await fill(join(root, 'other'));
  return { root, store, folder, other, ...(await fill(folder)) };
}

/** What a process that died left of forgetting another one; tells whether it was swept up, which comes after a first look. */
async function leaveRest(store: DiskStore): Promise<() => Promise<boolean>> {
  const name = stagingName('removing').replace(String(process.pid), '999999999');
  await writeTree(join(store.projects, name), { 'runs/x': '' });
  return async () => !(await readdir(store.projects)).includes(name);
}

const byId = (works: readonly WorkAddress[]): WorkAddress[] =>
  works.toSorted((a, b) => (a.workId < b.workId ? -1 : 1));

describe('a project that is cleared', () => {
  it('[H36] loses its conversations and runs, and nothing else', async () => {
    const { store, folder, projectId, other, talk, archived, ownRuns, alone } = await scene();
    const before = await readTree(store.projectFolder(other.projectId));
    const cleared = await clearProject(store, projectId);
    expect(cleared.kept).toBe(0);
    expect(byId(cleared.works)).toEqual(byId([talk, archived, ...ownRuns, alone]));
    expect(await listRuns(store, { projectId })).toEqual([]);
    expect(await listConversations(store, { projectId })).toEqual([]);
    expect(await readTree(store.projectFolder(other.projectId))).toEqual(before);
    expect(await readdir(store.fileJournal(projectId))).toContain('blobs');
    expect(await readFile(join(folder, 'docs/a.md'), 'utf8')).toBe('A');
    expect(await clearProject(store, projectId)).toEqual({ works: [], kept: 0 });
  });

  it('[H36] keeps what somebody works on, a conversation with all its runs', async () => {
    const { store, projectId, talk, ownRuns, alone, archived } = await scene();
    const lock = await takeWorkLock(store, alone);
    const runLock = await takeWorkLock(store, ownRuns[0] ?? alone);
    const cleared = await clearProject(store, projectId);
    expect(cleared).toEqual({ works: [archived], kept: 2 });
    expect(await listRuns(store, { projectId })).toHaveLength(3);
    await lock.release();
    expect(await clearProject(store, projectId)).toEqual({ works: [alone], kept: 1 });
    await runLock.release();
    const last = await clearProject(store, projectId);
    expect(last.kept).toBe(0);
    expect(byId(last.works)).toEqual(byId([talk, ...ownRuns]));
  });

  it('[H36] loses damaged ones, too', async () => {
    const { store, projectId, talk, alone } = await scene();
    await writeFile(store.work(alone).record, '{');
    await writeFile(store.work(talk).record, '');
    expect(await clearProject(store, projectId)).toMatchObject({ kept: 0 });
    expect(await listRuns(store, { projectId })).toEqual([]);
    expect(await listConversations(store, { projectId })).toEqual([]);
  });
});

describe('a project that is forgotten', () => {
  it('[H37] leaves nothing in the store and everything in its folder; opened again it is a new one', async () => {
    const { root, store, folder, projectId, other } = await scene();
    await addStandingApproval(store, projectId, { tool: 'fs.write', path: '@project/docs' });
    const before = await readTree(store.projectFolder(other.projectId));
    await forgetProject(store, projectId);
    expect((await listProjects(store)).map((project) => project.projectId)).toEqual([other.projectId]);
    expect(await readdir(store.projects)).toEqual([other.projectId]);
    expect(JSON.stringify(await readTree(store.root))).not.toContain(projectId);
    expect(await readTree(store.projectFolder(other.projectId))).toEqual(before);
    expect(await readTree(join(root, 'project'))).toEqual({ 'docs/': '', 'docs/a.md': 'A' });
    const again = await openProject(store, folder, { now });
    expect(again.projectId).not.toBe(projectId);
    expect(again.approvals).toEqual([]);
    await expect(forgetProject(store, projectId)).rejects.toMatchObject({ code: 'PROJECT_NOT_FOUND' });
  });

  it('[H37] is not, with everything as it was, while somebody works on one of its runs', async () => {
    const { store, projectId, alone } = await scene();
    const lock = await takeWorkLock(store, alone);
    const before = Object.keys(await readTree(store.root));
    await expect(forgetProject(store, projectId)).rejects.toMatchObject({ code: 'RUN_LOCKED' });
    expect(Object.keys(await readTree(store.root))).toEqual(before);
    await lock.release();
    await forgetProject(store, projectId);
  });

  it('[H37] waits for whoever is in the middle of changing its files', async () => {
    const { store, projectId } = await scene();
    const attempt = await lockFile(join(store.fileJournal(projectId), 'lock'));
    if (!attempt.isAccepted) throw new Error('nobody else has it');
    const isUnderWay = await leaveRest(store);
    const forgetting = forgetProject(store, projectId);
    await expect.poll(isUnderWay).toBe(true);
    expect(await readdir(store.projects)).toContain(projectId);
    await attempt.lock.release();
    await forgetting;
    expect(await readdir(store.projects)).not.toContain(projectId);
  });

  it('[H37] is not when a run was begun in the last moment, and all stays', async () => {
    const { store, projectId, alone } = await scene();
    const before = (await listRuns(store, { projectId })).map(({ workId }) => workId);
    const talks = await listConversations(store, { projectId });
    const attempt = await lockFile(`${store.projectList}.lock`);
    if (!attempt.isAccepted) throw new Error('nobody else has it');
    const forgetting = forgetProject(store, projectId).catch((error: unknown) => error);
    await expect.poll(() => isWorkLocked(store, alone)).toBe(true);
    // It may be: we are the ones without whom nothing is forgotten.
    const begun = await createRun(store, sampleDraft({ projectId }), { now });
    await attempt.lock.release();
    expect(await forgetting).toMatchObject({ code: 'RUN_LOCKED' });
    expect((await listProjects(store)).map((project) => project.projectId)).toContain(projectId);
    expect((await listRuns(store, { projectId })).map(({ workId }) => workId)).toEqual([
      begun.workId,
      ...before,
    ]);
    expect(await listConversations(store, { projectId })).toEqual(talks);
    expect(await isWorkLocked(store, alone)).toBe(false);
    await forgetProject(store, projectId);
  });

  it('[H37] is not when one of its runs is taken up in the last moment, and all stays', async () => {
    const { store, projectId, alone } = await scene();
    const attempt = await lockFile(join(store.fileJournal(projectId), 'lock'));
    if (!attempt.isAccepted) throw new Error('nobody else has it');
    const isUnderWay = await leaveRest(store);
    const forgetting = forgetProject(store, projectId).catch((error: unknown) => error);
    await expect.poll(isUnderWay).toBe(true);
    const lock = await takeWorkLock(store, alone);
    await attempt.lock.release();
    expect(await forgetting).toMatchObject({ code: 'RUN_LOCKED' });
    expect((await listProjects(store)).map((project) => project.projectId)).toContain(projectId);
    expect(await listRuns(store, { projectId })).toHaveLength(3);
    expect(await listConversations(store, { projectId })).toHaveLength(1);
    await lock.release();
    await forgetProject(store, projectId);
  });

  it('[H37] is not when the list of projects cannot be written, and all is put back', async () => {
    const { store, projectId } = await scene();
    const folder = store.projectFolder(projectId);
    const before = await readTree(folder);
    const removing = removeProject(store, projectId, async () => {
      const aside = await moveToTrash(folder, { release: () => Promise.resolve() });
      // No file can take the place of a folder.
      await rm(store.projectList);
      await mkdir(join(store.projectList, 'full'), { recursive: true });
      return aside;
    });
    await expect(removing).rejects.toMatchObject({ code: 'DISK' });
    expect(await readTree(folder)).toEqual(before);
  });

  it('[H37] while a run is filled, which is then refused for that and not for the disk', async () => {
    const { store, projectId, other } = await scene();
    const fill = async (staging: string): Promise<void> => {
      await forgetProject(store, projectId);
      await writeFile(join(staging, 'run.json'), '{}');
    };
    const publishing: Publishing = (publish) => whileProjectStays(store, projectId, publish);
    const folder = join(store.worksFolder(projectId, true), projectId);
    await expect(publishFolder(folder, fill, publishing)).rejects.toMatchObject({
      code: 'PROJECT_NOT_FOUND',
    });
    expect(await readdir(store.projects)).toEqual([other.projectId]);
    // Whatever else the disk refuses is told as such.
    const kept = join(store.worksFolder(other.projectId, true), projectId);
    const refuse = (): Promise<void> => writeFile(join(kept, 'nowhere', 'run.json'), '{}');
    const allowed: Publishing = (publish) => whileProjectStays(store, other.projectId, publish);
    await expect(publishFolder(kept, refuse, allowed)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('[H37] while a run or a conversation is being made leaves neither, and no trace', async () => {
    const { store, projectId, other } = await scene();
    let isForgotten = false;
    const publishing: Publishing = async (publish) => {
      if (!isForgotten) await forgetProject(store, projectId);
      isForgotten = true;
      await whileProjectStays(store, projectId, publish);
    };
    for (const making of [
      () => createRun(store, sampleDraft({ projectId }), { now, publishing }),
      () => createConversation(store, sampleConversation({ projectId }), { now, publishing }),
    ])
      await expect(making()).rejects.toMatchObject({ code: 'PROJECT_NOT_FOUND' });
    expect(await readdir(store.projects)).toEqual([other.projectId]);
  });

  it('[H37] goes when its folder is gone, and when it has nothing yet', async () => {
    const root = await tempFolder();
    const store = openDiskStore(join(root, 'store'));
    await mkdir(join(root, 'p'));
    const { projectId } = await openProject(store, join(root, 'p'), { now });
    await leaveRest(store);
    await forgetProject(store, projectId);
    expect(await readdir(store.projects)).toEqual([]);
    expect(await listProjects(store)).toEqual([]);
  });
});

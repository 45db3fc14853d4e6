import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { driverPath } from '../../../core/src/testing/driver-path.ts';
import { readTree, tempFolder } from '../../../core/src/testing/temp-folder.ts';
import { createPostgresBlobs } from '../blobs/blobs.ts';
import { countStatements, type Statement } from '../testing/counted-database.ts';
import { openWorkspaceRig, type WorkspaceRig } from '../testing/workspace-rig.ts';

const LINES = Array.from({ length: 40 }, (_, line) => `line ${line}\n`);
const TEXT = LINES.join('');
const changed = (line: number, by: string): string => LINES.with(line, `${by}\n`).join('');

/** A run that changed one end of a file, which a person has changed at the other end meanwhile. */
async function createChanges(rig: WorkspaceRig) {
  const workspaces = await rig.openWorkspaces();
  const projectId = await rig.createProject();
  const edit = (text: string) =>
    workspaces.edit(projectId, 'ann', (folder) => writeFile(join(folder, 'a.md'), text));
  await edit(TEXT);
  const rootId = await rig.createWork(projectId);
  const workspace = await workspaces.checkOut(rootId);
  await rig.change(workspace, 'a.md', changed(0, 'of the run'));
  await rig.change(workspace, 'b.md', 'new\n');
  await edit(changed(39, 'of ann'));
  return { projectId, rootId, workspaces };
}

type Changes = Awaited<ReturnType<typeof createChanges>>;

const MERGED = { 'a.md': LINES.with(0, 'of the run\n').with(39, 'of ann\n').join(''), 'b.md': 'new\n' };

/** Another worker finishes what is left. Returns whether the changes had been checked in. */
async function finish(rig: WorkspaceRig, { projectId, rootId, workspaces }: Changes): Promise<boolean> {
  const rows = await rig.database.read('select from workspace_files where root_id = $1', [rootId]);
  const isDone = rows.length === 0;
  const head = await readTree(await workspaces.readHead(projectId));
  expect(head).toEqual(isDone ? MERGED : { 'a.md': changed(39, 'of ann') });
  const other = await (await rig.openWorkspaces()).checkOut(rootId);
  await other.checkIn({ rootId, epoch: '1' });
  expect(await readTree(other.folder)).toEqual(MERGED);
  expect(await readTree(await workspaces.readHead(projectId))).toEqual(MERGED);
  expect(await workspaces.listConflicts(projectId)).toEqual([]);
  return isDone;
}

it('stopped before any statement, a check-in is done or not begun, and another worker finishes it', async () => {
  const rig = await openWorkspaceRig();
  const done: boolean[] = [];
  let statements: Statement[] = [];
  for (let stop = 0; statements.length === Math.max(0, stop - 1); stop++) {
    const changes = await createChanges(rig);
    statements = [];
    const database = countStatements(rig.database, (statement) => {
      if (statements.length === stop) throw new Error('stopped');
      statements.push(statement);
    });
    const workspaces = await rig.openWorkspaces({ database, blobs: createPostgresBlobs(database) });
    await workspaces
      .checkOut(changes.rootId)
      .then((workspace) => workspace.checkIn({ rootId: changes.rootId, epoch: '1' }))
      .catch((error: unknown) => expect(error).toMatchObject({ message: 'stopped' }));
    done.push(await finish(rig, changes));
  }
  const commit = statements.indexOf('commit');
  expect(commit).toBeGreaterThan(8);
  // Stopped before the statement of the same number.
  expect(done.indexOf(true)).toBe(commit + 1);

  // The same at the worst place in a process that gets no chance to clean up: contents are stored, and no row names them.
  const changes = await createChanges(rig);
  const args = [rig.database.url, await tempFolder(), changes.rootId, String(commit + 1)];
  const driver = spawn(process.execPath, [driverPath('check-in-driver'), ...args], { stdio: 'inherit' });
  expect(await once(driver, 'exit')).toEqual([null, 'SIGKILL']);
  expect(await finish(rig, changes)).toBe(false);
});

it('many runs check in at once, each into the version of the one before', async () => {
  const rig = await openWorkspaceRig();
  const workspaces = await rig.openWorkspaces();
  const projectId = await rig.createProject();
  await workspaces.edit(projectId, 'ann', (folder) => writeFile(join(folder, 'a.md'), TEXT));
  const runs = await Promise.all(
    Array.from({ length: 10 }, async (_, index) => {
      const rootId = await rig.createWork(projectId);
      const workspace = await (await rig.openWorkspaces()).checkOut(rootId);
      await rig.change(workspace, 'a.md', changed(index * 4, `run ${index}`));
      await rig.change(workspace, `of-${index}.md`, `${index}\n`);
      return { rootId, workspace };
    }),
  );
  const results = await Promise.all(
    runs.map(({ rootId, workspace }) => workspace.checkIn({ rootId, epoch: '1' })),
  );
  expect(results.map(({ version }) => version).sort((a, b) => a - b)).toEqual(
    runs.map((_, index) => index + 2),
  );
  const files = await readTree(await workspaces.readHead(projectId));
  const all = runs.reduce((lines, _, index) => lines.with(index * 4, `run ${index}\n`), LINES);
  expect(files['a.md']).toBe(all.join(''));
  expect(Object.keys(files)).toHaveLength(11);
});

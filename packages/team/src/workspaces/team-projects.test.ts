import { CrewError } from '@crewagent/core';
import { withApproval } from '@crewagent/core/store';
import { expect, it } from 'vitest';
import { openWorkspaceRig } from '../testing/workspace-rig.ts';
import { createTeamProjects } from './team-projects.ts';

const DAY = '2026-01-02T03:04:05.000Z';

async function openProjects(now = () => new Date(DAY)) {
  const rig = await openWorkspaceRig();
  const projects = createTeamProjects({ database: rig.database, pathOf: async (id) => `/folders/${id}` });
  const create = (name: string) => projects.create({ name, source: { kind: 'upload' }, now });
  return { ...rig, projects, create };
}

it('projects of a team are rows, with the folder that the caller gives them', async () => {
  const { projects, create } = await openProjects();
  const { projectId, path } = await create('Ours');
  expect(path).toBe(`team:${projectId}`);
  expect(await projects.read(projectId)).toMatchObject({
    name: 'Ours',
    path: `/folders/${projectId}`,
    approvals: [],
  });
  const later = () => new Date(Date.parse(DAY) + 3_600_000);
  expect(await projects.open(path, { now: later })).toMatchObject({ lastOpenedAt: later().toISOString() });
  expect(await projects.find(path)).toMatchObject({ projectId });
  const approval = { tool: 'fs.write', path: '@project/a.md' };
  await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      projects.update(projectId, (project) =>
        withApproval(project, { ...approval, path: `@project/${index}` }),
      ),
    ),
  );
  expect((await projects.read(projectId)).approvals).toHaveLength(6);
  const other = await create('Other');
  expect((await projects.list()).map(({ name }) => name)).toEqual(['Ours', 'Other']);
  await projects.remove(other.projectId, async () => ({ putBack: async () => undefined }));
  expect((await projects.list()).map(({ name }) => name)).toEqual(['Ours']);
});

it('opens no folders of the machine, and finds no projects of others by a path', async () => {
  const { projects, database } = await openProjects();
  await expect(projects.open('/etc', { now: () => new Date() })).rejects.toMatchObject({ code: 'USAGE' });
  await expect(projects.open('team:x', { now: () => new Date() })).rejects.toMatchObject({
    code: 'PROJECT_NOT_FOUND',
  });
  expect(await projects.find('/etc')).toBeUndefined();
  expect(await projects.find("team:' or true --")).toBeUndefined();
  const shared = createTeamProjects({
    database,
    pathOf: async () => '/',
    sharedFolders: ['/srv/shared/'],
  });
  const create = (path: string) =>
    shared.create({ name: 'x', source: { kind: 'folder', path }, now: () => new Date() });
  expect(await create('/srv/shared/site')).toMatchObject({ name: 'x' });
  await expect(create('/srv/shared-evil')).rejects.toMatchObject({ code: 'USAGE' });
  for (const source of [
    { kind: 'folder', path: '/etc' },
    { kind: 'folder', path: 'relative' },
    { kind: 'folder', path: '/a/../b' },
    { kind: 'git', url: 'file:///srv/other' },
    { kind: 'git', url: 'ext::sh -c x' },
    { kind: 'git', url: 'https://user:secret@example.com/a' },
  ] as const)
    await expect(projects.create({ name: 'x', source, now: () => new Date() })).rejects.toBeInstanceOf(
      CrewError,
    );
});

it('keeps a project in which a run was started while it was removed', async () => {
  const { projects, create, createWork } = await openProjects();
  const { projectId } = await create('Ours');
  const restored: string[] = [];
  const retire = async () => {
    await createWork(projectId);
    return { putBack: async () => void restored.push(projectId) };
  };
  await expect(projects.remove(projectId, retire)).rejects.toMatchObject({ code: 'RUN_LOCKED' });
  expect(restored).toEqual([projectId]);
  await expect(projects.read(projectId)).resolves.toMatchObject({ name: 'Ours' });
});

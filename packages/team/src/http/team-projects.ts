/** Projects that the team's server holds itself: create, upload, refresh from git, and changes that could not be merged. */
import { isUtf8 } from 'node:buffer';
import { TEAM_ENDPOINTS } from '@crewagent/protocol/api/accounts';
import type { ConflictResolution, ShownConflict } from '@crewagent/protocol/api/team';
import { mount, type Router } from '@crewagent/server/team';
import type { Identities } from '../access/identities.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { Resolution, StoredConflict } from '../workspaces/conflicts.ts';
import type { ProjectEntry } from '../workspaces/project-entry.ts';
import type { TeamProjects } from '../workspaces/team-projects.ts';
import type { ProjectActions } from '../workspaces/workspaces.ts';
import { requireIdentity } from './account-routes.ts';

export interface ProjectRoutes {
  readonly projects: TeamProjects;
  readonly actions: ProjectActions;
  readonly accounts: Accounts;
  readonly identities: Identities;
}

export function mountTeamProjects(router: Router, routes: ProjectRoutes): void {
  const { projects, actions, accounts } = routes;
  const { teamProjects, conflicts } = TEAM_ENDPOINTS;
  mount(router, teamProjects.create, async ({ viewer, body: { name, source, credentials }, signal }) => {
    const { personId } = requireIdentity(routes, viewer).person;
    const { projectId, name: stored } = await projects.create({ name, source, now: () => new Date() });
    await accounts.roles.set(projectId, personId, 'manage');
    if (source.kind === 'git')
      try {
        await actions.refresh({ projectId, by: personId, credentials, signal });
      } catch (error) {
        // Nobody wants a project without the files it was created for.
        await projects.remove(projectId, async () => ({ putBack: () => Promise.resolve() }));
        throw error;
      }
    return { projectId, name: stored };
  });
  mount(router, teamProjects.source, ({ params: { projectId } }) => projects.sourceOf(projectId));
  mount(router, teamProjects.uploadArchive, async ({ viewer, params: { projectId }, body }) => {
    const by = requireIdentity(routes, viewer).person.personId;
    const { version, conflicts: open } = await actions.uploadArchive({ projectId, by, content: body });
    return { version, conflicts: open.length };
  });
  mount(router, teamProjects.refresh, async ({ viewer, params: { projectId }, body, signal }) => {
    const by = requireIdentity(routes, viewer).person.personId;
    const { version, conflicts: open } = await actions.refresh({ projectId, by, signal, ...body });
    return { version, conflicts: open.length };
  });
  mount(router, conflicts.list, async ({ params: { projectId } }) => {
    const open = await actions.listConflicts(projectId);
    return { conflicts: await Promise.all(open.map((conflict) => toShown(conflict, actions))) };
  });
  mount(router, conflicts.resolve, async ({ viewer, params, body }) => {
    const by = requireIdentity(routes, viewer).person.personId;
    const resolution = toResolution(body.resolution);
    return { version: await actions.resolveConflict({ ...params, by, resolution }) };
  });
}

async function toShown(
  { conflictId, path, reason, rootId, madeAt, theirs, ours }: StoredConflict,
  actions: ProjectActions,
): Promise<ShownConflict> {
  return {
    conflictId: String(conflictId),
    path,
    reason,
    ...(rootId === undefined ? {} : { workId: rootId }),
    madeAt: madeAt.toISOString(),
    project: await toSide(theirs, actions),
    change: await toSide(ours, actions),
  };
}

/** Longer texts are compared with other programs. */
const MAX_SHOWN_BYTES = 200_000;

async function toSide(
  entry: ProjectEntry | undefined,
  { readEntry }: ProjectActions,
): Promise<ShownConflict['project']> {
  if (!entry) return null;
  const { kind, bytes } = entry;
  const content = kind !== 'folder' && bytes <= MAX_SHOWN_BYTES ? await readEntry(entry) : undefined;
  const isText = content !== undefined && isUtf8(content) && !content.includes(0);
  return { bytes, ...(isText ? { text: content.toString() } : {}) };
}

/** The store speaks of the merge: ours is the change, theirs the project. */
function toResolution(resolution: ConflictResolution): Resolution {
  if (resolution.take === 'project') return { take: 'theirs' };
  if (resolution.take === 'change') return { take: 'ours' };
  return resolution;
}

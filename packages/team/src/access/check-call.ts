/**
 * Compares a call with its rule in the table of rights. Somebody without `view` in a project learns nothing of it: what they may not see
 * does not exist.
 */
import { CrewError } from '@crewagent/core';
import { storeIdSchema } from '@crewagent/protocol/api/ids';
import { isObject } from '@crewagent/protocol/json-object';
import { includesRole, type Role } from '@crewagent/protocol/roles';
import type { Queries } from '../database/database.ts';
import type { Identity } from './identities.ts';
import type { Field, Need, Rule } from './rights.ts';

/** The body is undefined before it is read. */
export type CallParts = Readonly<Partial<Record<'params' | 'query' | 'body', unknown>>>;

/** What a call is about. */
export interface Targets {
  /** Undefined: there is no such project or Work. */
  readonly projectIds: readonly (string | undefined)[];
  readonly workIds: readonly string[];
}

/** Throws unless the person may make the call, as far as it is known. Returns what it is about. */
export async function checkCall(
  queries: Queries,
  rule: Rule,
  identity: Identity | undefined,
  parts: CallParts,
): Promise<Targets> {
  requireNeed(floorOf(rule.needs), identity, []);
  const targets = await findTargets(queries, rule, parts);
  for (const projectId of targets.projectIds) requireVisible(identity, projectId);
  const isWaiting = parts.body === undefined && readsBody(rule);
  if (targets.projectIds.length > 0) requireNeed(rule.needs, identity, targets.projectIds);
  else if (!isWaiting) requireNeed(rule.otherwise ?? rule.needs, identity, []);
  const more = isObject(parts.body) ? rule.bodyNeeds?.(parts.body) : undefined;
  if (more) requireNeed(more, identity, targets.projectIds);
  return targets;
}

/** Whether what a call needs depends on its body. */
export function readsBody({ projects = [], works = [], bodyNeeds }: Rule): boolean {
  return bodyNeeds !== undefined || [...projects, ...works].some((field) => field.startsWith('body.'));
}

async function findTargets(
  queries: Queries,
  { projects = [], works = [] }: Rule,
  parts: CallParts,
): Promise<Targets> {
  const workIds = works.flatMap((field) => idsIn(parts, field));
  const rows =
    workIds.length === 0
      ? []
      : await queries.read<{ work_id: string; project_id: string }>(
          'select work_id, project_id from works where work_id = any($1)',
          [workIds.filter(isId)],
        );
  const projectOf = new Map(rows.map(({ work_id, project_id }) => [work_id, project_id]));
  const named = projects.flatMap((field) => idsIn(parts, field));
  return {
    workIds,
    projectIds: [
      ...named.map((id) => (isId(id) ? id : undefined)),
      ...workIds.map((workId) => projectOf.get(workId)),
    ],
  };
}

/** The same error for what does not exist and for what is not theirs. */
function requireVisible(identity: Identity | undefined, projectId: string | undefined): void {
  if (!identity) throw signInRequired();
  if (projectId === undefined || roleIn(identity, projectId) === undefined)
    throw new CrewError('NOT_FOUND', 'There is no such project or Work.');
}

function requireNeed(
  need: Need,
  identity: Identity | undefined,
  projectIds: readonly (string | undefined)[],
): void {
  if (need === 'anyone') return;
  if (!identity) throw signInRequired();
  if (need === 'person') return;
  if (need === 'self' || need === 'admin') {
    if (identity.via === 'token')
      throw denied('This needs a person who is signed in; a token does not suffice.');
    if (need === 'admin' && !identity.isAdmin) throw denied('This needs an administrator.');
    return;
  }
  const roles =
    projectIds.length > 0
      ? projectIds.map((projectId) => roleIn(identity, projectId ?? ''))
      : [greatestOf(identity)];
  if (!roles.every((role) => includesRole(role, need))) throw denied(`This needs the role "${need}".`);
}

/** What a call needs whatever it is about. */
function floorOf(need: Need): Need {
  return need === 'anyone' || need === 'self' || need === 'admin' ? need : 'person';
}

function roleIn({ isAdmin, roles }: Identity, projectId: string): Role | undefined {
  return isAdmin ? 'manage' : roles.get(projectId);
}

/** The greatest role in any project. */
function greatestOf({ isAdmin, roles }: Identity): Role | undefined {
  if (isAdmin) return 'manage';
  return [...roles.values()].reduce<Role | undefined>(
    (greatest, role) => (includesRole(greatest, role) ? greatest : role),
    undefined,
  );
}

/** Ids in a field; none if it is left out. */
function idsIn(parts: CallParts, field: Field): string[] {
  const [part = '', name = ''] = field.split('.');
  const fields = parts[part as keyof CallParts];
  const value = isObject(fields) ? fields[name] : undefined;
  return value === undefined ? [] : [String(value)];
}

function isId(id: string): boolean {
  return storeIdSchema.safeParse(id).success;
}

function signInRequired(): CrewError {
  return new CrewError('SIGN_IN_REQUIRED', 'Sign in first.');
}

function denied(message: string): CrewError {
  return new CrewError('ACCESS_DENIED', message);
}

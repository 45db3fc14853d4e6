/**
 * Who could not go on without a package: unfinished runs that are pinned to it, and conversations with one of its agents.
 * Reads records, writes nothing.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { conversationRecordSchema, enteredAgentSchema } from '@crewagent/protocol/conversation';
import { runRecordSchema } from '@crewagent/protocol/run';
import * as z from '@crewagent/protocol/zod';
import { errnoOf } from '../base/errno.ts';
import { parseStagingName } from '../base/staging.ts';
import type { StoreLayout } from './layout.ts';

/** Something that would be lost without a package. */
export interface PackageUser {
  readonly projectId: string;
  readonly id: string;
}

/** Runs that would be lost without this package. */
export async function runsNeedingPackage(store: StoreLayout, hash: string): Promise<PackageUser[]> {
  return findUsers(store, { folder: 'runs', record: 'run.json' }, (value) => {
    const run = pinSchema.safeParse(value);
    if (!run.success) return true;
    const { packageHash, phase } = run.data;
    return packageHash === hash && (phase === 'Running' || phase === 'WaitingUser');
  });
}

/** Conversations in which a person talks to an agent of this package. One that is archived can do without. */
export async function conversationsNeedingPackage(store: StoreLayout, hash: string): Promise<PackageUser[]> {
  return findUsers(store, { folder: 'conversations', record: 'conversation.json' }, (value) => {
    const conversation = agentPinSchema.safeParse(value);
    if (!conversation.success) return true;
    const { agent, archivedAt } = conversation.data;
    return agent?.package.hash === hash && archivedAt === undefined;
  });
}

/** All that is asked here, so that a record of another version can still answer. */
const pinSchema = z.looseObject(runRecordSchema.pick({ packageHash: true, phase: true }).shape);

const agentPinSchema = z.looseObject({
  agent: z
    .looseObject({ package: z.looseObject(enteredAgentSchema.shape.package.pick({ hash: true }).shape) })
    .optional(),
  archivedAt: conversationRecordSchema.shape.archivedAt,
});

/** A record that cannot be read counts: better kept than lost. */
async function findUsers(
  store: StoreLayout,
  names: { readonly folder: string; readonly record: string },
  needsPackage: (record: unknown) => boolean,
): Promise<PackageUser[]> {
  const users: PackageUser[] = [];
  for (const projectId of await namesIn(store.projects)) {
    // Half deleted.
    if (parseStagingName(projectId)) continue;
    const folder = join(store.projects, projectId, names.folder);
    for (const id of await namesIn(folder)) {
      // Half made or half deleted.
      if (parseStagingName(id)) continue;
      const text = await readIfPresent(join(folder, id, names.record));
      if (text !== undefined && needsPackage(parseIfJson(text))) users.push({ projectId, id });
    }
  }
  return users;
}

/** Undefined for what is no JSON, which is no record either. */
function parseIfJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}

/** Undefined when there is no record, and so nobody; nothing readable when it is there and cannot be read. */
async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined;
    if (errnoOf(error) !== undefined) return '';
    throw error;
  }
}

/**
 * Works that need a package: unfinished runs pinned to it, and conversations with one of its agents. Read-only.
 */
import { readFile } from 'node:fs/promises';
import { conversationRecordSchema, enteredAgentSchema } from '@crewagent/protocol/conversation';
import { parseJson } from '@crewagent/protocol/json-object';
import { runRecordSchema } from '@crewagent/protocol/run';
import * as z from '@crewagent/protocol/zod';
import { errnoOf } from '../../../base/errno.ts';
import type { PackageUsers } from '../../package-store.ts';
import { nounOf } from '../../work-records.ts';
import { listAddresses } from '../find-works.ts';
import type { StoreLayout } from '../layout.ts';

/** Unfinished runs of the package, and conversations with one of its agents that are not archived. */
export async function worksNeedingPackage(store: StoreLayout, hash: string): Promise<PackageUsers> {
  const users = { runs: [] as string[], conversations: [] as string[], projectIds: new Set<string>() };
  for (const address of await listAddresses(store, {})) {
    const text = await readIfPresent(store.work(address).record);
    if (text === undefined) continue;
    const record = parseJson(text);
    const noun = nounOf(address);
    if (!(noun === 'run' ? isPinned(record, hash) : isWithAgent(record, hash))) continue;
    users[`${noun}s`].push(address.workId);
    users.projectIds.add(address.projectId);
  }
  return users;
}

/** A record that cannot be read counts as pinned, so that the package is not deleted by mistake. */
function isPinned(record: unknown, hash: string): boolean {
  const run = pinSchema.safeParse(record);
  if (!run.success) return true;
  const { packageHash, phase } = run.data;
  return packageHash === hash && (phase === 'Running' || phase === 'WaitingUser');
}

function isWithAgent(record: unknown, hash: string): boolean {
  const conversation = agentPinSchema.safeParse(record);
  if (!conversation.success) return true;
  const { agent, archivedAt } = conversation.data;
  return agent?.package.hash === hash && archivedAt === undefined;
}

/** Only the required fields, so that records of other versions can be read. */
const pinSchema = z.looseObject(z.pick(runRecordSchema, { packageHash: true, phase: true }).shape);

const agentPinSchema = z.looseObject({
  agent: z.optional(
    z.looseObject({ package: z.looseObject(z.pick(enteredAgentSchema.shape.package, { hash: true }).shape) }),
  ),
  archivedAt: conversationRecordSchema.shape.archivedAt,
});

/** Undefined if there is no record; empty if it cannot be read. */
async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined;
    if (errnoOf(error) !== undefined) return '';
    throw error;
  }
}

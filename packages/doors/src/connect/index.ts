/**
 * Adds our server to the configuration of another agent, and takes it out again, to the byte if nobody has changed the file since.
 * What was replaced is remembered, not the file: it may have secrets of others.
 */
import { readFile, realpath, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CrewError, errnoOf, makeFolders, replaceFile, sha256Of, withDiskErrors } from '@crewagent/core';
import { isObject } from '@crewagent/protocol/json-object';
import {
  AGENTS,
  type Agent,
  type AgentName,
  isAgentName,
  type Launch,
  type Places,
  type Scope,
} from './agents.ts';
import { editConfig, hasEntry } from './edit-config.ts';
import { findCommand } from './find-command.ts';

export { AGENTS, type AgentName, findCommand, isAgentName, type Launch, type Scope };

/** A change of one file, to be shown before it is made. */
export interface PlannedChange {
  readonly file: string;
  /** Whether our entry is in the file afterwards. */
  readonly isConnected: boolean;
  /** Undefined: there is no such file. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export interface ConnectionRequest {
  readonly agent: AgentName;
  readonly scope: Scope;
  readonly places: Places;
  /** Of this program: remembers what was written. */
  readonly storeRoot: string;
}

export async function planConnection(
  { agent, scope, places }: ConnectionRequest,
  launch: Launch,
): Promise<PlannedChange> {
  const target = AGENTS[agent];
  const { file, before } = await findFile(target, scope, places);
  const after = inFile(file, () => editConfig(before ?? '', target, target.toEntry(launch)));
  return { file, before, after, isConnected: true };
}

export async function planDisconnection({
  agent,
  scope,
  places,
  storeRoot,
}: ConnectionRequest): Promise<PlannedChange> {
  const target = AGENTS[agent];
  const { file, before } = await findFile(target, scope, places);
  if (before === undefined || !inFile(file, () => hasEntry(before, target)))
    return { file, before, after: before, isConnected: false };
  const toRemoval = (after: string | undefined) => ({ file, before, after, isConnected: false });
  const written = (await readWritten(storeRoot)).find((each) => each.file === file);
  if (!written || sha256Of(before) !== written.sha256)
    return toRemoval(inFile(file, () => editConfig(before, target, undefined)));
  const { start, length, replaced } = written;
  if (replaced === null) return toRemoval(undefined);
  return toRemoval(before.slice(0, start) + replaced + before.slice(start + length));
}

/** Of the files that it may be: the one with our entry, else the first that is there, else the first. */
async function findFile(target: Agent, scope: Scope, places: Places) {
  const names = target.files(scope, places);
  const all = await Promise.all(names.map(async (file) => ({ file, before: await readText(file) })));
  const there = all.filter(({ before }) => before !== undefined);
  const [first = { file: names[0], before: undefined }] = there;
  if (there.length < 2) return first;
  return there.find(({ file, before = '' }) => inFile(file, () => hasEntry(before, target))) ?? first;
}

/** Throws USAGE if the file has changed since the plan was made. */
export async function applyChange(
  { file, before, after, isConnected }: PlannedChange,
  { storeRoot }: Pick<ConnectionRequest, 'storeRoot'>,
): Promise<void> {
  if ((await readText(file)) !== before)
    throw new CrewError('USAGE', `"${file}" was changed meanwhile. Nothing was written; try again.`);
  const others = (await readWritten(storeRoot)).filter((each) => each.file !== file);
  await withDiskErrors(`Could not write "${file}"`, async () => {
    if (after === undefined) await rm(file);
    else {
      makeFolders(dirname(file));
      // A link stays one: settings are often kept elsewhere.
      const target = before === undefined ? file : await realpath(file);
      const mode = before === undefined ? 0o600 : (await stat(target)).mode & 0o777;
      await replaceFile(target, after, mode);
    }
  });
  const next = isConnected && after !== undefined ? [...others, toWritten(file, before, after)] : others;
  makeFolders(storeRoot);
  await replaceFile(join(storeRoot, WRITTEN), JSON.stringify(next));
}

const WRITTEN = 'connections.json';

/** The part of the file that we wrote, and what was there before; null: no file. */
interface Written {
  readonly file: string;
  readonly sha256: string;
  readonly start: number;
  readonly length: number;
  readonly replaced: string | null;
}

function toWritten(file: string, before: string | undefined, after: string): Written {
  const old = before ?? '';
  let start = 0;
  while (start < old.length && old[start] === after[start]) start++;
  let end = 0;
  while (end < old.length - start && old[old.length - 1 - end] === after[after.length - 1 - end]) end++;
  const replaced = before === undefined ? null : old.slice(start, old.length - end);
  return { file, sha256: sha256Of(after), start, length: after.length - end - start, replaced };
}

async function readWritten(storeRoot: string): Promise<Written[]> {
  const text = await readText(join(storeRoot, WRITTEN));
  try {
    const found: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(found) ? found.filter(isWritten) : [];
  } catch {
    return [];
  }
}

function isWritten(value: unknown): value is Written {
  return (
    isObject(value) &&
    typeof value.file === 'string' &&
    typeof value.sha256 === 'string' &&
    typeof value.start === 'number' &&
    typeof value.length === 'number' &&
    (value.replaced === null || typeof value.replaced === 'string')
  );
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    return withDiskErrors(`Could not read "${file}"`, () => Promise.reject(error));
  }
}

function inFile<Result>(file: string, edit: () => Result): Result {
  try {
    return edit();
  } catch (error) {
    if (error instanceof CrewError) throw new CrewError(error.code, `${file}: ${error.message}`);
    throw error;
  }
}

/**
 * The JSON files of the store: read and held against a schema, replaced as a whole, and changed by one process at a time.
 */
import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type * as z from '@crewagent/protocol/zod';
import { CrewError } from '../../base/crew-error.ts';
import { createFolders, replaceFile } from '../../base/durable-files.ts';
import { errnoOf, withDiskErrors } from '../../base/errno.ts';
import { sweepTempFiles } from '../../base/staging.ts';
import { lockFile } from './file-lock.ts';

/** A JSON file, undefined when there is none. Throws STORE_DAMAGED when it is not JSON. */
export async function readStoreFile(file: string): Promise<unknown> {
  const text = await withDiskErrors(`Could not read ${basename(file)}`, () => readIfPresent(file));
  return text === undefined ? undefined : parseJson(text, file);
}

/** Nothing of the text is told: it may hold what nobody should see. */
export function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw damagedFile(file, 'it is not JSON');
  }
}

/** The value as the schema reads it. Throws STORE_DAMAGED with what `describe` says of the faults. */
export function parseStored<T>(
  schema: z.ZodType<T>,
  value: unknown,
  file: string,
  describe: (error: z.ZodError) => string = firstIssue,
): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  if (isOfNewerVersion(value)) {
    const message = `"${basename(file)}" in the store was written by a newer version of crewagent; use that version.`;
    throw new CrewError('STORE_DAMAGED', message, { details: { file } });
  }
  throw damagedFile(file, describe(parsed.error));
}

/** Where a value does not fit, and why. */
export function firstIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  const place = issue?.path.map(String).join('.');
  return `${place ? `"${place}": ` : ''}${issue?.message ?? 'it does not fit'}`;
}

/** The path stays out of the sentence: what is said about a run goes into its log. */
function damagedFile(file: string, why: string): CrewError {
  const message = `"${basename(file)}" in the store is damaged (${why}); mend it or restore it from a backup.`;
  return new CrewError('STORE_DAMAGED', message, { details: { file } });
}

function isOfNewerVersion(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('schemaVersion' in value)) return false;
  return typeof value.schemaVersion === 'number' && value.schemaVersion > 1;
}

/** Durable when it resolves, and for the owner's eyes only. */
export async function writeStoreFile(file: string, value: unknown): Promise<void> {
  await replaceFile(file, `${JSON.stringify(value, null, 2)}\n`);
}

const WAIT_MS = 2_000;

/** Runs `work`, which reads and writes `file`, while nobody else changes it. Makes the folder if need be. */
export async function changeStoreFile<T>(file: string, work: () => Promise<T>): Promise<T> {
  return withDiskErrors(describeChange(file), async () => {
    await createFolders(dirname(file));
    return changeInPlace(file, work);
  });
}

/** The same for a file in a folder that may be gone and then stays gone: refusals of the system are thrown as they come. */
export async function changeInPlace<T>(file: string, work: () => Promise<T>): Promise<T> {
  const attempt = await lockFile(`${file}.lock`, { waitMs: WAIT_MS });
  if (!attempt.isAccepted) {
    const { pid } = attempt;
    const holder = pid === undefined ? 'another process' : `process ${pid}`;
    throw new CrewError('DISK', `${describeChange(file)}: ${holder} is still writing it; try again.`);
  }
  try {
    await sweepTempFiles(dirname(file), { isDeep: false });
    return await work();
  } finally {
    await attempt.lock.release();
  }
}

function describeChange(file: string): string {
  return `Could not change ${basename(file)}`;
}

async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * JSON files of the store: validated when read, replaced atomically, and changed by one process at a time.
 */

import { basename, dirname } from 'node:path';
import type * as z from '@crewagent/protocol/zod';
import { CrewError } from '../../base/crew-error.ts';
import { createFolders, replaceFile } from '../../base/durable-files.ts';
import { withDiskErrors } from '../../base/errno.ts';
import { readIfPresent } from '../../base/small-files.ts';
import { parseJson } from '../stored-document.ts';
import { type FileMark, isUnchanged, readFileMark } from './change-marks.ts';
import { describeChange, type TurnOptions, takeTurn } from './locks/file-turns.ts';

/** Undefined if there is no file. Throws STORE_DAMAGED if it is not JSON. */
export async function readStoreFile(file: string): Promise<unknown> {
  const text = await readStoreText(file);
  return text === undefined ? undefined : parseJson(text, file);
}

/** Reads a file that is read often: as long as its text is the same, so is the value. An unchanged file is not read again. */
export function createStoreFileReader(file: string): () => Promise<unknown> {
  let last: { readonly mark: FileMark; readonly text: string; readonly value: unknown } | undefined;
  return async () => {
    const mark = readFileMark(file);
    if (last && mark && isUnchanged(last.mark, mark)) return last.value;
    const text = await readStoreText(file);
    if (text === undefined) return undefined;
    const value = last?.text === text ? last.value : parseJson(text, file);
    last = mark && { mark, text, value };
    return value;
  };
}

/** Undefined if there is no file. */
export function readStoreText(file: string): Promise<string | undefined> {
  return withDiskErrors(`Could not read ${basename(file)}`, async () => readIfPresent(file));
}

/** Durable when it resolves. Readable by the owner only. */
export async function writeStoreFile(file: string, value: unknown): Promise<void> {
  await replaceFile(file, formatStoreFile(value));
}

export function formatStoreFile(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Runs `work`, which reads and writes `file`, under its lock. Creates the folder if it is missing. */
export async function changeStoreFile<T>(
  file: string,
  work: () => Promise<T>,
  options: TurnOptions = {},
): Promise<T> {
  return withDiskErrors(describeChange(file), async () => {
    await createFolders(dirname(file));
    return takeTurn(file, work, options);
  });
}

export async function readJson<T>(file: string, schema: z.ZodMiniType<T>): Promise<T | undefined> {
  try {
    return schema.safeParse(await readStoreFile(file)).data;
  } catch (error) {
    if (error instanceof CrewError && error.code === 'STORE_DAMAGED') return undefined;
    throw error;
  }
}

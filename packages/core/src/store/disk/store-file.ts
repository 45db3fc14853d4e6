/**
 * JSON files of the store: validated when read, replaced atomically, and changed by one process at a time.
 */
import { basename, dirname } from 'node:path';
import { CrewError } from '../../base/crew-error.ts';
import { createFolders, replaceFile } from '../../base/durable-files.ts';
import { withDiskErrors } from '../../base/errno.ts';
import { readIfPresent } from '../../base/small-files.ts';
import { sweepTempFiles } from '../../base/staging.ts';
import { parseJson } from '../parse-stored.ts';
import { lockFile } from './locks/file-lock.ts';

/** Undefined if there is no file. Throws STORE_DAMAGED if it is not JSON. */
export async function readStoreFile(file: string): Promise<unknown> {
  const text = await withDiskErrors(`Could not read ${basename(file)}`, async () => readIfPresent(file));
  return text === undefined ? undefined : parseJson(text, file);
}

/** Durable when it resolves. Readable by the owner only. */
export async function writeStoreFile(file: string, value: unknown): Promise<void> {
  await replaceFile(file, `${JSON.stringify(value, null, 2)}\n`);
}

const WAIT_MS = 2_000;

/** Runs `work`, which reads and writes `file`, under its lock. Creates the folder if it is missing. */
export async function changeStoreFile<T>(file: string, work: () => Promise<T>): Promise<T> {
  return withDiskErrors(describeChange(file), async () => {
    await createFolders(dirname(file));
    return changeInPlace(file, work);
  });
}

/** Like `changeStoreFile`, but does not create the folder, and throws system errors unchanged. */
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

/**
 * Cache of validated packages, so that a run need not validate its package again. An entry is valid for one hash and one
 * version of the runtime, and is recreated when it is missing.
 */
import { readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { VERSION } from '@crewagent/protocol/version';
import { replaceFile } from '../../../base/durable-files.ts';
import { errnoOf } from '../../../base/errno.ts';
import type { StorePaths } from '../layout.ts';

/** Increased whenever the stored form changes. */
const FORMAT = 6;

interface Compiled {
  readonly format: number;
  readonly runtimeVersion: string;
  readonly package: unknown;
}

/** Undefined if there is no entry, or one of another version. */
export async function readCompiled(store: StorePaths, hash: string): Promise<unknown> {
  try {
    const found = JSON.parse(readFileSync(store.compiledPackage(hash), 'utf8')) as Partial<Compiled> | null;
    return found?.runtimeVersion === VERSION && found.format === FORMAT ? found.package : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || errnoOf(error) !== undefined) return undefined;
    throw error;
  }
}

/** Ignores disk errors: the cache only saves time. */
export async function writeCompiled(store: StorePaths, hash: string, compiled: unknown): Promise<void> {
  const file = store.compiledPackage(hash);
  const content: Compiled = { format: FORMAT, runtimeVersion: VERSION, package: compiled };
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await replaceFile(file, JSON.stringify(content));
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}

export async function removeCompiled(store: StorePaths, hash: string): Promise<void> {
  await rm(store.compiledPackage(hash), { force: true });
}

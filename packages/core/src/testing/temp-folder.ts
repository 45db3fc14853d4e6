/**
 * Temporary folders that are deleted after the test.
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { removeTree } from '../base/remove-tree.ts';

export { readTree, writeTree } from './file-tree.ts';

export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'crewagent-test-'));
  onTestFinished(() => removeTree(folder));
  return folder;
}

/**
 * A temporary folder that is deleted after the test.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ROOT } from './running-command.ts';

export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'crewagent-cli-'));
  onTestFinished(() => {
    // A command in this process may have changed the working directory to this folder.
    process.chdir(ROOT);
    rmSync(dir, { recursive: true, force: true });
  });
  return dir;
}

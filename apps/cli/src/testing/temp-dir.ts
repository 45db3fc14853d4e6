/**
 * A folder that vanishes with the test.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ROOT } from './running-command.ts';

export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'crewagent-cli-'));
  onTestFinished(() => {
    // A command in this process may have left the working folder in there.
    process.chdir(ROOT);
    rmSync(dir, { recursive: true, force: true });
  });
  return dir;
}

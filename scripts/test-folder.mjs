/**
 * Where tests put their files: in memory where the system offers that, since they sync thousands of them.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';
const MIN_FREE_BYTES = 4 * 1024 ** 3;

export function makeTestFolder() {
  const inMemory = isRoomy(IN_MEMORY) ? makeFolder(IN_MEMORY) : undefined;
  if (inMemory && mayExecute(inMemory)) return inMemory;
  if (inMemory) rmSync(inMemory, { recursive: true });
  return makeFolder(tmpdir());
}

function makeFolder(parent) {
  const folder = mkdtempSync(join(parent, 'crewagent-tests-'));
  // Some tests are another user for a while.
  chmodSync(folder, 0o755);
  return folder;
}

function isRoomy(folder) {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= MIN_FREE_BYTES;
}

/** Containers often forbid to run programs there, and some tests write one. */
function mayExecute(folder) {
  const probe = join(folder, 'probe');
  writeFileSync(probe, '#!/bin/sh\n', { mode: 0o755 });
  return spawnSync(probe).status === 0;
}

/**
 * The temp folder of tests: in memory if possible, because tests sync thousands of files.
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
  // Some tests switch to another user.
  chmodSync(folder, 0o755);
  return folder;
}

function isRoomy(folder) {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= MIN_FREE_BYTES;
}

/** Containers often mount it noexec, but some tests execute a file. */
function mayExecute(folder) {
  const probe = join(folder, 'probe');
  writeFileSync(probe, '#!/bin/sh\n', { mode: 0o755 });
  return spawnSync(probe).status === 0;
}

import { execFileSync } from 'node:child_process';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { driverPath } from '../testing/driver-path.ts';
import { tempFolder } from '../testing/temp-folder.ts';

const ORDINARY_USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

it.each([
  ['artifacts/k.md', 'nothing', 'DISK_READ_ONLY'],
  ['README.md', 'nothing', 'DISK_READ_ONLY'],
  ['README.md', 'artifacts', 'EACCES'],
  ['artifacts/k.md', 'artifacts', 'written'],
  ['src/a.md', 'src', 'written'],
  ['artifacts/k.md', 'src', 'DISK_READ_ONLY'],
])('[L102] a change of %s in a read-only project where %s is writable: %s', async (path, writable, code) => {
  const root = await tempFolder();
  const project = join(root, 'project');
  await mkdir(join(project, writable), { recursive: true });
  if (writable !== 'nothing') await chmod(join(project, writable), 0o777);
  await chmod(project, 0o555);
  await chmod(root, 0o755);
  const args = [driverPath('write-file'), project, path];
  expect(execFileSync(process.execPath, args, { encoding: 'utf8', ...ORDINARY_USER })).toBe(code);
});

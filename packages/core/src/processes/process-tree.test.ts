import { type ChildProcess, spawn } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { processesIn } from '../testing/rigs/mcp-rig.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { startProcessTree } from './process-tree.ts';

const start = (cwd: string, script: string) =>
  startProcessTree({ command: '/bin/sh', args: ['-c', script], env: {}, inheritEnv: [], cwd });

it('[Y26] a process that leaves its process group is killed with the tree', async () => {
  const cwd = await tempFolder();
  const tree = start(cwd, 'setsid sleep 991 & setsid setsid sleep 992 & sleep 993');
  await expect.poll(() => processesIn(cwd).length).toBeGreaterThanOrEqual(5);
  await tree.kill();
  await expect.poll(() => processesIn(cwd)).toEqual([]);
});

it('[Y26] a process that is replacing its program is killed with the tree', async () => {
  const cwd = await tempFolder();
  const again = `exec sh -c "$1" sh "$1"`;
  const tree = start(cwd, `for i in 1 2 3 4; do setsid sh -c '${again}' sh '${again}' & done; sleep 996`);
  await expect.poll(() => processesIn(cwd).length).toBeGreaterThanOrEqual(7);
  await tree.kill();
  await expect.poll(() => processesIn(cwd)).toEqual([]);
});

it('[Y26] processes of others stay', async () => {
  const cwd = await tempFolder();
  const other: ChildProcess = spawn('sleep', ['994'], { cwd });
  onTestFinished(() => void other.kill('SIGKILL'));
  const tree = start(cwd, 'sleep 995');
  await expect.poll(() => processesIn(cwd).length).toBeGreaterThanOrEqual(3);
  await tree.kill();
  await expect.poll(() => processesIn(cwd)).toEqual([other.pid]);
});

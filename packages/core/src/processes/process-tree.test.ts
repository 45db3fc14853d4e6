import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { driverPath } from '../testing/driver-path.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { processesIn } from '../testing/views.ts';
import { startProcessTree } from './process-tree.ts';

const start = (cwd: string, script: string) =>
  startProcessTree({ command: '/bin/sh', args: ['-c', script], env: {}, inheritEnv: [], cwd });

it('[Y12] a process that leaves its process group is killed with the tree', async () => {
  const cwd = await tempFolder();
  const tree = start(cwd, 'setsid sleep 991 & setsid setsid sleep 992 & sleep 993');
  await expect.poll(() => processesIn(cwd).length).toBeGreaterThanOrEqual(5);
  await tree.kill();
  await expect.poll(() => processesIn(cwd)).toEqual([]);
});

it('[Y12] a process that is replacing its program is killed with the tree', async () => {
  const cwd = await tempFolder();
  const again = `exec sh -c "$1" sh "$1"`;
  const tree = start(cwd, `for i in 1 2 3 4; do setsid sh -c '${again}' sh '${again}' & done; sleep 996`);
  await expect.poll(() => processesIn(cwd).length).toBeGreaterThanOrEqual(7);
  await tree.kill();
  await expect.poll(() => processesIn(cwd)).toEqual([]);
});

it('[Y12] processes of others stay', async () => {
  const cwd = await tempFolder();
  const other: ChildProcess = spawn('sleep', ['994'], { cwd });
  onTestFinished(() => void other.kill('SIGKILL'));
  const tree = start(cwd, 'sleep 995');
  await expect.poll(() => processesIn(cwd).length).toBeGreaterThanOrEqual(3);
  await tree.kill();
  await expect.poll(() => processesIn(cwd)).toEqual([other.pid]);
});

/** Leaves the session, forks twice, and clears its environment. */
const ESCAPE = 'env -i setsid sh -c "env -i setsid sleep 997 & echo away" ';

const CGROUPS = ['/sys/fs/cgroup/unified', '/sys/fs/cgroup'].find((folder) =>
  existsSync(join(folder, 'cgroup.procs')),
);
const hasCgroup = process.getuid?.() === 0 && CGROUPS !== undefined;

/** A cgroup that belongs to another user, as a system gives it to the sessions of a person. */
function delegateCgroup(uid: number): string {
  const folder = join(CGROUPS ?? '', `crewagent-test-${process.pid}-${Date.now()}`);
  mkdirSync(folder);
  for (const name of ['', 'cgroup.procs', 'cgroup.threads', 'cgroup.subtree_control'])
    chownSync(join(folder, name), uid, uid);
  onTestFinished(() => rmdirSync(folder));
  return folder;
}

const OTHER = 65_534;

interface Driver {
  /** The cgroup that the process is in. */
  readonly delegated: string;
  readonly uid: number | undefined;
  readonly script: string;
}

/** Another process of ours that starts a process tree. */
function startDriver(cwd: string, { delegated, uid, script }: Driver) {
  const enter = `echo 0 > ${delegated}/cgroup.procs; exec "$@"`;
  const asUser = uid === undefined ? [] : ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
  const node = [process.execPath, driverPath('tree-driver'), script];
  return spawn('/bin/sh', ['-c', enter, 'sh', ...asUser, ...node], { cwd });
}

describe.skipIf(!hasCgroup)('a process that left its session and cleared its environment', () => {
  const cgroups = (): string[] => readdirSync(CGROUPS ?? '').filter((name) => /^crewagent-\d/.test(name));

  it('[Y12] is killed with the tree, when the tree ended by itself, and when it could not start', async () => {
    const cwd = await tempFolder();
    const killed = start(cwd, `${ESCAPE}; sleep 998`);
    await once(killed.stdout, 'data');
    expect(processesIn(cwd).length).toBeGreaterThanOrEqual(3);
    await killed.kill();
    await expect.poll(() => processesIn(cwd)).toEqual([]);
    expect(await start(cwd, ESCAPE).ended).toMatchObject({ code: 0 });
    await expect.poll(() => processesIn(cwd)).toEqual([]);
    expect((await start(join(cwd, 'missing'), ESCAPE).ended).error).toContain('ENOENT');
    expect(cgroups().filter((name) => name.includes(`-${process.pid}-`))).toEqual([]);
  });

  it('[Y12] is killed also if it made a cgroup inside its own', async () => {
    const cwd = await tempFolder();
    const inner =
      'd=$(grep ^0:: /proc/self/cgroup | cut -d: -f3); mkdir $0$d/inner && echo 0 > $0$d/inner/cgroup.procs';
    const tree = start(cwd, `sh -c '${inner}; ${ESCAPE}' ${CGROUPS ?? ''}; sleep 998`);
    await once(tree.stdout, 'data');
    await tree.kill();
    await expect.poll(() => processesIn(cwd)).toEqual([]);
    expect(cgroups().filter((name) => name.includes(`-${process.pid}-`))).toEqual([]);
  });

  it.each([
    ['root', undefined],
    ['a user to whom a cgroup was delegated', OTHER],
  ])('[Y12] is killed after kill -9 of our process, as %s', async (_, uid) => {
    const cwd = await tempFolder();
    chmodSync(cwd, 0o755);
    const delegated = uid === undefined ? (CGROUPS ?? '') : delegateCgroup(uid);
    const enter = `echo 0 > ${delegated ?? ''}/cgroup.procs; exec "$@"`;
    const asUser = uid === undefined ? [] : ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
    const node = [process.execPath, driverPath('tree-driver'), `${ESCAPE}; sleep 998`];
    const driver = spawn('/bin/sh', ['-c', enter, 'sh', ...asUser, ...node], { cwd });
    await once(driver.stdout, 'data');
    expect(processesIn(cwd).length).toBeGreaterThanOrEqual(4);
    const owned = readdirSync(delegated).filter((name) => name.includes(`-${driver.pid ?? 0}-`));
    expect(owned).toHaveLength(1);
    driver.kill('SIGKILL');
    await expect.poll(() => processesIn(cwd)).toEqual([]);
    await expect.poll(() => readdirSync(delegated)).not.toContain(owned[0]);
  });

  it('[Y12] is killed at the next start if nobody was left to do it', async () => {
    const cwd = await tempFolder();
    const { pid = 0 } = spawnSync('/bin/true');
    const [namespace = ''] = /\d+/.exec(readlinkSync('/proc/self/ns/pid')) ?? [];
    const leftover = join(CGROUPS ?? '', `crewagent-${namespace}-${pid}-leftover`);
    mkdirSync(leftover);
    const lost = spawn('sleep', ['999'], { cwd, detached: true });
    writeFileSync(join(leftover, 'cgroup.procs'), String(lost.pid));
    const driver = spawn(process.execPath, [driverPath('tree-driver'), 'echo started'], { cwd });
    await once(driver.stdout, 'data');
    await expect
      .poll(() => readdirSync(CGROUPS ?? ''))
      .not.toContain(`crewagent-${namespace}-${pid}-leftover`);
    driver.stdin.end();
    await once(driver, 'exit');
    expect(lost.signalCode).toBe('SIGKILL');
  });

  it.each([
    ['cannot enter its cgroup', (folder: string) => writeFileSync(join(folder, 'cgroup.type'), 'threaded')],
    ['may not have one', (folder: string) => chownSync(join(folder, 'cgroup.procs'), 0, 0)],
  ])('[Y12] a tree that %s starts without one, and is found by its mark', async (_, forbid) => {
    const cwd = await tempFolder();
    chmodSync(cwd, 0o755);
    const delegated = delegateCgroup(OTHER);
    forbid(delegated);
    const driver = startDriver(cwd, {
      delegated,
      uid: OTHER,
      script: 'setsid sleep 995 & echo started; sleep 996',
    });
    await once(driver.stdout, 'data');
    expect(readdirSync(delegated, { withFileTypes: true }).filter((entry) => entry.isDirectory())).toEqual(
      [],
    );
    driver.stdin.end();
    await once(driver, 'exit');
    await expect.poll(() => processesIn(cwd)).toEqual([]);
  });
});

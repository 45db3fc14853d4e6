/**
 * Sandboxes of the operating system for child processes: bubblewrap on Linux, seatbelt on macOS. Whether one isolates is tried
 * out once in each process, never assumed.
 */
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxState } from '@crewagent/protocol/sandbox';
import { isInside } from '../base/is-inside.ts';
import { findBubblewrap, wrapInBubblewrap } from './bubblewrap.ts';
import { startProcessTree } from './process-tree.ts';
import type { SandboxAccess, WrappedCommand } from './sandbox-access.ts';
import { SEATBELT, wrapInSeatbelt } from './seatbelt.ts';

export interface Sandbox {
  readonly state: SandboxState;
  /** Undefined if there is no sandbox. */
  wrap?(command: WrappedCommand, cwd: string, access: SandboxAccess): WrappedCommand;
}

let found: Promise<Sandbox> | undefined;

/** The sandbox of this system. Tested on first use, then remembered. */
export function findSandbox(): Promise<Sandbox> {
  found ??= probeSandbox();
  return found;
}

/** The sandbox for a project: a project that contains the home folder cannot be isolated from it. */
export async function findProjectSandbox(project: string): Promise<Sandbox> {
  const home = await realpath(homedir()).catch(() => homedir());
  if (isInside(home, project))
    return none('The project contains your home folder, which a sandbox could not protect.');
  return findSandbox();
}

async function probeSandbox(): Promise<Sandbox> {
  if (process.platform === 'linux') {
    const program = findBubblewrap();
    if (program === undefined)
      return none('bubblewrap is not installed. Install the package "bubblewrap" and start again.');
    return probe({
      state: { kind: 'bubblewrap', isIsolating: true },
      wrap: (command, cwd, access) => wrapInBubblewrap(program, command, { cwd, access }),
    });
  }
  if (process.platform === 'darwin')
    return probe({
      // This profile has not been observed on a Mac, so it never replaces the consent of a person.
      state: {
        kind: 'seatbelt',
        isIsolating: false,
        reason: 'The macOS sandbox is applied, but it has not been verified.',
      },
      wrap: (command, cwd, access) => wrapInSeatbelt(SEATBELT, command, { cwd, access }),
    });
  return none('There is no sandbox for this operating system.');
}

function none(reason: string): Sandbox {
  return { state: { kind: 'none', isIsolating: false, reason } };
}

const PROBE_MS = 10_000;

/** Runs a command that writes in its project and tries to read a file beside it. */
async function probe(sandbox: Sandbox): Promise<Sandbox> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'crewagent-sandbox-')));
  try {
    const project = join(folder, 'project');
    const outside = join(folder, 'outside');
    await mkdir(project);
    await writeFile(outside, 'secret');
    const script = 'cat "$0" > leaked 2>/dev/null; echo done > inside';
    const access = { project, network: false, folders: [], readOnly: [], hidden: [] };
    const command = { command: '/bin/sh', args: ['-c', script, outside] };
    const wrapped = sandbox.wrap?.(command, project, access) ?? command;
    const child = startProcessTree({ ...wrapped, env: {}, inheritEnv: [], cwd: project });
    const timer = setTimeout(() => void child.kill(), PROBE_MS);
    let message = '';
    child.stderr.on('data', (chunk: Buffer) => (message = (message + chunk.toString('utf8')).slice(0, 300)));
    const { error = '' } = await child.ended;
    clearTimeout(timer);
    const isRun = (await readFile(join(project, 'inside'), 'utf8').catch(() => '')) === 'done\n';
    if (!isRun)
      return none(`The sandbox does not work here: ${(message || error).trim() || 'no reason given'}`);
    const leaked = await readFile(join(project, 'leaked'), 'utf8').catch(() => '');
    return leaked === '' ? sandbox : none('The sandbox does not isolate: a test could read a file outside.');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

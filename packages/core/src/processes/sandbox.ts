/**
 * The sandbox for child processes: an overlay and bubblewrap on Linux, a copy and seatbelt on macOS. Whether it isolates is tried
 * out once in each process, never assumed.
 */
import { lstat, mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { SandboxState } from '@crewagent/protocol/sandbox';
import { errnoSentence } from '../base/errno.ts';
import { isInside } from '../base/is-inside.ts';
import { removeTree } from '../base/remove-tree.ts';
import { createTempFolder } from '../base/temp-folder.ts';
import { openCopyView } from './copy-view.ts';
import { isRoot, openOverlayView } from './overlay-view.ts';
import { startProcessTree } from './process-tree.ts';
import { findSystemProgram } from './system-program.ts';
import type { View, ViewOptions } from './view.ts';

/** The project cannot be shown in a view, with the reason. */
export class NoView extends Error {}

export interface Sandbox {
  readonly state: SandboxState;
  /** Undefined if there is no sandbox. Throws NoView if the project cannot be shown in a view. */
  openView?(options: ViewOptions): Promise<View>;
}

let found: Promise<Sandbox> | undefined;

/** The sandbox of this system. Tested on first use, then remembered. */
export function findSandbox(): Promise<Sandbox> {
  found ??= probeSandbox();
  return found;
}

/** The sandbox for a project, with the reason if this project cannot have one. */
export async function findProjectSandbox(project: string): Promise<Sandbox> {
  const home = await realpath(homedir()).catch(() => homedir());
  const path = await realpath(project).catch(() => project);
  if (isInside(home, path))
    return none('The project contains your home folder, which a sandbox could not protect.');
  const sandbox = await findSandbox();
  const owner = sandbox.state.kind === 'bubblewrap' ? await findOwnerIssue(path) : undefined;
  return owner === undefined ? sandbox : none(owner);
}

/** Tries out a view of the project in this folder: disks differ in what they support. */
export async function tryView(sandbox: Sandbox, project: string, folder: string): Promise<Sandbox> {
  if (!sandbox.openView || sandbox.state.kind !== 'bubblewrap') return sandbox;
  try {
    const access = { project, folders: [], readOnly: [], hidden: [] };
    await (await sandbox.openView({ folder, access })).close();
    return sandbox;
  } catch (error) {
    if (!(error instanceof NoView)) throw error;
    await removeTree(folder);
    return none(error.message);
  }
}

/** In the sandbox only one user and one group exist, so files of others could not be changed. */
async function findOwnerIssue(project: string): Promise<string | undefined> {
  const { uid, gid } = await lstat(project);
  if (uid !== process.geteuid?.())
    return 'The project folder belongs to another user, so a sandbox could not change its files.';
  if (!isRoot() && gid !== process.getegid?.())
    return 'The project folder belongs to another group than your main group, so a sandbox could not change its files.';
  return undefined;
}

async function probeSandbox(): Promise<Sandbox> {
  if (process.platform === 'linux') {
    const missing = ['bwrap', 'unshare', 'nsenter', 'find', 'mknod'].find((name) => !findSystemProgram(name));
    const bubblewrap = findSystemProgram('bwrap');
    if (bubblewrap === undefined)
      return none('bubblewrap is not installed. Install the package "bubblewrap" and start again.');
    if (missing !== undefined)
      return none(`The program "${missing}" is not installed. Install it and start again.`);
    return probe({
      state: { kind: 'bubblewrap', isIsolating: true },
      openView: (options) =>
        openOverlayView(bubblewrap, options).catch((error: Error) => {
          // Without real paths: a model reads it.
          const why = errnoSentence(error) ?? error.message.replace(/\/[^\s:,']+/g, '…');
          throw new NoView(`The project cannot be shown in the sandbox: ${why}.`, { cause: error });
        }),
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
      openView: openCopyView,
    });
  return none('There is no sandbox for this operating system.');
}

function none(reason: string): Sandbox {
  return { state: { kind: 'none', isIsolating: false, reason } };
}

const PROBE_MS = 10_000;

/** Each attempt adds its name to a file that only the view has. */
const ATTEMPTS = `cat "$0" >/dev/null 2>&1 && echo outside >> result
grep -q secret .env 2>/dev/null && echo hidden >> result
echo x > .git/config 2>/dev/null && echo git >> result
echo done >> result`;

/** Runs a command that writes in the project, and tries to read a file beside it, a hidden file, and to change git. */
async function probe(sandbox: Sandbox): Promise<Sandbox> {
  const folder = await realpath(await createTempFolder('crewagent-sandbox-'));
  try {
    const project = join(folder, 'project');
    const view = join(folder, 'view');
    await mkdir(join(project, '.git'), { recursive: true });
    await mkdir(view);
    await Promise.all([
      writeFile(join(folder, 'outside'), 'secret'),
      writeFile(join(project, '.env'), 'secret'),
      writeFile(join(project, '.git', 'config'), ''),
    ]);
    const result = await attempt(sandbox, project, view);
    if (!result.written.endsWith('done\n'))
      return none(`The sandbox does not work here: ${result.message.trim() || 'no reason given'}`);
    if (result.written !== 'done\n')
      return none(`The sandbox does not isolate: a test got through (${result.written.split('\n')[0]}).`);
    const isReached = await readFile(join(project, 'result')).then(
      () => true,
      () => false,
    );
    return isReached ? none('The sandbox does not isolate: a test could change the project.') : sandbox;
  } finally {
    await removeTree(folder).catch(() => rm(folder, { recursive: true, force: true }));
  }
}

async function attempt(
  { openView }: Sandbox,
  project: string,
  folder: string,
): Promise<{ readonly written: string; readonly message: string }> {
  if (!openView) return { written: '', message: '' };
  const access = { project, folders: [], readOnly: ['.git'], hidden: ['.env'] };
  try {
    const view = await openView({ folder, access });
    try {
      const command = { command: '/bin/sh', args: ['-c', ATTEMPTS, `${project}/../outside`] };
      const child = startProcessTree({ ...view.wrap(command, []), inheritEnv: [] });
      const timer = setTimeout(() => void child.kill(), PROBE_MS);
      let message = '';
      child.stderr.on(
        'data',
        (chunk: Buffer) => (message = (message + chunk.toString('utf8')).slice(0, 300)),
      );
      const { error = '' } = await child.ended;
      clearTimeout(timer);
      const written = await readFile(join(view.contents, 'result'), 'utf8').catch(() => '');
      return { written, message: message || error };
    } finally {
      await view.close({ keep: true });
    }
  } catch (error) {
    return { written: '', message: (error as Error).message };
  }
}

/** Views of programs in tests: opened directly, and found while a command runs. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createSecretCheck } from '../mounts/sensitive/secret-files.ts';
import { startProcessTree } from '../processes/process-tree.ts';
import { findSandbox } from '../processes/sandbox.ts';
import { computeAccess } from '../processes/sandbox-access.ts';
import type { View } from '../processes/view.ts';
import { tempFolder } from './temp-folder.ts';

export interface ViewSettings {
  readonly network?: boolean;
  readonly folders?: readonly string[];
  readonly git?: boolean;
}

/** A view with the access that commands and servers get. */
export async function openView(project: string, settings: ViewSettings = {}): Promise<View> {
  const { openView: open } = await findSandbox();
  if (!open) throw new Error('no sandbox');
  const { network = false, folders = [], git = false } = settings;
  const options = { network, hosts: [], folders: [...folders], git };
  const access = await computeAccess({ project, options, isSecret: createSecretCheck() });
  const view = await open({ folder: await mkdtemp(join(await tempFolder(), 'view-')), access });
  onTestFinished(() => view.close());
  return view;
}

export async function runIn(
  view: View,
  script: string,
): Promise<{ readonly output: string; readonly code: number | null }> {
  const started = view.wrap({ command: '/bin/sh', args: ['-c', script] }, []);
  const tree = startProcessTree({ ...started, inheritEnv: [] });
  tree.stdin.end();
  let output = '';
  tree.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  tree.stderr.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  const { code } = await tree.ended;
  return { output, code };
}

/** A file that a running command wrote, as it is in its view; undefined if there is none. */
export function readInViews(root: string, name: string): string | undefined {
  const path = readdirSync(join(root, 'store'), { recursive: true })
    .map(String)
    .find((file) => file.endsWith(`/upper/${name}`));
  return path === undefined ? undefined : readFileSync(join(root, 'store', path), 'utf8');
}

/** Processes with this text in their command line. */
export function processesWith(text: string): number[] {
  return findProcesses((folder) =>
    readFileSync(`${folder}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(text),
  );
}

/** Processes whose working directory is this folder: servers of the project and their children. */
export function processesIn(cwd: string): number[] {
  return findProcesses((folder) => readlinkSync(`${folder}/cwd`) === cwd);
}

function findProcesses(fits: (folder: string) => boolean): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return fits(`/proc/${pid}`);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/**
 * Where ripgrep is on this machine: the one that came with us, else one on the PATH, else none.
 */
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { bareEnvironment } from '../base/bare-environment.ts';

/** The first release that knows every option we use. */
const OLDEST_MAJOR = 13;
const EXECUTABLE = process.platform === 'win32' ? 'rg.exe' : 'rg';

/** The absolute path of a ripgrep that runs, tried out once; undefined when there is none. */
export async function resolveRipgrep(): Promise<string | undefined> {
  for (const path of candidates()) if (await runs(path)) return path;
  return undefined;
}

function* candidates(): Generator<string> {
  const ours = fromPackage();
  if (ours !== undefined) yield ours;
  // Looked up by hand: the system's own look-up may try the working folder first, which is somebody's project.
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    if (isAbsolute(folder) && isExecutable(join(folder, EXECUTABLE))) yield join(folder, EXECUTABLE);
  }
}

/** Resolved while running, never while bundling: the bundle lies elsewhere than this file. */
function fromPackage(): string | undefined {
  try {
    // In two steps, because only @vscode/ripgrep itself is sure to see the package with its binary.
    const entry = createRequire(import.meta.url).resolve('@vscode/ripgrep');
    const binary = `@vscode/ripgrep-${process.platform}-${process.arch}/bin/${EXECUTABLE}`;
    return createRequire(entry).resolve(binary);
  } catch {
    return undefined;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function runs(path: string): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)(path, ['--no-config', '--version'], {
      env: bareEnvironment(),
      timeout: 10_000,
    });
    return Number(/^ripgrep (\d+)\./.exec(stdout)?.[1]) >= OLDEST_MAJOR;
  } catch {
    return false;
  }
}

/**
 * Finds a ripgrep binary: the bundled one, otherwise one on the PATH.
 */
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { bareEnvironment } from '../../base/bare-environment.ts';

/** First release with all the options used here. */
const OLDEST_MAJOR = 13;
const EXECUTABLE = process.platform === 'win32' ? 'rg.exe' : 'rg';

/** Absolute path of the first binary that runs; undefined if there is none. */
export async function resolveRipgrep(): Promise<string | undefined> {
  for (const path of candidates()) if (await isUsable(path)) return path;
  return undefined;
}

function* candidates(): Generator<string> {
  const bundled = fromPackage();
  if (bundled !== undefined) yield bundled;
  // Resolved manually: the system lookup may try the working folder first, which is a user's project.
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    if (isAbsolute(folder) && isExecutable(join(folder, EXECUTABLE))) yield join(folder, EXECUTABLE);
  }
}

/** Resolved at run time, not at bundle time: the bundle is in another folder than this file. */
function fromPackage(): string | undefined {
  try {
    // Two steps, because only @vscode/ripgrep is certain to resolve the package with its binary.
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

async function isUsable(path: string): Promise<boolean> {
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

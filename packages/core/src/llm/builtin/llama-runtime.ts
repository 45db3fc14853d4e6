/**
 * The optional runtime for GGUF files: `node-llama-cpp` with the binaries of this platform, installed from the npm
 * registry into the store on first use. Not part of our package.
 */
import { spawn } from 'node:child_process';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CrewError } from '../../base/crew-error.ts';
import { withDiskErrors } from '../../base/errno.ts';

export const LLAMA_VERSION = '3.22.1';

/** The plain package installs binaries for every kind of graphics card; each platform needs one. */
const BINARIES: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'darwin-arm64': 'mac-arm64-metal',
  'darwin-x64': 'mac-x64',
  'win32-x64': 'win-x64',
  'win32-arm64': 'win-arm64',
};

export function runtimeEntry(folder: string): string {
  return join(folder, 'node_modules', 'node-llama-cpp', 'dist', 'index.js');
}

export async function isRuntimeInstalled(folder: string): Promise<boolean> {
  return access(runtimeEntry(folder)).then(
    () => true,
    () => false,
  );
}

export async function installRuntime(folder: string, signal: AbortSignal): Promise<void> {
  if (await isRuntimeInstalled(folder)) return;
  const binaries = BINARIES[`${process.platform}-${process.arch}`];
  if (binaries === undefined)
    throw new CrewError(
      'USAGE',
      `There are no prebuilt binaries for ${process.platform} on ${process.arch}. Use a model of another provider.`,
    );
  await withDiskErrors('The runtime for local models could not be installed', async () => {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{"private":true}\n');
  });
  const packages = [`node-llama-cpp@${LLAMA_VERSION}`, `@node-llama-cpp/${binaries}@${LLAMA_VERSION}`];
  // Without scripts, which would build from source or download more than requested.
  const args = [
    'install',
    '--no-save',
    '--omit=optional',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    ...packages,
  ];
  await runNpm(args, folder, signal);
}

async function runNpm(args: readonly string[], cwd: string, signal: AbortSignal): Promise<void> {
  const isWindows = process.platform === 'win32';
  const child = spawn(isWindows ? 'npm.cmd' : 'npm', args, {
    cwd,
    signal,
    shell: isWindows,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = `${stderr}${chunk.toString()}`.slice(-2_000);
  });
  await new Promise<void>((resolve, reject) => {
    child.on('error', (cause) => reject(new CrewError('USAGE', NO_NPM, { cause })));
    child.on('exit', (code) => {
      if (code === 0) return resolve();
      const why = /npm error (.{1,200})/.exec(stderr)?.[1] ?? `npm ended with ${code}`;
      reject(new CrewError('LLM_HTTP_ERROR', `The runtime for local models could not be installed: ${why}.`));
    });
  });
}

const NO_NPM =
  'npm could not be started. Install Node.js with npm, which is needed once for this installation.';

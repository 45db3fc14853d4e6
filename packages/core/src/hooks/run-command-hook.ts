/**
 * Runs a hook that is a program: in a view of the project whose changes are dropped, as a process tree that ends with it. What it may
 * write and how long it may take are bounded.
 */
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandHook, HookInput } from '@crewagent/protocol/hooks';
import { removeTree } from '../base/remove-tree.ts';
import type { IsSecret } from '../mounts/sensitive/secret-files.ts';
import type { Policies } from '../policy/loaded-policy.ts';
import { startProcessTree, type TreeCommand } from '../processes/process-tree.ts';
import { findProjectSandbox, NoView } from '../processes/sandbox.ts';
import { computeAccess } from '../processes/sandbox-access.ts';
import { type HookEnd, MAX_OUTPUT_BYTES, parseHookOutput, toShown } from './hook-output.ts';

export interface CommandHookParts {
  /** Real path of the project. */
  readonly project: string;
  /** Real folder for views. */
  readonly viewsFolder: string;
  readonly isSecret: IsSecret;
  readonly policies: Policies;
  readonly signal: AbortSignal;
}

export async function runCommandHook(
  hook: CommandHook,
  input: HookInput,
  parts: CommandHookParts,
): Promise<HookEnd> {
  const { project, policies, isSecret } = parts;
  const { command, args } = hook;
  if (hook.sandbox === 'off')
    return run({ command, args, env: {}, inheritEnv: [], cwd: project }, hook, input, parts);
  const { state, openView } = await findProjectSandbox(project);
  if (!openView)
    return {
      ok: false,
      error: `there is no sandbox to run it in: ${state.reason ?? 'no reason given'} Set it up, or let the hook run without one`,
    };
  const folder = join(parts.viewsFolder, `hook-${randomUUID()}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const access = await computeAccess({ project, options: hook, isSecret, policies });
    const view = await openView({ folder, access });
    try {
      return await run({ ...view.wrap({ command, args }, []), inheritEnv: [] }, hook, input, parts);
    } finally {
      await view.close();
    }
  } catch (error) {
    if (error instanceof NoView) return { ok: false, error: error.message };
    throw error;
  } finally {
    await removeTree(folder);
  }
}

async function run(
  command: TreeCommand,
  { timeoutSeconds }: CommandHook,
  input: HookInput,
  { signal }: CommandHookParts,
): Promise<HookEnd> {
  const tree = startProcessTree(command);
  let stopped: string | undefined;
  const stop = (why: string): void => {
    stopped ??= why;
    void tree.kill();
  };
  const collect = (stream: NodeJS.ReadableStream & { destroy(): void }) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_OUTPUT_BYTES) stop('it wrote too much');
      else chunks.push(chunk);
    });
    return () => Buffer.concat(chunks).toString('utf8');
  };
  const [stdout, stderr] = [collect(tree.stdout), collect(tree.stderr)];
  const timer = setTimeout(
    () => stop(`it took longer than ${timeoutSeconds} seconds`),
    timeoutSeconds * 1_000,
  );
  const onAbort = (): void => stop('it was stopped');
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    tree.stdin.end(`${JSON.stringify(input)}\n`);
    const { code, error } = await tree.ended;
    await Promise.all([drained(tree.stdout), drained(tree.stderr)]);
    if (stopped !== undefined) return { ok: false, error: stopped };
    if (error !== undefined) return { ok: false, error: `it could not be started: ${toShown(error)}` };
    if (code !== 0) {
      const last = toShown(stderr().trimEnd().split('\n').at(-1));
      return { ok: false, error: `it ended with exit code ${code ?? 'none'}${last ? `: ${last}` : ''}` };
    }
    return parseHookOutput(stdout());
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

const DRAIN_MS = 500;

/** Output may arrive after the exit; a process that has left the tree is not waited for. */
async function drained(
  stream: NodeJS.ReadableStream & { destroy(): void; readonly closed: boolean },
): Promise<void> {
  if (stream.closed) return;
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([
    new Promise<void>((resolve) => void stream.once('close', resolve)),
    new Promise<void>((resolve) => {
      timer = setTimeout(resolve, DRAIN_MS);
    }),
  ]);
  clearTimeout(timer);
  stream.destroy();
}

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
import type { TreeCommand } from '../processes/process-tree.ts';
import { runBounded } from '../processes/run-bounded.ts';
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
  const written: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
  const end = await runBounded(command, {
    ...{ signal, timeoutMs: timeoutSeconds * 1_000, maxBytes: MAX_OUTPUT_BYTES },
    input: `${JSON.stringify(input)}\n`,
    onOutput: (chunk, stream) => void written[stream].push(chunk),
  });
  const text = (stream: 'stdout' | 'stderr'): string => Buffer.concat(written[stream]).toString('utf8');
  const last = toShown(text('stderr').trimEnd().split('\n').at(-1));
  switch (end.cause) {
    case 'start':
      return { ok: false, error: `it could not be started: ${toShown(end.error ?? 'no reason given')}` };
    case 'output':
      return { ok: false, error: 'it wrote too much' };
    case 'time':
      return { ok: false, error: `it took longer than ${timeoutSeconds} seconds` };
    case 'abort':
      return { ok: false, error: 'it was stopped' };
    case 'exit':
      if (end.code === 0) return parseHookOutput(text('stdout'));
      return { ok: false, error: `it ended with exit code ${end.code ?? 'none'}${last ? `: ${last}` : ''}` };
  }
}

/** Calls a hook with a made-up event, as `hooks test` does. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hook, HookEvent } from '@crewagent/protocol/hooks';
import { removeTree } from '../base/remove-tree.ts';
import { createSecretCheck } from '../mounts/sensitive/secret-files.ts';
import type { UserStore } from '../store/store.ts';
import type { HookEnd } from './hook-output.ts';
import { type HookParts, runHook } from './run-hook.ts';
import { sampleInput } from './work-hooks.ts';

export interface TestedHook extends Pick<HookParts, 'project' | 'env' | 'signal'> {
  readonly hook: Hook;
  readonly event: HookEvent;
}

export async function testHook(
  { hook, event, ...parts }: TestedHook,
  { policy, settings }: Pick<UserStore, 'policy' | 'settings'>,
): Promise<HookEnd> {
  const [policies, { tools }] = await Promise.all([policy.read(), settings.load()]);
  const viewsFolder = await mkdtemp(join(tmpdir(), 'crewagent-hook-'));
  try {
    const isSecret = createSecretCheck(tools.fs.secretPatterns);
    return await runHook(hook, sampleInput(event, new Date()), { ...parts, isSecret, policies, viewsFolder });
  } finally {
    await removeTree(viewsFolder);
  }
}

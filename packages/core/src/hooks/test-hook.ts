/** Calls a hook with a made-up event, as `hooks test` does. Loads what calls hooks only then. */
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hook, HookEvent } from '@crewagent/protocol/hooks';
import { removeTree } from '../base/remove-tree.ts';
import { createTempFolder } from '../base/temp-folder.ts';
import { createSecretCheck } from '../mounts/sensitive/secret-files.ts';
import type { UserStore } from '../store/store.ts';
import type { HookEnd } from './hook-output.ts';
import type { HookParts } from './run-hook.ts';

export interface HookTest extends Pick<HookParts, 'env' | 'signal'> {
  readonly hook: Hook;
  readonly event: HookEvent;
  /** Default: an empty folder. */
  readonly project?: string | undefined;
}

export async function testHook(
  { hook, event, project, ...parts }: HookTest,
  { policy, settings }: Pick<UserStore, 'policy' | 'settings'>,
): Promise<HookEnd> {
  const [policies, { tools }] = await Promise.all([policy.read(), settings.load()]);
  const [{ runHook }, { sampleInput }] = await Promise.all([
    import('./run-hook.ts'),
    import('./work-hooks.ts'),
  ]);
  const viewsFolder = await createTempFolder('crewagent-hook-');
  try {
    const isSecret = createSecretCheck(tools.fs.secretPatterns);
    const folder = project ?? join(await realpath(viewsFolder), 'project');
    if (project === undefined) await mkdir(folder);
    const held = { ...parts, project: folder, isSecret, policies, viewsFolder };
    return await runHook(hook, sampleInput(event, new Date()), held);
  } finally {
    await removeTree(viewsFolder);
  }
}

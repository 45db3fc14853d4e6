/** Runs one hook of either kind. Never throws because of the hook. */
import { type Hook, type HookInput, isCommandHook } from '@crewagent/protocol/hooks';
import { errnoSentence } from '../base/errno.ts';
import { callHttpHook, type HttpHookParts } from './call-http-hook.ts';
import { type HookEnd, toShown } from './hook-output.ts';
import type { CommandHookParts } from './run-command-hook.ts';

export type HookParts = CommandHookParts & HttpHookParts;

export async function runHook(hook: Hook, input: HookInput, parts: HookParts): Promise<HookEnd> {
  try {
    if (!isCommandHook(hook)) return await callHttpHook(hook, input, parts);
    const { runCommandHook } = await import('./run-command-hook.ts');
    return await runCommandHook(hook, input, parts);
  } catch (error) {
    const why = errnoSentence(error) ?? (error instanceof Error ? error.message : String(error));
    return { ok: false, error: `it could not be run: ${toShown(why)}` };
  }
}

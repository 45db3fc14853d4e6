/** The hooks that hold: a person's own, unless a policy forbids them, and those that policies require. Pure. */
import type { Hook, HookEvent, Hooks } from '@crewagent/protocol/hooks';
import type { Policies } from '../policy/loaded-policy.ts';
import { findRefusal } from '../policy/restrict.ts';

export interface NamedHook {
  readonly name: string;
  readonly hook: Hook;
  readonly isRequired: boolean;
}

export function resolveHooks(own: Hooks, policies: Policies): readonly NamedHook[] {
  const isForbidden = findRefusal(policies, { kind: 'hooks' }) !== undefined;
  const toNamed = (hooks: Hooks, isRequired: boolean): NamedHook[] =>
    Object.entries(hooks).map(([name, hook]) => ({ name, hook, isRequired }));
  return [
    ...policies.flatMap(({ policy }) => toNamed(policy.hooks?.required ?? {}, true)),
    ...(isForbidden ? [] : toNamed(own, false)),
  ].filter(({ hook }) => hook.enabled);
}

export function hooksOn(hooks: readonly NamedHook[], event: HookEvent): readonly NamedHook[] {
  return hooks.filter(({ hook }) => hook.on.includes(event));
}

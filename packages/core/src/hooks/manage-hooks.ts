/** Hooks in the settings of a person, beside those that policies require. */
import type { Hook, Hooks, ListedHook } from '@crewagent/protocol/hooks';
import { CrewError } from '../base/crew-error.ts';
import { findRefusal } from '../policy/restrict.ts';
import type { UserStore } from '../store/store.ts';

type HookStore = Pick<UserStore, 'policy' | 'settings'>;

/** Required ones first. */
export async function listHooks({ policy, settings }: HookStore) {
  const [policies, { hooks }] = await Promise.all([policy.read(), settings.load()]);
  const refusal = findRefusal(policies, { kind: 'hooks' })?.message;
  const toListed = (list: Hooks, isRequired: boolean): ListedHook[] =>
    Object.entries(list).map(([name, hook]) => ({
      name,
      hook,
      isRequired,
      refusal: isRequired ? undefined : refusal,
    }));
  const required = policies.flatMap(({ policy: { hooks: rules } }) => toListed(rules?.required ?? {}, true));
  return { hooks: [...required, ...toListed(hooks, false)], refusal };
}

/** Replaces all of it. */
export async function putHook(
  { settings }: Pick<HookStore, 'settings'>,
  name: string,
  hook: Hook,
): Promise<void> {
  const before = (await settings.load()).hooks[name] ?? {};
  const cleared = Object.fromEntries(Object.keys(before).map((key) => [key, null]));
  await settings.update({ hooks: { [name]: { ...cleared, ...hook } } } as never);
}

export async function removeHook(store: Pick<HookStore, 'settings'>, name: string): Promise<void> {
  await findOwnHook(store, name);
  await store.settings.update({ hooks: { [name]: null } });
}

/** Throws USAGE if the person has none with this name. */
export async function findOwnHook({ settings }: Pick<HookStore, 'settings'>, name: string): Promise<Hook> {
  const { hooks } = await settings.load();
  const found = Object.hasOwn(hooks, name) ? hooks[name] : undefined;
  if (found) return found;
  throw new CrewError('USAGE', `There is no hook "${name}". See: crewagent hooks list`);
}

/** Hooks of the person. The last test of each is known until the server ends. */
import { CrewError, findOwnHook, listHooks, putHook, removeHook, testHook } from '@crewagent/core';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import type { TestedHook } from '@crewagent/protocol/hooks';
import { mount, type Router } from '../mount.ts';
import type { ServerParts } from '../server-parts.ts';

export function mountHooks(router: Router, { runtime: { store }, env }: ServerParts): void {
  const { hooks } = ENDPOINTS;
  const tests = new Map<string, TestedHook>();
  mount(router, hooks.list, async () => {
    const { hooks: listed, refusal } = await listHooks(store);
    return { hooks: listed.map((one) => ({ ...one, tested: tests.get(one.name) })), refusal };
  });
  mount(router, hooks.put, async ({ params: { hook: name }, body: { hook } }) => {
    await putHook(store, name, hook);
    tests.delete(name);
  });
  mount(router, hooks.remove, ({ params: { hook } }) => removeHook(store, hook));
  mount(router, hooks.test, async ({ params: { hook: name }, body: { event, projectId }, signal }) => {
    const { hooks: listed } = await listHooks(store);
    const required = listed.find((one) => one.isRequired && one.name === name)?.hook;
    const hook = required ?? (await findOwnHook(store, name));
    const asked = event ?? hook.on[0];
    if (asked === undefined) throw new CrewError('USAGE', 'Say with which event it is called.');
    const project = projectId === undefined ? undefined : (await store.projects.read(projectId)).path;
    const { ok: _, ...end } = await testHook({ hook, event: asked, project, env, signal }, store);
    const tested = { at: new Date().toISOString(), event: asked, ...end };
    tests.set(name, tested);
    return tested;
  });
}

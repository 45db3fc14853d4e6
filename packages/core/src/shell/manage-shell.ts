/**
 * What models may run as commands in a project: shown with the sandbox of this machine, and changed by a person.
 */
import { type ShellSettings, type ShellState, shellSettingsSchema } from '@crewagent/protocol/shell';
import { requireAllowed, restrictShell } from '../policy/restrict.ts';
import { findRegistryHosts } from '../processes/network-gate/project-registries.ts';
import { findProjectSandbox } from '../processes/sandbox.ts';
import type { UserStore } from '../store/store.ts';

export async function showShell(store: UserStore, projectId: string): Promise<ShellState> {
  const { shell, path } = await store.projects.read(projectId);
  const [{ state }, registries] = await Promise.all([findProjectSandbox(path), findRegistryHosts(path)]);
  const settings = restrictShell(await store.policy.read(), shell ?? shellSettingsSchema.parse({}));
  return { ...settings, sandbox: state, registries: [...registries] };
}

/** Fields that are left out stay as they are. */
export async function changeShell(
  store: UserStore,
  projectId: string,
  change: Partial<ShellSettings>,
): Promise<ShellState> {
  const policies = await store.policy.read();
  if (change.enabled) requireAllowed(policies, { kind: 'shell', isIsolated: true });
  for (const host of change.hosts ?? []) requireAllowed(policies, { kind: 'host', host });
  await store.projects.update(projectId, (project) => ({
    ...project,
    shell: shellSettingsSchema.parse({ ...project.shell, ...change }),
  }));
  return showShell(store, projectId);
}

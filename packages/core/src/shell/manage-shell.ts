/**
 * What models may run as commands in a project: shown with the sandbox of this machine, and changed by a person.
 */
import { type ShellSettings, type ShellState, shellSettingsSchema } from '@crewagent/protocol/shell';
import { findProjectSandbox } from '../processes/sandbox.ts';
import type { StorePaths } from '../store/disk/layout.ts';
import { readProject, setProjectShell } from '../store/disk/project-store.ts';

export async function showShell(store: StorePaths, projectId: string): Promise<ShellState> {
  const { shell, path } = await readProject(store, projectId);
  const { state } = await findProjectSandbox(path);
  return { ...(shell ?? shellSettingsSchema.parse({})), sandbox: state };
}

/** Fields that are left out stay as they are. */
export async function changeShell(
  store: StorePaths,
  projectId: string,
  change: Partial<ShellSettings>,
): Promise<ShellState> {
  const { shell = {} } = await readProject(store, projectId);
  await setProjectShell(store, projectId, shellSettingsSchema.parse({ ...shell, ...change }));
  return showShell(store, projectId);
}

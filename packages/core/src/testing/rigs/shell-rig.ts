/** The whole runtime with commands switched on for its project, and a scripted provider. */
import { type ShellSettings, shellSettingsSchema } from '@crewagent/protocol/shell';
import type { ProviderScript } from '../models/fake-provider.ts';
import { writeTree } from '../temp-folder.ts';
import { createMcpRig } from './mcp-rig.ts';

export type ShellRig = Awaited<ReturnType<typeof createShellRig>>;

export async function createShellRig(
  script: ProviderScript,
  {
    shell = { enabled: true },
    tree = {},
  }: { readonly shell?: Partial<ShellSettings>; readonly tree?: Readonly<Record<string, string>> } = {},
) {
  const rig = await createMcpRig(script, {});
  await writeTree(rig.project, tree);
  const { store } = rig.runtime;
  const { projectId } = await store.projects.open(rig.project, { now: () => new Date() });
  const setShell = async (settings: Partial<ShellSettings>): Promise<void> =>
    void (await store.projects.update(projectId, (project) => ({
      ...project,
      shell: shellSettingsSchema.parse(settings),
    })));
  await setShell(shell);
  return { ...rig, projectId, setShell };
}

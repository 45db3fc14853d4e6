/** Shows a file of a project in the file manager: of the desktop app, or of the machine that the server is on. */
import type { ApiClient } from '@crewagent/protocol/api/client';
import { findBridge } from '../state/desktop-bridge.ts';

export async function revealFile(client: ApiClient, projectId: string, path: string): Promise<void> {
  const bridge = findBridge();
  if (bridge) {
    const { projects } = await client.projects.list({});
    const folder = projects.find((project) => project.projectId === projectId)?.path;
    if (folder !== undefined && (await bridge.reveal(toAbsolutePath(folder, path)))) return;
  }
  await client.files.reveal({ projectId, body: { path } });
}

/** `path` is relative to the folder and has forward slashes. */
function toAbsolutePath(folder: string, path: string): string {
  const separator = /^[A-Za-z]:\\|^\\\\/.test(folder) ? '\\' : '/';
  const below = path.replace(/^@project\/?/, '').replaceAll('/', separator);
  return below === '' ? folder : `${folder.replace(/[\\/]$/, '')}${separator}${below}`;
}

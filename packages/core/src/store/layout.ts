/**
 * Where things lie in the private store. The only place that knows the folder names;
 * it names paths and never touches the disk.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';

export interface StoreLayout {
  readonly root: string;
  readonly packages: string;
  readonly projects: string;
  packageFolder(hash: string): string;
}

export function createStoreLayout(root: string): StoreLayout {
  const packages = join(root, 'packages');
  return {
    root,
    packages,
    projects: join(root, 'projects'),
    packageFolder: (hash) => join(packages, hash),
  };
}

/** The store of this user: CREWAGENT_HOME, else the application-data folder of the operating system. */
export function defaultStoreRoot(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  home: string = homedir(),
): string {
  if (env.CREWAGENT_HOME) return env.CREWAGENT_HOME;
  if (platform === 'win32') return join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'CrewAgent');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'CrewAgent');
  return join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'crewagent');
}

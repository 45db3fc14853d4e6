/** Location of the store. */
import { homedir } from 'node:os';
import { join } from 'node:path';

/** CREWAGENT_HOME, else the application-data folder of the operating system. */
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

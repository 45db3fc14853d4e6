/**
 * Checks the folder of the store before it is used: it must belong to this user and be inaccessible to others. Permissions
 * of an existing store are tightened. Parent folders are not checked. POSIX only; on Windows, profiles are private.
 */
import { chmodSync, lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CrewError } from '../../base/crew-error.ts';
import { errnoOf, errnoSentence, ifSystemAllows, systemError } from '../../base/errno.ts';
import { describeOpening } from '../describe-opening.ts';
import { isStoreEntry } from './layout.ts';

/**
 * Throws STORE_REFUSED, and DISK for a file. A folder that does not exist yet is accepted: it is created with mode 0700.
 * `mayBeFile`: a file in its place is reported by the caller.
 */
export function secureStoreRoot(root: string, { mayBeFile = false } = {}): void {
  if (!mayBeFile && isBlocked(root))
    throw new CrewError('DISK', `${describeOpening(root)}: ${errnoSentence(systemError('ENOTDIR')) ?? ''}.`);
  const user = process.geteuid?.();
  if (user === undefined) return;
  const entry = readIfPresent((path) => lstatSync(path), root);
  if (!entry) return;
  if (entry.isSymbolicLink() && entry.uid !== user && entry.uid !== 0)
    throw refused(`The store "${root}" is a symbolic link that belongs to another user; ${CHOOSE_OWN}`);
  const folder = readIfPresent((path) => statSync(path), root);
  if (!folder)
    throw refused(
      `The store "${root}" is a symbolic link to a folder that does not exist; connect its disk, or choose another folder with CREWAGENT_HOME.`,
    );
  if (!folder.isDirectory()) return;
  if (folder.uid !== user) throw refused(`The store "${root}" belongs to another user; ${CHOOSE_OWN}`);
  if ((folder.mode & GROUP_AND_OTHERS) !== 0) tighten(root, folder);
}

/** Whether the store, or a folder above it, is a file: nothing in it could be read, which is not the same as an empty store. */
function isBlocked(root: string): boolean {
  try {
    return !statSync(root).isDirectory();
  } catch (error) {
    return errnoOf(error) === 'ENOTDIR';
  }
}

const CHOOSE_OWN = 'choose a folder of your own with CREWAGENT_HOME.';
const GROUP_AND_OTHERS = 0o077;
const STICKY = 0o1000;

/** Only a store is tightened: the same change would lock other users out of `/tmp` or of a shared home. */
function tighten(root: string, { mode }: Stats): void {
  if ((mode & STICKY) !== 0) throw refused(`The folder "${root}" is shared by all users; ${CHOOSE_OWN}`);
  const otherEntry = readIfPresent((path) => readdirSync(path), root)?.find((name) => !isStoreEntry(name));
  if (otherEntry !== undefined)
    throw refused(
      `The folder "${root}" is open to other users and contains files that are not CrewAgent's ("${otherEntry}"); choose an empty folder with CREWAGENT_HOME, or close it with: chmod 700 "${root}"`,
    );
  ifSystemAllows(() => chmodSync(root, 0o700));
  // Some file systems have no permissions and ignore the change.
  if ((statSync(root).mode & GROUP_AND_OTHERS) !== 0)
    throw refused(
      `The store "${root}" is open to other users, and its disk cannot close it; choose another folder with CREWAGENT_HOME.`,
    );
}

function readIfPresent<T>(read: (path: string) => T, path: string): T | undefined {
  try {
    return read(path);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return undefined;
    if (errno === undefined) throw error;
    throw new CrewError(
      'STORE_REFUSED',
      `The store "${path}" cannot be opened (${errno}); check who owns it.`,
      {
        cause: error,
      },
    );
  }
}

function refused(message: string): CrewError {
  return new CrewError('STORE_REFUSED', message);
}

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

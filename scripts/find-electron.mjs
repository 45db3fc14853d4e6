/**
 * Finds the Electron of this machine. The npm package does not contain the binary, which is downloaded separately.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './set-up.mjs';

/** `ELECTRON_OVERRIDE_DIST_PATH`, or else the downloaded one; undefined if there is none. */
export function findElectron(env = process.env, folder = join(root, 'node_modules/electron')) {
  const pathFile = join(folder, 'path.txt');
  const name = existsSync(pathFile) ? readFileSync(pathFile, 'utf8').trim() : programName();
  const program = join(env.ELECTRON_OVERRIDE_DIST_PATH || join(folder, 'dist'), name);
  return existsSync(program) ? program : undefined;
}

/** Names of Electron's executable. */
function programName() {
  if (process.platform === 'darwin') return 'Electron.app/Contents/MacOS/Electron';
  return process.platform === 'win32' ? 'electron.exe' : 'electron';
}

export const NO_ELECTRON =
  'Electron was not found. Download it with "npx install-electron" (Node 22.12 or later), ' +
  'or do without it: "npm start" opens the page in a browser, and "npm run -s crewagent -- serve --app" in a window.';

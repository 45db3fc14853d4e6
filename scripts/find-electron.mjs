/**
 * The Electron of this machine. The npm package comes without the program, which is downloaded separately and not everywhere.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './set-up.mjs';

/** `ELECTRON_OVERRIDE_DIST_PATH`, else what was downloaded; undefined where there is none. */
export function findElectron(env = process.env, folder = join(root, 'node_modules/electron')) {
  const pathFile = join(folder, 'path.txt');
  const name = existsSync(pathFile) ? readFileSync(pathFile, 'utf8').trim() : programName();
  const program = join(env.ELECTRON_OVERRIDE_DIST_PATH || join(folder, 'dist'), name);
  return existsSync(program) ? program : undefined;
}

/** Electron's own names. */
function programName() {
  if (process.platform === 'darwin') return 'Electron.app/Contents/MacOS/Electron';
  return process.platform === 'win32' ? 'electron.exe' : 'electron';
}

export const NO_ELECTRON =
  'Electron is not on this machine. Download it with "npx install-electron" (Node 22.12 or later), ' +
  'or do without it: "npm start" opens the page in a browser, and "npm run -s crewagent -- serve --app" in a window.';

/**
 * `npm run dist`: builds installers of the desktop app for this system, in apps/desktop/release. electron-builder is installed from
 * its own lockfile, and downloads Electron; `ELECTRON_OVERRIDE_DIST_PATH` names an existing one.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildDesktop, desktopRoot } from './build-desktop.mjs';
import { fail, npm, runNode, say, setUp } from './set-up.mjs';

setUp();
await buildDesktop();
const packaging = join(desktopRoot, 'packaging');
const builder = join(packaging, 'node_modules/electron-builder/cli.js');
if (!existsSync(builder)) {
  say('Installing electron-builder (once)…');
  const { status } = npm(
    ['ci', '--workspaces=false', '--no-audit', '--no-fund', '--loglevel=error'],
    packaging,
  );
  if (status !== 0) fail('electron-builder could not be installed. Check the network, then run again.');
}
const { ELECTRON_OVERRIDE_DIST_PATH: electronDist } = process.env;
process.exitCode = runNode([
  builder,
  `--projectDir=${desktopRoot}`,
  '--config=electron-builder.json',
  ...(electronDist ? [`--config.electronDist=${electronDist}`] : []),
  ...process.argv.slice(2),
]);
if (process.exitCode !== 0)
  say(
    'The installers could not be built. electron-builder downloads Electron from GitHub: check the network, then run again.',
  );

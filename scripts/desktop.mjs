/**
 * `npm run desktop`: starts the desktop app. Without Electron, it prints what to do instead.
 */
import { spawnSync } from 'node:child_process';
import { buildDesktop, desktopRoot } from './build-desktop.mjs';
import { findElectron, NO_ELECTRON } from './find-electron.mjs';
import { fail, setUp } from './set-up.mjs';

setUp();
const electron = findElectron();
if (!electron) fail(NO_ELECTRON);
await buildDesktop();
const { status } = spawnSync(electron, [desktopRoot, ...process.argv.slice(2)], { stdio: 'inherit' });
process.exitCode = status ?? 1;

/**
 * Tests with the real Electron, if it is installed: the window opens the page, which has the bridge and no access to
 * Node.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { _electron } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { buildDesktop, desktopRoot } from '../scripts/build-desktop.mjs';
import { findElectron } from '../scripts/find-electron.mjs';

const executablePath = findElectron();
const hasScreen = process.platform !== 'linux' || Boolean(process.env.DISPLAY);
if (!executablePath) console.error('SKIPPED: no Electron binary on this machine.');
else if (!hasScreen)
  console.error('SKIPPED: Electron is here, but no display; start the tests with xvfb-run.');

describe.skipIf(!executablePath || !hasScreen)('the desktop app', () => {
  it('[G1] opens the page in its window, with the bridge and without Node', async () => {
    await buildDesktop();
    const folder = await mkdtemp(join(tmpdir(), 'crewagent-desktop-'));
    const app = await _electron.launch({
      executablePath: executablePath ?? '',
      args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), desktopRoot],
      env: { ...process.env, CREWAGENT_HOME: join(folder, 'store') } as Record<string, string>,
    });
    try {
      const page = await app.firstWindow();
      await page.getByRole('heading', { name: 'CrewAgent' }).waitFor();
      const globals = await page.evaluate(() => [
        typeof Reflect.get(globalThis, 'crewagentDesktop'),
        typeof Reflect.get(globalThis, 'require'),
        typeof Reflect.get(globalThis, 'process'),
      ]);
      expect(globals).toEqual(['object', 'undefined', 'undefined']);
    } finally {
      await app.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});

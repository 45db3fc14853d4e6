/**
 * Renders the icon of the desktop app from the icon of the page, with the Chromium of this machine. Run it after the icon has
 * changed: `node scripts/make-icons.mjs`. electron-builder converts it for macOS and Windows.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { CHROMIUM_ARGS } from './chromium-args.mjs';
import { findChromium } from './find-chromium.mjs';
import { fail, root, say } from './set-up.mjs';

const SIZE = 1024;
const executablePath = findChromium();
if (!executablePath) fail('No Chromium was found. Install it, or set CREWAGENT_CHROMIUM to its path.');
const svg = readFileSync(join(root, 'apps/web/public/icon.svg'), 'utf8');
const folder = join(root, 'apps/desktop/assets');
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGS });
try {
  const page = await browser.newPage({ viewport: { width: SIZE, height: SIZE } });
  await page.setContent(`<style>body{margin:0}svg{display:block;width:100vw;height:100vh}</style>${svg}`);
  await page.screenshot({ path: join(folder, 'icon.png'), omitBackground: true });
} finally {
  await browser.close();
}
say(`Wrote ${join(folder, 'icon.png')}`);

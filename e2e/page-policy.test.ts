import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildWeb, webDist } from '../scripts/build-web.mjs';
import { hasChromium, openBrowser } from './whole-page.ts';

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

/** The built page as the server hands it out: every other path is the page. */
const server = createServer(({ url = '/' }, response) => {
  const path = new URL(url, 'http://x').pathname;
  const file = extname(path) === '' ? 'index.html' : path;
  response.setHeader('content-security-policy', POLICY);
  response.setHeader('content-type', TYPES[extname(file)] ?? 'application/octet-stream');
  response.end(readFileSync(join(webDist, file)));
});

describe.skipIf(!hasChromium)('the page under the strictest policy', () => {
  let browser: Browser;

  beforeAll(async () => {
    await buildWeb();
    server.listen(0, '127.0.0.1');
    browser = await openBrowser();
  }, 300_000);

  afterAll(async () => {
    await browser?.close();
    server.close();
  });

  it('[U2] works, complains of nothing and asks nobody else', async () => {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const page = await browser.newPage({ colorScheme: 'dark' });
    const complaints: string[] = [];
    const outside: string[] = [];
    page.on('console', (message) => message.type() !== 'info' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => !request.url().startsWith(origin) && outside.push(request.url()));
    await page.goto(`${origin}/settings/appearance#token=abc`);
    expect(await page.evaluate('[location.href, sessionStorage.getItem("crewagent.token")]')).toEqual([
      `${origin}/settings/appearance`,
      'abc',
    ]);
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    await page.getByRole('radio', { name: '简体中文' }).click();
    await page.keyboard.press('Control+/');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.evaluate('sessionStorage.clear()');
    await page.reload();
    await page.getByRole('button', { name: '开始' }).click();
    await page.getByText('crewagent serve').waitFor();
    expect(complaints).toEqual([]);
    expect(outside).toEqual([]);
    await page.close();
  });
});

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { buildWeb, webDist } from '../scripts/build-web.mjs';
import { openBrowser } from './browser-contexts.ts';
import { hasChromium, startWholePage } from './whole-page.ts';

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types crewagent-worker',
].join('; ');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

/** The built page as the server serves it: every other path is the page. */
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
  });

  afterAll(async () => {
    await browser?.close();
    server.close();
  });

  it('[U1] works without errors and without requests to other servers', { tags: 'main' }, async () => {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const page = await browser.newPage({ colorScheme: 'dark' });
    const complaints: string[] = [];
    const outside: string[] = [];
    page.on('console', (message) => message.type() !== 'info' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => !request.url().startsWith(origin) && outside.push(request.url()));
    await page.goto(`${origin}/settings/appearance#token=abc`);
    expect(await page.evaluate('[location.href, localStorage.getItem("crewagent.token")]')).toEqual([
      `${origin}/settings/appearance`,
      'abc',
    ]);
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    await page.getByRole('radio', { name: '简体中文' }).click();
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.evaluate('localStorage.removeItem("crewagent.token")');
    await page.reload();
    await page.getByRole('button', { name: '开始' }).click();
    await page.getByText('crewagent serve').waitFor();
    expect(complaints).toEqual([]);
    expect(outside).toEqual([]);
    await page.close();
  });

  it('lets no script turn text into markup, without exception', { tags: 'main' }, async () => {
    const whole = await startWholePage();
    onTestFinished(() => whole.close());
    const page = await whole.open();
    await page.getByRole('button', { name: 'Start' }).first().waitFor();
    expect(await page.evaluate(tryMarkup)).toEqual(
      [
        'innerHTML',
        'outerHTML',
        'insertAdjacentHTML',
        'srcdoc',
        'script text',
        'DOMParser',
        'document.write',
        'another worker',
        'a default policy',
        'the same policy again',
      ].map((name) => `${name}: TypeError`),
    );
  });
});

/** Runs in the page: the result of each way to turn text into markup. */
function tryMarkup(): string[] {
  const element = document.createElement('div');
  document.body.append(element);
  const text = '<b>bold</b>';
  const { trustedTypes } = globalThis as unknown as {
    trustedTypes: { createPolicy(name: string, rules: object): unknown };
  };
  const createPolicy = (name: string): unknown =>
    trustedTypes.createPolicy(name, { createHTML: (given: string) => given });
  const ways: Record<string, () => unknown> = {
    innerHTML: () => Object.assign(element, { innerHTML: text }),
    outerHTML: () => Object.assign(element, { outerHTML: text }),
    insertAdjacentHTML: () => element.insertAdjacentHTML('beforeend', text),
    srcdoc: () => Object.assign(document.createElement('iframe'), { srcdoc: text }),
    'script text': () => Object.assign(document.createElement('script'), { text: '1' }),
    DOMParser: () => new DOMParser().parseFromString(text, 'text/html'),
    'document.write': () => document.write(text),
    'another worker': () => new SharedWorker('/first-paint.js'),
    'a default policy': () => createPolicy('default'),
    'the same policy again': () => createPolicy('crewagent-worker'),
  };
  return Object.entries(ways).map(([name, attempt]) => {
    try {
      attempt();
      return `${name}: allowed`;
    } catch (error) {
      return `${name}: ${error instanceof Error ? error.name : String(error)}`;
    }
  });
}

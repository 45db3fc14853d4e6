/** Electron's security checklist: one test for each point that applies to an app with one local page. */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createApiClient } from '@crewagent/protocol/api/client';
import { toChannel } from '@crewagent/protocol/desktop-bridge';
import { describe, expect, it } from 'vitest';
import { isOurPage } from './bridge.ts';
import { isOfOrigin, isWebAddress } from './secure-window.ts';
import { startDesktop } from './testing/desktop-rig.ts';
import { toWebPreferences } from './web-preferences.ts';

describe('a page in the window', () => {
  it.each([
    ['contextIsolation', true],
    ['sandbox', true],
    ['nodeIntegration', false],
    ['nodeIntegrationInWorker', false],
    ['nodeIntegrationInSubFrames', false],
    ['webSecurity', true],
    ['allowRunningInsecureContent', false],
    ['experimentalFeatures', false],
    ['webviewTag', false],
    ['navigateOnDragDrop', false],
  ] as const)('[G10] is opened with %s: %s', (name, value) => {
    expect(toWebPreferences('/app/preload.cjs')[name]).toBe(value);
  });

  it('[G10] is loaded from the local server only, with its token in the fragment', async () => {
    const { window, server } = await startDesktop();
    expect(window.loaded).toEqual([`${server().url}/#token=${server().token}&surface=electron`]);
    expect(window.options.webPreferences).toEqual(toWebPreferences('/app/preload.cjs'));
  });

  it('[G10] stays at its origin; web URLs open in the browser, all others are blocked', async () => {
    const { window, server, outside } = await startDesktop();
    const { url } = server();
    expect(window.navigates(`${url}/settings`)).toBe(true);
    const port = new URL(url).port;
    for (const refused of [
      'file:///etc/passwd',
      'javascript:alert(1)',
      'data:text/html,<b>',
      'smb://host/share',
      `http://localhost:${port}/`,
      `http://127.0.0.1:${port}.evil.example/`,
      `http://127.0.0.1:${port}@evil.example/`,
      'https://example.com/a',
      'not a URL',
    ])
      expect(window.navigates(refused), refused).toBe(false);
    expect(outside.every((address) => /^https?:/.test(address))).toBe(true);
    expect(outside).toContain('https://example.com/a');
  });

  it('[G10] opens no window and attaches no webview', async () => {
    const { window, server, outside } = await startDesktop();
    for (const url of [server().url, 'https://example.com/', 'file:///etc/passwd', 'about:blank'])
      expect(window.opens(url)).toBe(false);
    expect(outside).toEqual(['https://example.com/']);
    expect(window.attaches()).toBe(false);
  });

  it('[G10] is granted no permission', async () => {
    const { seen } = await startDesktop();
    expect(seen).toMatchObject({ permission: false, check: false });
  });

  it('[G10] has a content security policy and cannot be framed', async () => {
    const { server } = await startDesktop();
    const { headers } = await fetch(server().url);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe-eval');
    expect(policy).toContain("frame-ancestors 'none'");
  });

  it('[G10] can use IPC only from the main frame of our origin', async () => {
    const { handlers, server, person, window } = await startDesktop();
    person.folder = '/home/ada/project';
    const choose = handlers.get(toChannel('chooseFolder'));
    const call = (frameUrl: string | undefined, isMainFrame = true) =>
      Promise.resolve(choose?.({ frameUrl, isMainFrame }, []));
    expect(await call(`${window.url()}settings`)).toBe('/home/ada/project');
    for (const [frameUrl, isMainFrame] of [
      [undefined, true],
      ['https://example.com/', true],
      [`${server().url}.example.com/`, true],
      ['file:///app/page.html', true],
      [window.url(), false],
    ] as const)
      await expect(call(frameUrl, isMainFrame)).rejects.toThrow('may not call');
    expect(isOurPage({ frameUrl: 'about:blank', isMainFrame: true }, server().url)).toBe(false);
  });

  it('[G10] is rejected if the arguments of a call do not match the schema', async () => {
    const { handlers, window, seen } = await startDesktop();
    const ours = { frameUrl: window.url(), isMainFrame: true };
    for (const [name, args] of [
      ['setBadge', [-1]],
      ['setBadge', ['many']],
      ['reveal', []],
      ['savePdf', [1]],
      ['chooseFolder', ['extra']],
      ['setAppearance', [{ language: 'xx', theme: 'dark' }]],
    ] as const)
      await expect(Promise.resolve(handlers.get(toChannel(name))?.(ours, args))).rejects.toThrow(
        'are not valid',
      );
    await handlers.get(toChannel('setBadge'))?.(ours, [3]);
    expect(seen.badge).toBe(3);
  });

  it('[G10] suggests a plain name for a document that is saved', async () => {
    const { handlers, window, seen } = await startDesktop();
    const ours = { frameUrl: window.url(), isMainFrame: true };
    for (const name of ['计划 1', '../../etc/passwd', '...', 'a\u0000b:c'])
      expect(await handlers.get(toChannel('savePdf'))?.(ours, [name])).toBe(true);
    expect(seen.savedPdfs).toEqual(['计划 1.pdf', 'etc passwd.pdf', 'document.pdf', 'a b c.pdf']);
  });

  it('[G10] passes only web URLs to the system, and reveals only files of a project', async () => {
    const { handlers, window, server, outside, seen, folder } = await startDesktop();
    const ours = { frameUrl: window.url(), isMainFrame: true };
    const openOutside = handlers.get(toChannel('openOutside'));
    for (const url of ['file:///etc/passwd', 'javascript:1', 'ms-msdt:/id', 'crewagent://x', ''])
      expect(await openOutside?.(ours, [url])).toBe(false);
    expect(await openOutside?.(ours, ['https://example.com/'])).toBe(true);
    expect(outside).toEqual(['https://example.com/']);
    const project = join(folder, 'project');
    await mkdir(project);
    const { url: baseUrl, token } = server();
    await createApiClient({ baseUrl, token }).projects.open({ body: { path: project } });
    const reveal = handlers.get(toChannel('reveal'));
    expect(await reveal?.(ours, [`${project}/notes.md`])).toBe(true);
    for (const path of ['/etc/passwd', `${project}/../other`, `${project}-evil/x`, 'notes.md'])
      expect(await reveal?.(ours, [path]), path).toBe(false);
    expect(seen.revealed).toEqual([`${project}/notes.md`]);
  });

  it('[G10] has no access to Electron: the preload exposes only the bridge', async () => {
    const source = await readFile(new URL('preload.ts', import.meta.url), 'utf8');
    expect(source.match(/exposeInMainWorld/g)).toHaveLength(1);
    expect(source).not.toMatch(/require|process\.|sendSync|executeJavaScript/);
  });

  it('[G10] compares origins, not URL prefixes', () => {
    expect(isOfOrigin('http://127.0.0.1:4000/a', 'http://127.0.0.1:4000')).toBe(true);
    expect(isOfOrigin('http://127.0.0.1:40001/a', 'http://127.0.0.1:4000')).toBe(false);
    expect(isOfOrigin('https://127.0.0.1:4000/', 'http://127.0.0.1:4000')).toBe(false);
    expect(isWebAddress('http://a')).toBe(true);
    expect(isWebAddress('HTTPS://a')).toBe(true);
    expect(isWebAddress('httpx://a')).toBe(false);
  });
});

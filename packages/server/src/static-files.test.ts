import { rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { writeTree } from '../../core/src/testing/file-tree.ts';
import { tempFolder } from '../../core/src/testing/temp-folder.ts';
import { createServerRig, type ServerRig } from './testing/server-rig.ts';

const PAGES = {
  'index.html': '<!doctype html><title>UI</title>',
  'assets/index-a1B2c3D4.js': 'start()',
  'assets/index-a1B2c3D4.js.map': '{}',
  'assets/style.css': 'body{}',
  'assets/Schrift ü.woff2': 'font',
};

async function createPages(): Promise<ServerRig & { readonly web: string }> {
  const web = await tempFolder();
  await writeTree(web, PAGES);
  await writeFile(join(web, '..', 'outside.html'), 'secret');
  await symlink('/etc', join(web, 'etc'));
  await symlink('/etc/hostname', join(web, 'host.txt'));
  return { ...(await createServerRig({ webRoot: web })), web };
}

describe('pages', () => {
  it('[H52] are the built files, with their types', async () => {
    const { call } = await createPages();
    const script = await call('/assets/index-a1B2c3D4.js');
    expect(await script.text()).toBe('start()');
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const style = await call('/assets/style.css');
    expect(style.headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(style.headers.get('cache-control')).toBe('no-cache');
    expect((await call('/assets/Schrift%20%C3%BC.woff2')).status).toBe(200);
  });

  it('are sent as the build compressed them, to clients that accept it', async () => {
    const { web } = await createPages();
    const compressed = brotliCompressSync('start()');
    await writeFile(join(web, 'assets/index-a1B2c3D4.js.br'), compressed);
    const { call } = await createServerRig({ webRoot: web });
    const get = (accepted: string, path = '/assets/index-a1B2c3D4.js') =>
      call(path, { headers: { 'accept-encoding': accepted } });
    for (const accepted of ['gzip, deflate, br, zstd', 'br;q=0.5']) {
      const { headers } = await get(accepted);
      expect(headers.get('content-encoding')).toBe('br');
      expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
      expect(headers.get('vary')).toBe('accept-encoding');
    }
    for (const accepted of ['gzip', 'br;q=0, gzip', 'br; q=0.0', 'identity']) {
      const script = await get(accepted);
      expect(script.headers.get('content-encoding')).toBeNull();
      expect(await script.text()).toBe('start()');
    }
    expect((await get('br', '/assets/style.css')).headers.get('content-encoding')).toBeNull();
    expect((await get('br', '/assets/index-a1B2c3D4.js.br')).status).toBe(404);
  });

  it('[H52] are served for routes of the UI, but not for missing files', async () => {
    const { call } = await createPages();
    const headers = { accept: 'text/html', origin: undefined, authorization: undefined };
    for (const path of ['/', '/projects/1/runs/2', '/index.html']) {
      const response = await call(path, { headers });
      expect(await response.text()).toContain('<title>UI</title>');
      expect(response.headers.get('cache-control')).toBe('no-cache');
    }
    expect((await call('/projects/1', { headers: { accept: '*/*' } })).status).toBe(404);
    expect((await call('/assets/gone-a1B2c3D4.js', { headers })).status).toBe(404);
    expect(await (await call('/', { method: 'HEAD' })).text()).toBe('');
  });

  it('[H52] let only the frame for diagrams run a script, and only inside of our page', async () => {
    const { call, web } = await createPages();
    await writeFile(join(web, 'diagram-frame.html'), '<!doctype html>');
    const rig = await createServerRig({ webRoot: web });
    const frame = (await rig.call('/diagram-frame.html')).headers;
    expect(frame.get('content-security-policy')).toMatch(
      /^sandbox allow-scripts; default-src 'none'; .*frame-ancestors 'self'$/,
    );
    expect(frame.get('content-security-policy')).not.toMatch(/allow-same-origin|connect-src|img-src/);
    const page = (await call('/index.html')).headers.get('content-security-policy');
    expect(page).toContain("frame-ancestors 'none'");
    expect(page).not.toContain('unsafe-inline');
  });

  it('[H52] are those of the newest build, which may replace them while the server runs', async () => {
    const { call, web } = await createPages();
    const get = (path: string) => call(path, { headers: { accept: 'text/html' } });
    expect((await get('/assets/index-e5F6g7H8.js')).status).toBe(404);
    await rm(join(web, 'assets/index-a1B2c3D4.js'));
    await writeTree(web, { 'index.html': '<title>New</title>', 'assets/index-e5F6g7H8.js': 'again()' });
    await utimes(join(web, 'index.html'), 1, 1);
    expect(await (await get('/')).text()).toContain('New');
    expect(await (await get('/assets/index-e5F6g7H8.js')).text()).toBe('again()');
    expect((await get('/assets/index-a1B2c3D4.js')).status).toBe(404);
  });

  it.each([
    '/assets/',
    '/assets',
    '/assets/index-a1B2c3D4.js.map',
    '/../outside.html',
    '/%2e%2e/outside.html',
    '/..%2foutside.html',
    '/etc/passwd',
    '/host.txt',
    '//etc/passwd',
    '/index.html/',
    '/INDEX.HTML',
  ])('[H52] are not served for %s', async (path) => {
    const { call } = await createPages();
    const response = await call(path, { headers: { accept: '*/*' } });
    expect(response.status).toBe(404);
    expect(await response.text()).toBe('Not found.\n');
  });
});

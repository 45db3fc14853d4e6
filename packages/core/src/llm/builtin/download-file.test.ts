import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { tempFolder } from '../../testing/temp-folder.ts';
import { downloadFile } from './download-file.ts';

const CONTENT = Buffer.alloc(300_000, 'weights ');
const SHA256 = createHash('sha256').update(CONTENT).digest('hex');

/** Redirects to the file. */
async function startFiles({
  location = '/file',
  hasLength = true,
  breaksAt = Number.POSITIVE_INFINITY,
  /** Resolves when the connection may break. */
  beforeBreak = () => Promise.resolve(),
} = {}) {
  const ranges: (string | undefined)[] = [];
  let isBroken = false;
  const serve = (response: ServerResponse, range: string | undefined): void => {
    const start = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
    if (start >= CONTENT.length) {
      response.writeHead(416).end();
      return;
    }
    const rest = CONTENT.subarray(start);
    response.writeHead(start > 0 ? 206 : 200, hasLength ? { 'content-length': rest.length } : {});
    if (isBroken || start + rest.length < breaksAt) {
      response.end(rest);
      return;
    }
    isBroken = true;
    response.write(
      rest.subarray(0, breaksAt),
      () => void beforeBreak().then(() => response.socket?.destroySoon()),
    );
  };
  const server = createServer((request, response) => {
    if (request.url === '/resolve') {
      response.writeHead(302, { location }).end();
      return;
    }
    ranges.push(request.headers.range);
    serve(response, request.headers.range);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/resolve`, ranges };
}

const start = (url: string, target: string, progress: number[] = [], sha256 = SHA256) =>
  downloadFile({
    url,
    target,
    sha256,
    signal: new AbortController().signal,
    onProgress: (received) => progress.push(received),
  });

describe('a download', () => {
  it('[N70] reports progress, and resumes after an interruption', async () => {
    const target = join(await tempFolder(), 'models', 'm.gguf');
    // The part on disk can be resumed.
    const beforeBreak = () =>
      vi.waitFor(async () => expect((await stat(`${target}.part`)).size).toBeGreaterThan(0));
    const { url, ranges } = await startFiles({ breaksAt: 100_000, beforeBreak });
    const progress: number[] = [];
    await expect(start(url, target, progress)).rejects.toThrow();
    expect(await readdir(join(target, '..'))).toEqual(['m.gguf.part']);
    await start(url, target, progress);
    expect(CONTENT.equals(await readFile(target))).toBe(true);
    expect(ranges[0]).toBeUndefined();
    expect(ranges[1]).toMatch(/^bytes=\d+-$/);
    expect(progress.at(-1)).toBe(CONTENT.length);
    expect(await readdir(join(target, '..'))).toEqual(['m.gguf']);
  });

  it('[N70] of a complete file only verifies it', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'm.gguf.part'), CONTENT);
    const { url } = await startFiles();
    await start(url, join(folder, 'm.gguf'));
    expect(CONTENT.equals(await readFile(join(folder, 'm.gguf')))).toBe(true);
    // Nobody listens there.
    await start('http://127.0.0.1:1/', join(folder, 'm.gguf'));
  });

  it('[N70] with a wrong checksum is rejected and starts again', async () => {
    const folder = await tempFolder();
    const { url } = await startFiles();
    await expect(start(url, join(folder, 'm.gguf'), [], 'f'.repeat(64))).rejects.toMatchObject({
      code: 'DISK',
      message: expect.stringContaining('checksum') as string,
    });
    expect((await readFile(join(folder, 'm.gguf.part'))).length).toBe(0);
  });

  it.each(['http://example.org/file', 'http://127.0.0.1:1/file', 'file:///etc/passwd', 'ftp://127.0.0.1/'])(
    '[N70] does not follow a redirect to %s, and does not start there',
    async (location) => {
      const target = join(await tempFolder(), 'm.gguf');
      const { url, ranges } = await startFiles({ location });
      const sentence = { code: 'USAGE', message: expect.stringContaining('over https only') as string };
      await expect(start(url, target)).rejects.toMatchObject(sentence);
      if (!location.includes(':1/')) await expect(start(location, target)).rejects.toMatchObject(sentence);
      expect(ranges).toEqual([]);
    },
  );

  it('[N70] of a file of unknown size is rejected', async () => {
    const folder = await tempFolder();
    const { url } = await startFiles({ hasLength: false });
    await expect(start(url, join(folder, 'm.gguf'))).rejects.toThrow('how large');
    expect(await readdir(folder)).toEqual([]);
  });
});

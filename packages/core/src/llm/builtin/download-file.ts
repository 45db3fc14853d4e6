/**
 * Downloads a large file with progress, resumes interrupted downloads, and lets only the file with the expected checksum get its
 * name. Sends no key, so redirects are followed, to https only.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, stat, truncate } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CrewError } from '../../base/crew-error.ts';
import { renameEntry } from '../../base/durable-files.ts';
import { withDiskErrors } from '../../base/errno.ts';

export interface Download {
  /** https, or http on this machine. */
  readonly url: string;
  readonly target: string;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly signal: AbortSignal;
  onProgress(received: number, total: number): void;
}

const MAX_REDIRECTS = 5;
/** More than any model that runs on one machine. */
const MAX_BYTES = 256 * 1024 ** 3;

/** Does nothing if the file is there already. */
export async function downloadFile(download: Download): Promise<void> {
  const { target, signal, url } = download;
  const expected = download.sha256.toLowerCase();
  const part = `${target}.part`;
  requireSecure(new URL(url), url);
  await withDiskErrors('The download could not be written', async () => {
    await mkdir(dirname(target), { recursive: true });
    if ((await hashOf(target)) === expected) return;
    const begun = (await sizeOf(part)) ?? 0;
    const response = await request(url, begun, signal);
    const isResumed = response.statusCode === 206;
    const isComplete = response.statusCode === 416;
    if (response.statusCode !== 200 && !isResumed && !isComplete) throw rejectedError(url, response);
    if (isComplete) response.resume();
    else await receive(response, part, isResumed ? begun : 0, download);
    if ((await hashOf(part)) !== expected) {
      // A damaged file cannot be resumed.
      await truncate(part, 0);
      throw new CrewError(
        'DISK',
        'The downloaded file is not the one you named: its SHA-256 checksum is another one. Check address and checksum, then try again.',
      );
    }
    await renameEntry(part, target);
  });
}

async function receive(
  response: IncomingMessage,
  part: string,
  start: number,
  download: Download,
): Promise<void> {
  const total = start + Number(response.headers['content-length'] ?? Number.NaN);
  if (!(total <= MAX_BYTES)) {
    response.destroy();
    throw new CrewError(
      'LLM_HTTP_ERROR',
      'The server does not say how large the file is, or it is larger than any model. Use another address, or your own GGUF file.',
    );
  }
  let received = start;
  response.on('data', (chunk: Buffer) => {
    received += chunk.length;
    download.onProgress(received, total);
  });
  await pipeline(response, createWriteStream(part, { flags: start > 0 ? 'a' : 'w', flush: true }), {
    signal: download.signal,
  });
  if (received !== total)
    throw new CrewError('LLM_HTTP_ERROR', 'The download was interrupted. Start it again to resume it.');
}

async function request(url: string, start: number, signal: AbortSignal): Promise<IncomingMessage> {
  let at = new URL(url);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await get(at, start, signal);
    const { statusCode = 0, headers } = response;
    const { location } = headers;
    if (location === undefined || statusCode < 300 || statusCode >= 400) return response;
    response.resume();
    at = requireSecure(new URL(location, at), url);
  }
  throw new CrewError(
    'LLM_HTTP_ERROR',
    `${at.host} redirected too often. The file cannot be downloaded; try again later.`,
  );
}

/** A server on this machine may use http, and lead to itself. */
function requireSecure(address: URL, first: string): URL {
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(address.hostname);
  if (address.protocol === 'https:') return address;
  if (address.protocol === 'http:' && isLocal && address.host === new URL(first).host) return address;
  throw new CrewError('USAGE', `Models are downloaded over https only, and ${address.host} does not use it.`);
}

async function get(url: URL, start: number, signal: AbortSignal): Promise<IncomingMessage> {
  const { get: open } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  return new Promise((resolve, reject) => {
    const headers = start > 0 ? { range: `bytes=${start}-` } : {};
    const outgoing = open(url, { headers, signal }, resolve);
    const message = `${url.host} cannot be reached. Check the network connection.`;
    outgoing.on('error', (cause) =>
      reject(signal.aborted ? cause : new CrewError('LLM_HTTP_ERROR', message, { cause })),
    );
  });
}

function rejectedError(url: string, response: IncomingMessage): CrewError {
  response.resume();
  return new CrewError(
    'LLM_HTTP_ERROR',
    `${new URL(url).host} rejected the download (${response.statusCode}). Try again later, or use your own GGUF file.`,
  );
}

/** Undefined where there is no such file. */
export async function sizeOf(file: string): Promise<number | undefined> {
  return stat(file).then(
    ({ size }) => size,
    () => undefined,
  );
}

/** Undefined where there is no such file. */
async function hashOf(file: string): Promise<string | undefined> {
  if ((await sizeOf(file)) === undefined) return undefined;
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

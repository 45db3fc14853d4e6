/**
 * Downloads a large file with progress; resumes interrupted downloads and verifies the checksum before the final
 * rename. Sends no key, so redirects are followed.
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
  readonly url: string;
  readonly target: string;
  /** Hexadecimal; by default the checksum that the server reports. */
  readonly sha256?: string | undefined;
  readonly signal: AbortSignal;
  onProgress(received: number, total: number | undefined): void;
}

const MAX_REDIRECTS = 5;

export async function downloadFile(download: Download): Promise<void> {
  const { target, signal } = download;
  const part = `${target}.part`;
  await withDiskErrors('The download could not be written', async () => {
    await mkdir(dirname(target), { recursive: true });
    const begun = await sizeOf(part);
    const { response, linkedSha256 } = await request(download.url, begun, signal);
    const isResumed = response.statusCode === 206;
    if (response.statusCode !== 200 && !isResumed && response.statusCode !== 416)
      throw rejectedError(download.url, response);
    if (response.statusCode === 416) response.resume();
    else await receive(response, part, isResumed ? begun : 0, download);
    const expected = download.sha256 ?? linkedSha256;
    if (expected !== undefined && (await hashOf(part)) !== expected.toLowerCase()) {
      // A damaged file cannot be resumed.
      await truncate(part, 0);
      throw new CrewError('DISK', 'The downloaded file is damaged: its checksum does not match. Try again.');
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
  const length = Number(response.headers['content-length']);
  const total = Number.isFinite(length) ? start + length : undefined;
  let received = start;
  response.on('data', (chunk: Buffer) => {
    received += chunk.length;
    download.onProgress(received, total);
  });
  await pipeline(response, createWriteStream(part, { flags: start > 0 ? 'a' : 'w', flush: true }), {
    signal: download.signal,
  });
  if (total !== undefined && received !== total)
    throw new CrewError('LLM_HTTP_ERROR', 'The download was interrupted. Start it again to resume it.');
}

interface FinalResponse {
  readonly response: IncomingMessage;
  /** Hugging Face sends the checksum of a large file with the redirect. */
  readonly linkedSha256: string | undefined;
}

async function request(url: string, start: number, signal: AbortSignal): Promise<FinalResponse> {
  let at = new URL(url);
  let linkedSha256: string | undefined;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await get(at, start, signal);
    const etag = response.headers['x-linked-etag'];
    if (typeof etag === 'string') linkedSha256 = /[0-9a-f]{64}/i.exec(etag)?.[0] ?? linkedSha256;
    const { location } = response.headers;
    if (location === undefined || (response.statusCode ?? 0) < 300 || (response.statusCode ?? 0) >= 400)
      return { response, linkedSha256 };
    response.resume();
    at = new URL(location, at);
  }
  throw new CrewError(
    'LLM_HTTP_ERROR',
    `${at.host} redirected too often. The file cannot be downloaded; try again later.`,
  );
}

async function get(url: URL, start: number, signal: AbortSignal): Promise<IncomingMessage> {
  const { get: open } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  return new Promise((resolve, reject) => {
    const headers = start > 0 ? { range: `bytes=${start}-` } : {};
    const outgoing = open(url, { headers, signal }, resolve);
    outgoing.on('error', (cause) =>
      reject(
        signal.aborted
          ? cause
          : new CrewError('LLM_HTTP_ERROR', `${url.host} cannot be reached. Check the network connection.`, {
              cause,
            }),
      ),
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

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** An S3-compatible store as `ObjectStore`: one request per object, signed, repeated while the store does not answer. */
import { setTimeout as wait } from 'node:timers/promises';
import { CrewError } from '@crewagent/core';
import { sha256Of } from '@crewagent/core/store';
import { AwsClient } from 'aws4fetch';
import type { ObjectStore } from './object-store.ts';

export interface S3Settings {
  /** Address of the store, without the bucket. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

const ATTEMPTS = 5;
const TIMEOUT_MS = 60_000;

export function createS3Objects(settings: S3Settings): ObjectStore {
  const { endpoint, bucket, region, accessKeyId, secretAccessKey, sessionToken } = settings;
  const signed = { accessKeyId, secretAccessKey, region, service: 's3', retries: 0 };
  const client = new AwsClient(sessionToken === undefined ? signed : { ...signed, sessionToken });
  // In the path and not in the host name: every store accepts that.
  const root = `${endpoint.replace(/\/+$/, '')}/${encodeURIComponent(bucket)}`;

  /** `read` gets a response with one of the accepted statuses. */
  const request = async <T>(
    name: string,
    init: RequestInit,
    accepted: readonly number[],
    read: (response: Response) => Promise<T>,
  ): Promise<T> => {
    let last: unknown;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (attempt > 0) await wait(100 * 4 ** attempt);
      try {
        const signal = AbortSignal.timeout(TIMEOUT_MS);
        const response = await client.fetch(`${root}/${name}`, { ...init, signal, redirect: 'error' });
        if (accepted.includes(response.status)) return await read(response);
        await response.body?.cancel();
        last = new Error(`status ${response.status}`);
        if (response.status < 500 && response.status !== 429) break;
      } catch (error) {
        last = error;
      }
    }
    throw unavailable(root, last);
  };
  return {
    put: (name, content) =>
      request(
        name,
        {
          method: 'PUT',
          body: new Uint8Array(content),
          // The store compares it with what arrives.
          headers: { 'x-amz-content-sha256': sha256Of(content), 'content-type': 'application/octet-stream' },
        },
        [200, 201, 204],
        async (response) => void (await response.arrayBuffer()),
      ),
    get: (name) =>
      request(name, { method: 'GET' }, [200, 404], async (response) => {
        const bytes = await response.arrayBuffer();
        return response.status === 404 ? undefined : Buffer.from(bytes);
      }),
    remove: (name) =>
      request(
        name,
        { method: 'DELETE' },
        [200, 204, 404],
        async (response) => void (await response.arrayBuffer()),
      ),
  };
}

/** The message contains no key. */
function unavailable(root: string, cause: unknown): CrewError {
  const reason = cause instanceof Error ? cause.message : 'no answer';
  const message = `The object store at ${new URL(root).host} does not accept requests (${reason}). Check its address, bucket and keys.`;
  return new CrewError('DATABASE_UNAVAILABLE', message, { cause });
}

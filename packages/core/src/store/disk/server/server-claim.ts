/**
 * Files of the process that serves this store. The server holds a lock for its lifetime and publishes its address in a file;
 * without the lock, the file is ignored.
 */

import { rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { toPageAddress } from '@crewagent/protocol/api/page-address';
import { type ServerRecord, serverRecordSchema } from '@crewagent/protocol/api/server-record';
import type { TargetSurface } from '@crewagent/protocol/commands';
import * as z from '@crewagent/protocol/zod';
import { createFolders, replaceFile } from '../../../base/durable-files.ts';
import { withDiskErrors } from '../../../base/errno.ts';
import { describeOpening } from '../../describe-opening.ts';
import { createStoreLayout } from '../layout.ts';
import { isFileLocked, lockFile } from '../locks/file-lock.ts';
import { readJson, readStoreFile, writeStoreFile } from '../store-file.ts';

export interface ServerClaim {
  /** Writes the address of the server for other processes. */
  publish(record: ServerRecord): Promise<void>;
  release(): Promise<void>;
}

/** Undefined if another process serves the store. */
export async function claimServer(root: string): Promise<ServerClaim | undefined> {
  const store = createStoreLayout(root);
  return withDiskErrors(describeOpening(root), async () => {
    await createFolders(store.root);
    const attempt = await lockFile(store.serverLock);
    if (!attempt.isAccepted) return undefined;
    const { lock } = attempt;
    try {
      await rm(store.server, { force: true });
    } catch (error) {
      await lock.release();
      throw error;
    }
    return {
      publish: (record) =>
        withDiskErrors('Could not write the address of the server', () =>
          writeStoreFile(store.server, record),
        ),
      async release() {
        try {
          await withDiskErrors('Could not remove the files of the server', async () => {
            for (const file of [store.server, store.serverDoor, store.windowDoor])
              await rm(file, { force: true });
          });
        } finally {
          await lock.release();
        }
      },
    };
  });
}

/**
 * A page, readable by its owner only, that redirects a browser or an app window to the server with its token. It is opened
 * by file name, so that the token is not in the list of processes.
 */
export async function writeServerDoor(
  root: string,
  { url, token }: ServerAddress,
  surface: TargetSurface = 'web',
): Promise<string> {
  const store = createStoreLayout(root);
  const target = toPageAddress(url, { token, surface }).replaceAll('&', '&amp;');
  const page = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${target}"><title>CrewAgent</title>\n`;
  const door = surface === 'web' ? store.serverDoor : store.windowDoor;
  await withDiskErrors('Could not write the page that opens the browser', async () => {
    await createFolders(dirname(door));
    await replaceFile(door, page);
  });
  return door;
}

export type ServerAddress = Pick<ServerRecord, 'url' | 'token'>;

/** Undefined if no server is running, or if it has not published its address yet. */
export async function findServer(root: string): Promise<ServerRecord | undefined> {
  const store = createStoreLayout(root);
  return withDiskErrors('Could not check for a running server', async () => {
    const isServed = await isFileLocked(store.serverLock);
    return isServed ? readJson(store.server, serverRecordSchema) : undefined;
  });
}

/**
 * The token of the last server of this store, with its address. A server that gets the same address again reuses the token, so
 * that open pages stay signed in. Readable by the owner only.
 */
const serverTokenSchema = z.object({
  schemaVersion: z.literal(1),
  url: z.url(),
  token: z.string().check(z.regex(/^[\w-]{43}$/)),
});
type ServerToken = Omit<z.infer<typeof serverTokenSchema>, 'schemaVersion'>;

/** Undefined if there is none, the file is damaged, or other users of the machine could have read it. */
export async function readServerToken(root: string): Promise<ServerToken | undefined> {
  const store = createStoreLayout(root);
  try {
    const { mode } = await stat(store.serverToken);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) return undefined;
    return serverTokenSchema.safeParse(await readStoreFile(store.serverToken)).data;
  } catch {
    return undefined;
  }
}

export async function writeServerToken(root: string, { url, token }: ServerToken): Promise<void> {
  const store = createStoreLayout(root);
  await withDiskErrors('Could not write the token of the server', async () => {
    await createFolders(store.root);
    await writeStoreFile(store.serverToken, { schemaVersion: 1, url, token });
  });
}

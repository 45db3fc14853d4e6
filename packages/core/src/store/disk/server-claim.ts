/**
 * Which process serves this store. It holds a lock for as long as it lives, and says beside it where it can be reached: no
 * lock, no server, whatever the file says.
 */
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { toPageAddress } from '@crewagent/protocol/api/page-address';
import { type ServerRecord, serverRecordSchema } from '@crewagent/protocol/api/server-record';
import type { TargetSurface } from '@crewagent/protocol/commands';
import { CrewError } from '../../base/crew-error.ts';
import { createFolders, replaceFile } from '../../base/durable-files.ts';
import { withDiskErrors } from '../../base/errno.ts';
import { isFileLocked, lockFile } from './file-lock.ts';
import type { StorePaths } from './layout.ts';
import { readStoreFile, writeStoreFile } from './store-file.ts';

export interface ServerClaim {
  /** Tells others where the server is. */
  publish(record: ServerRecord): Promise<void>;
  release(): Promise<void>;
}

/** Undefined while another process serves the store. */
export async function claimServer(store: StorePaths): Promise<ServerClaim | undefined> {
  return withDiskErrors('Could not open the store', async () => {
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
        withDiskErrors('Could not say where the server is', () => writeStoreFile(store.server, record)),
      async release() {
        try {
          await withDiskErrors('Could not end the server', async () => {
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
 * A page for the owner's eyes that leads a browser, or a window of our own, to the server with its token. Opened by its name,
 * so that the token is in no list of processes.
 */
export async function writeServerDoor(
  store: StorePaths,
  { url, token }: ServerAddress,
  surface: TargetSurface = 'web',
): Promise<string> {
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

/** Where the server of this store is; undefined when there is none, or it has not said yet. */
export async function findServer(store: StorePaths): Promise<ServerRecord | undefined> {
  return withDiskErrors('Could not look for the server', async () => {
    if (!(await isFileLocked(store.serverLock))) return undefined;
    try {
      return serverRecordSchema.safeParse(await readStoreFile(store.server)).data;
    } catch (error) {
      // A file that is not what we write says nothing.
      if (error instanceof CrewError && error.code === 'STORE_DAMAGED') return undefined;
      throw error;
    }
  });
}

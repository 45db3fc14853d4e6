/**
 * The token of the last server of this store, with its address. A server that gets the same address again reuses the token,
 * so that open pages stay signed in. Readable by the owner only.
 */
import { stat } from 'node:fs/promises';
import * as z from '@crewagent/protocol/zod';
import { createFolders } from '../../../base/durable-files.ts';
import { withDiskErrors } from '../../../base/errno.ts';
import { createStoreLayout } from '../layout.ts';
import { readStoreFile, writeStoreFile } from '../store-file.ts';

const serverTokenSchema = z.object({
  schemaVersion: z.literal(1),
  url: z.url(),
  token: z.string().check(z.regex(/^[\w-]{43}$/)),
});
export type ServerToken = Omit<z.infer<typeof serverTokenSchema>, 'schemaVersion'>;

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

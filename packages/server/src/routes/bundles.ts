/** Runs in one file: exported, verified, looked at, continued or discarded. */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { findOwnKey, listSigningKeys, type StagedBundles } from '@crewagent/core';
import type { StagedBundle } from '@crewagent/protocol/api/bundles';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import { mount, mountRaw, type Router } from '../mount.ts';
import type { ServerParts } from '../server-parts.ts';
import { toAttachment, toFileTitle } from './saved-files.ts';

export function mountBundles(router: Router, { runtime, openWorks, stagedBundles, hub }: ServerParts): void {
  const { bundles } = ENDPOINTS;
  const { store } = runtime;
  mountRaw(router, bundles.export, async ({ params: { workId }, body: { key, ...options } }) => {
    const own = key === undefined ? undefined : await findOwnKey(key, store);
    const scratch = await store.packages.makeScratch();
    try {
      const target = join(scratch.path, 'run.crewrun');
      await openWorks.useClosed(workId, async (work) =>
        (await runtime.bundles()).export({ ...options, work, target, privateKey: own?.privateKey }),
      );
      const title = toFileTitle(await hub.viewOf(workId));
      return toFile(target, `${title}.crewrun`, () => void scratch.remove());
    } catch (error) {
      await scratch.remove();
      throw error;
    }
  });
  mount(router, bundles.keys, async () => ({
    keys: (await listSigningKeys(store)).map(({ name, fingerprint }) => ({ name, fingerprint })),
  }));
  mount(router, bundles.upload, async ({ body, query: { name } }) =>
    toStaged(await (await stagedBundles()).receive({ chunks: body, name })),
  );
  mount(router, bundles.openPath, async ({ body: { path } }) =>
    toStaged(await (await stagedBundles()).open(path)),
  );
  mount(router, bundles.unlock, async ({ params: { bundleId }, body: { passphrase } }) =>
    toStaged(await (await stagedBundles()).unlock(bundleId, passphrase)),
  );
  mount(router, bundles.plan, async ({ params: { bundleId }, body: { projectId, model } }) =>
    (await stagedBundles()).plan(bundleId, projectId, model),
  );
  mount(router, bundles.adopt, async ({ params: { bundleId }, body }) =>
    (await stagedBundles()).adopt(bundleId, body),
  );
  mount(router, bundles.discard, async ({ params: { bundleId } }) =>
    (await stagedBundles()).discard(bundleId),
  );
}

function toStaged({ bundleId, name, opened }: Awaited<ReturnType<StagedBundles['open']>>): StagedBundle {
  return { bundleId, name, ...(opened ? { shown: opened.shown } : {}) };
}

/** `end`: called when all of it was read, or nobody reads it any more. */
function toFile(path: string, name: string, end: () => void): Response {
  const stream = createReadStream(path).once('close', end);
  return new Response(Readable.toWeb(stream) as WebStream as ReadableStream, {
    headers: {
      'content-type': 'application/octet-stream',
      'content-disposition': toAttachment(name),
    },
  });
}

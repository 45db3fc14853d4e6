/** Works that people move to the team and back. */
import { CrewError } from '@crewagent/core';
import { TEAM_ENDPOINTS } from '@crewagent/protocol/api/accounts';
import { mount, mountRaw, type Router } from '@crewagent/server/team';
import type { Identities } from '../access/identities.ts';
import { receiveWork, type TransferParts } from '../transfers/receive-work.ts';
import { showTransfer } from '../transfers/show-transfer.ts';
import { storeFile, withReceived } from '../workspaces/upload-files.ts';
import { requireIdentity } from './account-routes.ts';

export interface TransferRoutes extends TransferParts {
  readonly identities: Identities;
  /** Real folder for what arrives. */
  readonly scratch: string;
}

export function mountTransfers(router: Router, routes: TransferRoutes): void {
  const { own, blobs, store, scratch, limits } = routes;
  const { transfers } = TEAM_ENDPOINTS;
  mount(router, transfers.missing, async ({ params: { projectId }, body: { hashes } }) => ({
    missing: await own.missing(projectId, hashes),
  }));
  mount(router, transfers.send, ({ params: { projectId, hash }, body }) =>
    withReceived(scratch, body, { limit: limits.fileBytes, tooLarge }, async (path, blob) => {
      if (blob.sha256 !== hash)
        throw new CrewError(
          'TRANSFER_REFUSED',
          'What arrived does not have the hash that was announced. Send it again.',
        );
      await storeFile(blobs, path, blob);
      await own.add(projectId, [hash]);
    }),
  );
  mount(router, transfers.receive, ({ viewer, params: { projectId }, body: { transfer } }) =>
    receiveWork(routes, { projectId, transfer, person: requireIdentity(routes, viewer).person }),
  );
  mount(router, transfers.show, async ({ params: { workId }, query: { all = false } }) =>
    showTransfer(routes, await store.works.find(workId), all),
  );
  mountRaw(router, transfers.content, async ({ params: { workId, hash } }) => {
    const { projectId } = await store.works.find(workId);
    if ((await own.missing(projectId, [hash])).length > 0)
      throw new CrewError('NOT_FOUND', 'This content does not belong to the project.');
    return new Response(ReadableStream.from(blobs.read(hash)) as ReadableStream<Uint8Array<ArrayBuffer>>, {
      headers: { 'content-type': 'application/octet-stream' },
    });
  });
}

function tooLarge(): CrewError {
  return new CrewError('FILE_TOO_LARGE', 'A file of the project is too large for the team server.');
}

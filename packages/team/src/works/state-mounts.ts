/** Real folders with the files of `@state`: of Works that are open here, and copies of others for readers. */
import { join } from 'node:path';
import {
  ChangedMeanwhile,
  openStateText,
  sha256Of,
  type VersionedText,
  type WorkAddress,
} from '@crewagent/core/store';
import type { Blobs } from '../blobs/blobs.ts';
import type { Database } from '../database/database.ts';
import type { HeldWork } from './held-work.ts';
import { checkOutState, type KnownFiles, readStateFile } from './state-files.ts';

interface StateMountOptions {
  readonly database: Database;
  readonly blobs: Blobs;
  readonly scratch: string;
  /** Works that are open here, by id. */
  readonly held: ReadonlyMap<string, HeldWork>;
}

const STATE_DOCUMENT = 'workflow.md';

export function createStateMounts({ scratch, held, ...parts }: StateMountOptions) {
  const copies = new Map<string, KnownFiles>();

  const folder = async ({ workId }: WorkAddress): Promise<string> => {
    const work = held.get(workId);
    const path = join(scratch, workId, work ? 'state' : 'copy');
    if (work?.state.folder) return path;
    const known = work ? work.state.known : (copies.get(workId) ?? new Map());
    if (!work) copies.set(workId, known);
    await checkOutState(parts, workId, path, known);
    if (work) work.state.folder = path;
    return path;
  };
  return {
    folder,
    openDocument(address: WorkAddress): VersionedText {
      let opened: VersionedText | undefined;
      const open = async (): Promise<VersionedText | undefined> => {
        if (!held.has(address.workId)) return undefined;
        opened ??= openStateText(await folder(address));
        return opened;
      };
      return {
        async read() {
          const document = await open();
          if (document) return document.read();
          const content = await readStateFile(parts, address.workId, STATE_DOCUMENT);
          const bytes = content ?? Buffer.alloc(0);
          return { text: bytes.toString('utf8'), sha256: sha256Of(bytes) };
        },
        async replace(text, ifSha256) {
          const document = await open();
          if (!document) throw new ChangedMeanwhile();
          return document.replace(text, ifSha256);
        },
      };
    },
  };
}

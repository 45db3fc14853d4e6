/** Rows of contents, for the modules that store small and large ones. */
import { CrewError } from '@crewagent/core';

export interface BlobName {
  readonly sha256: string;
  readonly bytes: number;
}

export interface BlobRow {
  readonly sha256: string;
  readonly bytes: string;
  readonly encoding: string;
  readonly content: Buffer | null;
  readonly chunks: number;
  readonly object: string | null;
}

/** Marking a content as used again within an hour would only cost writes. */
export const IS_STALE = "blobs.used_at < now() - interval '1 hour'";

export function damaged(sha256: string): CrewError {
  const message = `The content ${sha256.slice(0, 12)} is missing or damaged in the store of this server. Restore it from a backup.`;
  return new CrewError('STORE_DAMAGED', message);
}

/** A file as it was before or after one of its changes, from the journal of a Work. Changes nothing. */
import type { FileVersion } from '@crewagent/protocol/api/file-diff';
import { CrewError } from '../../base/crew-error.ts';
import { parseUtf8 } from '../../base/utf8.ts';
import type { Store } from '../../store/store.ts';
import type { WorkAddress } from '../../store/work-address.ts';

export interface FileVersionQuery {
  /** Path as in the list of changes. */
  readonly path: string;
  readonly change: number;
  readonly side: 'before' | 'after';
}

const MAX_BYTES = 4 * 1024 * 1024;
const MAX_TEXT_BYTES = 1024 * 1024;

export async function showFileVersion(
  address: WorkAddress,
  { path, change, side }: FileVersionQuery,
  store: Store,
): Promise<FileVersion> {
  const images = await store.works.readImages(address, { path, changeId: change, maxBytes: MAX_BYTES });
  if (!images)
    throw new CrewError(
      'FILE_NOT_FOUND',
      `No change ${change} of "${path}" is recorded. Check the list of changes.`,
    );
  const image = images[side];
  if (image.kind !== 'content') return { path, reason: image.kind };
  const text = toText(image.bytes);
  if (text === undefined) return { path, base64: image.bytes.toString('base64') };
  return image.bytes.length > MAX_TEXT_BYTES ? { path, reason: 'too-large' } : { path, text };
}

/** Undefined if the bytes are not UTF-8, or not text. */
function toText(bytes: Buffer): string | undefined {
  return bytes.includes(0) ? undefined : parseUtf8(bytes);
}

import { type FileIdentity } from './file-identity.ts';
import type { Place } from './folder-walk.ts';
export interface ReplaceOptions {
  /** The file the new content was made from; `absent` when there was none. Anything else there refuses the write. */
  readonly expected?: FileIdentity | 'absent';
  /** Name of the temp file beside the target, so that a journal can clean it up after a crash. */
  readonly tempName: string;
  /** Permissions to give; those of the file that is replaced if left out. */
  readonly mode?: number;
}
export declare function replaceAt(
  place: Place,
  content: Uint8Array,
  { expected, tempName, mode }: ReplaceOptions,
  newMode: number,
): Promise<FileIdentity>;
/** Makes what happened in the folder durable. */
export declare function syncPlace(place: Place): Promise<void>;

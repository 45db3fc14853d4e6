/** Stores a file that a person attached in the project, under a name that is free. Never overwrites. */
import type { SavedFile } from '@crewagent/protocol/api/files';
import { CrewError } from '../base/crew-error.ts';
import type { FileSave } from './save-file.ts';

/** In the project; people see it beside their message. */
const FOLDER = '@project/attachments';
const MAX_NAMES = 100;
const MAX_NAME_CHARS = 120;

/** `save` rejects names of secret files. */
export async function attachFile(
  name: string,
  bytes: Uint8Array,
  save: (request: FileSave) => Promise<SavedFile>,
): Promise<SavedFile> {
  const { stem, extension } = toSafeName(name);
  for (let number = 1; number < MAX_NAMES; number++) {
    const path = `${FOLDER}/${stem}${number === 1 ? '' : ` ${number}`}${extension}`;
    try {
      return await save({ path, bytes, ifMatchSha256: null });
    } catch (error) {
      if (!(error instanceof CrewError) || error.code !== 'FILE_EXISTS') throw error;
    }
  }
  throw new CrewError(
    'FILE_EXISTS',
    `There are ${MAX_NAMES} attachments named "${stem}${extension}". Rename the file.`,
  );
}

/** A name that every system accepts; what a path, a hidden file or a device would be is left out. */
export function toSafeName(name: string): { readonly stem: string; readonly extension: string } {
  const plain = name
    .normalize('NFC')
    .replace(/^.*[/\\]/s, '')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed
    .replace(/[\u0000-\u001f\u007f<>:"|?*\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/^[\s.]+|[\s.]+$/g, '');
  const [extension = ''] = /\.[\p{L}\p{N}]{1,10}$/u.exec(plain) ?? [];
  const stem = plain
    .slice(0, plain.length - extension.length)
    .slice(0, MAX_NAME_CHARS)
    .trimEnd();
  return { stem: stem === '' ? 'file' : stem, extension };
}

/** Files that a person attaches at the terminal: copied to `attachments` of the project, as on the page. */
import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, resolve } from 'node:path';
import { CrewError, errnoOf, errnoSentence, type ProjectFiles } from '@crewagent/core';
import { MAX_ATTACHMENT_BYTES } from '@crewagent/protocol/api/attachments';

/** The mount path of each copy. Nothing is copied if one of the files cannot be read. */
export async function attachFiles(files: ProjectFiles, paths: readonly string[]): Promise<string[]> {
  const contents = await Promise.all(
    paths.map(async (path) => ({ name: basename(path), bytes: await readAttachment(path) })),
  );
  const stored: string[] = [];
  for (const { name, bytes } of contents) stored.push((await files.attach(name, bytes)).path);
  return stored;
}

async function readAttachment(text: string): Promise<Buffer> {
  const path = resolve(text.replace(/^~(?=$|\/)/, homedir()));
  try {
    const { size } = await stat(path);
    if (size > MAX_ATTACHMENT_BYTES)
      throw new CrewError('USAGE', `"${text}" is larger than 25 MB. Put it into the project folder instead.`);
    return await readFile(path);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    const reason = errnoOf(error) === 'ENOENT' ? 'there is no such file' : errnoSentence(error);
    throw new CrewError('FILE_NOT_FOUND', `"${text}" cannot be attached: ${reason}.`);
  }
}

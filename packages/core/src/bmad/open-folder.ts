/**
 * Reads a package that lies unpacked in a folder, under the same rules as an archive. Follows no link, writes nothing.
 */
import * as fs from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isIgnoredName } from '../base/ignored-names.ts';
import { mapLimit } from '../base/map-limit.ts';
import { addTooManyEntries, checkEntries, type EntryFacts, LIMITS } from './entry-rules.ts';
import type { Findings } from './findings.ts';
import { DamagedFile, type PackageFiles } from './package-files.ts';

// The callback forms cost half of what the promise forms do, which shows on packages of many small steps.
const lstat = promisify(fs.lstat);
const open = promisify<string, number, number>(fs.open);
const readFile = promisify<number, Buffer>(fs.readFile);
const close = promisify(fs.close);

// Windows has neither flag.
const NO_FOLLOW = (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);

const LANES = 32;

/** The folder's files, or undefined after adding to `findings` why none of it may be used. */
export async function readFolder(root: string, findings: Findings): Promise<PackageFiles | undefined> {
  const entries = await listEntries(root, findings);
  checkEntries(entries, findings);
  if (findings.hasErrors) return undefined;
  const paths = new Set(entries.filter((entry) => entry.kind === 'file').map((entry) => entry.name));
  return {
    paths,
    async read(path) {
      if (!paths.has(path)) throw new DamagedFile(`there is no file "${path}"`);
      const bytes = await readPlainFile(join(root, path));
      if (bytes.length > LIMITS.fileBytes) throw new DamagedFile(`"${path}" grew while it was read`);
      return bytes;
    },
  };
}

async function listEntries(root: string, findings: Findings): Promise<EntryFacts[]> {
  const found: { name: string; kind: EntryFacts['kind'] }[] = [];
  const pending = [''];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const listed = await readdir(join(root, folder), { withFileTypes: true });
    for (const entry of listed) {
      if (isIgnoredName(entry.name) || isPackedOutput(folder, entry.name)) continue;
      if (found.length === LIMITS.entries) {
        addTooManyEntries(findings);
        return [];
      }
      const name = folder + entry.name;
      if (entry.isDirectory()) {
        found.push({ name: `${name}/`, kind: 'folder' });
        pending.push(`${name}/`);
      } else {
        found.push({ name, kind: entry.isSymbolicLink() ? 'link' : entry.isFile() ? 'file' : 'special' });
      }
    }
  }
  return mapLimit(found, LANES, async ({ name, kind }) => {
    const bytes = kind === 'file' ? (await lstat(join(root, name))).size : 0;
    return { name, kind, bytes };
  });
}

/** A package packed into its own folder must not carry its earlier self. */
function isPackedOutput(folder: string, name: string): boolean {
  return folder === '' && /\.bmad$/i.test(name);
}

/** A link put in the file's place after the listing is not followed. */
async function readPlainFile(path: string): Promise<Buffer> {
  const descriptor = await open(path, fs.constants.O_RDONLY | NO_FOLLOW);
  try {
    return await readFile(descriptor);
  } finally {
    await close(descriptor);
  }
}

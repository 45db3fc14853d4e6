/**
 * Reads a zip to import into memory, by the rules of `read-source`: nothing is unpacked to disk, links are not followed, and an
 * entry that cannot be used is skipped with a finding. At most `totalBytes` are inflated, whatever the archive declares.
 */
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import type { SourceFinding } from '@crewagent/protocol/import-report';
import { CrewError } from '../base/crew-error.ts';
import { withDiskErrors } from '../base/errno.ts';
import { isIgnoredName } from '../base/ignored-names.ts';
import { nameDanger, printable } from '../bmad/archive/entry-rules.ts';
import { type ArchiveEntry, describeOtherFile, listEntries } from '../bmad/archive/open-archive.ts';
import { DamagedFile } from '../bmad/archive/package-files.ts';
import {
  createSourceTree,
  describeSize,
  SOURCE_LIMITS,
  type SourceLimits,
  type SourceTree,
} from './read-source.ts';

export async function readSourceArchive(
  path: string,
  {
    name = basename(path),
    limits = SOURCE_LIMITS,
  }: { name?: string | undefined; limits?: SourceLimits } = {},
): Promise<SourceTree> {
  const handle = await withDiskErrors(`Could not read "${name}"`, () => open(path));
  try {
    const entries = await listEntries(handle, limits.entries + 1);
    const findings: SourceFinding[] = [];
    if (entries.length > limits.entries) {
      const message = `there are more than ${limits.entries} files and folders; the rest were not read`;
      findings.push({ code: 'TOO_MANY', file: '.', message });
    }
    const contents = await readEntries(entries.slice(0, limits.entries), limits, findings);
    findings.sort((a, b) => (a.file < b.file ? -1 : 1));
    const { root, files } = withoutRoot(contents);
    return createSourceTree(root ?? name.replace(/\.(?:zip|bmad)$/i, ''), files, findings);
  } catch (error) {
    if (!(error instanceof DamagedFile)) throw error;
    const reason = (await describeOtherFile(handle)) ?? error.message;
    throw new CrewError(
      'USAGE',
      `"${printable(name)}" cannot be read as a zip: ${reason}. Use a folder or a zip file.`,
    );
  } finally {
    await handle.close();
  }
}

async function readEntries(
  entries: readonly ArchiveEntry[],
  limits: SourceLimits,
  findings: SourceFinding[],
): Promise<Map<string, Buffer>> {
  const contents = new Map<string, Buffer>();
  let total = 0;
  for (const entry of entries) {
    if (entry.kind === 'folder' || entry.name.split('/').some(isIgnoredName)) continue;
    const file = printable(entry.name);
    const issue = contents.has(entry.name)
      ? ({ code: 'UNSAFE_NAME', message: 'the name is used twice; the first file was read' } as const)
      : findIssue(entry, total, limits);
    if (issue) {
      findings.push({ ...issue, file });
      continue;
    }
    try {
      contents.set(entry.name, await entry.read());
      total += entry.bytes;
    } catch (error) {
      if (!(error instanceof DamagedFile)) throw error;
      findings.push({ code: 'NOT_READABLE', file, message: 'it is damaged and was not read' });
    }
  }
  return contents;
}

function findIssue(
  { name, kind, bytes, isReadable }: ArchiveEntry,
  total: number,
  limits: SourceLimits,
): Omit<SourceFinding, 'file'> | undefined {
  const danger = nameDanger(name);
  if (danger !== undefined) return { code: 'UNSAFE_NAME', message: `the name ${danger}` };
  if (kind === 'link') return { code: 'LINK', message: 'this is a symbolic link, which is not followed' };
  if (kind !== 'file') return { code: 'SPECIAL', message: 'this is neither a file nor a folder' };
  if (name.split('/').length > limits.depth)
    return {
      code: 'TOO_DEEP',
      message: `the folder is more than ${limits.depth} levels deep and was not read`,
    };
  if (bytes > limits.fileBytes || total + bytes > limits.totalBytes)
    return { code: 'TOO_LARGE', message: describeSize(bytes, limits) };
  return isReadable
    ? undefined
    : { code: 'NOT_READABLE', message: 'it is encrypted or uses an unknown compression' };
}

/** Most archives contain one folder, with everything else in it. */
function withoutRoot(contents: ReadonlyMap<string, Buffer>): {
  root?: string;
  files: ReadonlyMap<string, Buffer>;
} {
  const [first = ''] = contents.keys();
  const root = first.slice(0, first.indexOf('/') + 1);
  if (root === '' || [...contents.keys()].some((path) => !path.startsWith(root))) return { files: contents };
  const files = new Map([...contents].map(([path, bytes]) => [path.slice(root.length), bytes]));
  return { root: root.slice(0, -1), files };
}

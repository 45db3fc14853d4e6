/**
 * The names and sizes allowed in a package, for archives and folders alike. Works on facts about entries; touches neither disk
 * nor archive.
 */
import type { DiagnosticCode } from '@crewagent/protocol/diagnostics';
import { hasInvisible, toPlainText } from '@crewagent/protocol/plain-text';
import { foldName, segmentDanger } from '../../base/file-names.ts';
import type { Findings } from '../findings/findings.ts';

export const LIMITS = {
  entries: 2_000,
  fileBytes: 16 * 1024 * 1024,
  totalBytes: 64 * 1024 * 1024,
  ratio: 200,
  /** No archive within the limits above is larger; a larger file is not read. */
  archiveBytes: 128 * 1024 * 1024,
} as const;

export interface EntryFacts {
  /** The name as stored in the archive; a folder's name ends in `/`. */
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'special';
  readonly bytes: number;
  /** Archives only. */
  readonly compressedBytes?: number;
}

/** Reports every entry that must not be unpacked. Without findings, all entries are safe to write. */
export function checkEntries(entries: readonly EntryFacts[], findings: Findings): void {
  const safe: EntryFacts[] = [];
  for (const entry of entries) {
    const danger = nameDanger(entry.name);
    if (!danger) safe.push(entry);
    else {
      findings.add('ENTRY_NAME_UNSAFE', {
        file: printable(entry.name),
        message: `the name ${danger}`,
        fix: 'Rename it to a plain relative path with forward slashes and pack again.',
      });
    }
    checkEntry(entry, findings);
  }
  checkClashes(safe, findings);
  const total = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  if (total > LIMITS.totalBytes) {
    findings.add('PACKAGE_TOO_LARGE', {
      file: '.',
      message: `the files add up to ${mebibytes(total)}, more than the limit of ${mebibytes(LIMITS.totalBytes)}`,
      fix: 'Leave large material out of the package and let the workflow read it from the project.',
    });
  }
}

export function addTooManyEntries(findings: Findings): void {
  findings.add('TOO_MANY_ENTRIES', {
    file: '.',
    message: `there are more than ${LIMITS.entries} files and folders, the limit of a package`,
    fix: 'Remove files the workflow does not need, or split the package.',
  });
}

/** Why a name is dangerous to write, as the end of the sentence "the name …"; undefined if it is safe. */
export function nameDanger(name: string): string | undefined {
  if (Buffer.byteLength(name) > 1_024) return 'is longer than 1,024 bytes';
  if (name.includes('\0')) return 'contains a NUL character';
  if (name.includes('\\')) return 'contains a backslash';
  if (name.startsWith('/')) return 'is absolute';
  if (/^[A-Za-z]:/.test(name)) return 'begins with a drive letter';
  if (name.includes('\uFFFD')) return 'is not valid Unicode';
  if (hasInvisible(name)) return 'contains control or invisible characters';
  const segments = name.replace(/\/$/, '').split('/');
  for (const segment of segments) {
    if (segment === '..') return 'leaves the package with ".."';
    if (segment === '' || segment === '.') return 'has an empty or "." part';
    const danger = segmentDanger(segment);
    if (danger) return danger;
  }
  if (process.platform === 'win32' && /[<>:"|?*]/.test(name)) return 'cannot be written on Windows';
  return undefined;
}

function checkEntry({ name, kind, bytes, compressedBytes = bytes }: EntryFacts, findings: Findings): void {
  const add = (code: DiagnosticCode, message: string, fix: string): void =>
    findings.add(code, { file: printable(name), message, fix });
  if (kind === 'link')
    add('ENTRY_IS_LINK', 'this is a symbolic link', 'Replace the link by a copy of the file it points to.');
  if (kind === 'special' || (kind === 'folder' && bytes > 0))
    add(
      'ENTRY_IS_SPECIAL',
      'this is neither a plain file nor a folder',
      'Remove it; a package may contain plain files and folders only.',
    );
  if (bytes > LIMITS.fileBytes)
    add(
      'FILE_TOO_LARGE',
      `the file has ${mebibytes(bytes)}, more than the limit of ${mebibytes(LIMITS.fileBytes)}`,
      'Split it, or let the workflow read it from the project.',
    );
  if (compressedBytes > bytes + bytes / 100 + 1_024)
    add(
      'ARCHIVE_DAMAGED',
      'it is larger compressed than uncompressed',
      'Pack it again with an ordinary tool.',
    );
  if (bytes > compressedBytes * LIMITS.ratio)
    add(
      'RATIO_TOO_HIGH',
      `it would unpack to more than ${LIMITS.ratio} times its size in the archive`,
      'Store the file uncompressed, or leave it out.',
    );
}

/**
 * Names that are the same on some disk: equal, equal except for case or Unicode form, or a file where another entry needs a
 * folder.
 */
function checkClashes(entries: readonly EntryFacts[], findings: Findings): void {
  const byFold = new Map<string, { name: string; isFolder: boolean }>();
  const reported = new Set<string>();
  const claim = (name: string, isFolder: boolean, file: string): void => {
    const fold = foldName(name);
    const holder = byFold.get(fold);
    if (reported.has(name)) return;
    if (holder && (holder.isFolder !== isFolder || holder.name !== name)) reported.add(name);
    if (!holder) {
      byFold.set(fold, { name, isFolder });
    } else if (holder.isFolder !== isFolder) {
      findings.add('ENTRY_CLASH', {
        file: printable(file),
        message: `"${printable(name)}" is both a file and a folder`,
        fix: 'Rename one of the two.',
      });
    } else if (holder.name !== name) {
      findings.add('ENTRY_CLASH', {
        file: printable(file),
        message: `the name differs from "${printable(holder.name)}" only in letter case or Unicode form`,
        fix: 'Rename one of the two: on many disks they are the same file.',
      });
    } else if (!isFolder) {
      findings.add('ENTRY_DUPLICATE', {
        file: printable(file),
        message: 'the archive has two entries with this name',
        fix: 'Keep one of them.',
      });
    }
  };
  for (const { name, kind } of entries) {
    const isFolder = kind === 'folder';
    const segments = name.replace(/\/$/, '').split('/');
    for (let depth = 1; depth < segments.length; depth++)
      claim(segments.slice(0, depth).join('/'), true, name);
    claim(segments.join('/'), isFolder, name);
  }
}

/** Makes a hostile name safe to show. */
export function printable(name: string): string {
  const shown = toPlainText(name);
  return shown.length > 200 ? `${shown.slice(0, 200)}…` : shown;
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1).replace(/\.0$/, '')} MiB`;
}

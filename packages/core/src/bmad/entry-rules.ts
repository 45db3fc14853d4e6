/**
 * Which names and sizes a package may bring, whether it comes as an archive or as a folder.
 * Judges facts about entries; touches neither disk nor archive.
 */
import { hasInvisible, toPlainText } from '@crewagent/protocol/plain-text';
import type { Findings } from './findings.ts';

export const LIMITS = {
  entries: 2_000,
  fileBytes: 16 * 1024 * 1024,
  totalBytes: 64 * 1024 * 1024,
  ratio: 200,
  /** No archive within the limits above is larger; a larger file is not even read. */
  archiveBytes: 128 * 1024 * 1024,
} as const;

export interface EntryFacts {
  /** The name as it stands in the archive; a folder's ends in `/`. */
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'special';
  readonly bytes: number;
  /** Only in an archive. */
  readonly compressedBytes?: number;
}

/** Reports every entry that must not be unpacked. No finding means: all of them are safe to write. */
export function checkEntries(entries: readonly EntryFacts[], findings: Findings): void {
  for (const entry of entries) {
    const danger = nameDanger(entry.name);
    if (danger) {
      findings.add('ENTRY_NAME_UNSAFE', {
        file: printable(entry.name),
        message: `the name ${danger}`,
        fix: 'Rename it to a plain relative path with forward slashes and pack again.',
      });
    }
    checkKind(entry, findings);
    checkSize(entry, findings);
  }
  checkClashes(entries, findings);
  const total = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  if (total > LIMITS.totalBytes) {
    findings.add('PACKAGE_TOO_LARGE', {
      file: '.',
      message: `the files add up to ${mebibytes(total)}, more than the ${mebibytes(LIMITS.totalBytes)} a package may hold`,
      fix: 'Leave large material out of the package and let the workflow read it from the project.',
    });
  }
}

export function addTooManyEntries(findings: Findings): void {
  findings.add('TOO_MANY_ENTRIES', {
    file: '.',
    message: `there are more than ${LIMITS.entries} files and folders, the most a package may hold`,
    fix: 'Leave out what the workflow does not need, or split the package.',
  });
}

const RESERVED = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?$/i;

/** What makes a name dangerous to write, as the end of the sentence "the name …"; undefined when it is fine. */
export function nameDanger(name: string): string | undefined {
  if (name.includes('\0')) return 'contains a NUL character';
  if (name.includes('\\')) return 'contains a backslash';
  if (name.startsWith('/')) return 'is absolute';
  if (/^[A-Za-z]:/.test(name)) return 'begins with a drive letter';
  if (hasInvisible(name)) return 'contains control or invisible characters';
  const segments = name.replace(/\/$/, '').split('/');
  for (const segment of segments) {
    if (segment === '..') return 'leads out of the package with ".."';
    if (segment === '' || segment === '.') return 'has an empty or "." part';
    if (RESERVED.test(segment.replace(/[. ]+$/, ''))) return `contains the reserved device name "${segment}"`;
    if (/[. ]$/.test(segment)) return 'has a part that ends in a dot or a space';
    if (Buffer.byteLength(segment) > 255) return 'has a part longer than 255 bytes';
  }
  if (Buffer.byteLength(name) > 1_024) return 'is longer than 1,024 bytes';
  if (process.platform === 'win32' && /[<>:"|?*]/.test(name)) return 'cannot be written on Windows';
  return undefined;
}

function checkKind(entry: EntryFacts, findings: Findings): void {
  const file = printable(entry.name);
  if (entry.kind === 'link') {
    findings.add('ENTRY_IS_LINK', {
      file,
      message: 'this is a symbolic link',
      fix: 'Replace the link by a copy of the file it points to.',
    });
  }
  if (entry.kind === 'special' || (entry.kind === 'folder' && entry.bytes > 0)) {
    findings.add('ENTRY_IS_SPECIAL', {
      file,
      message: 'this is neither a plain file nor a folder',
      fix: 'Remove it; a package holds plain files and folders only.',
    });
  }
}

function checkSize(entry: EntryFacts, findings: Findings): void {
  const file = printable(entry.name);
  if (entry.bytes > LIMITS.fileBytes) {
    findings.add('FILE_TOO_LARGE', {
      file,
      message: `the file has ${mebibytes(entry.bytes)}, more than the ${mebibytes(LIMITS.fileBytes)} a file may have`,
      fix: 'Split it, or let the workflow read it from the project.',
    });
  }
  if (entry.compressedBytes !== undefined && entry.bytes > entry.compressedBytes * LIMITS.ratio) {
    findings.add('RATIO_TOO_HIGH', {
      file,
      message: `it would unpack to more than ${LIMITS.ratio} times its size in the archive`,
      fix: 'Store the file uncompressed, or leave it out.',
    });
  }
}

/**
 * Two names that some disk takes for one: equal, equal but for case or Unicode form,
 * or a file where another entry needs a folder.
 */
function checkClashes(entries: readonly EntryFacts[], findings: Findings): void {
  const byFold = new Map<string, { name: string; isFolder: boolean }>();
  const told = new Set<string>();
  const claim = (name: string, isFolder: boolean, file: string): void => {
    const fold = foldName(name);
    const holder = byFold.get(fold);
    if (told.has(name)) return;
    if (holder && (holder.isFolder !== isFolder || holder.name !== name)) told.add(name);
    if (!holder) {
      byFold.set(fold, { name, isFolder });
    } else if (holder.isFolder !== isFolder) {
      findings.add('ENTRY_CLASH', {
        file: printable(file),
        message: `"${printable(name)}" is a file in one place and a folder in another`,
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
        message: 'the archive holds two entries of this name',
        fix: 'Keep one of them.',
      });
    }
  };
  for (const { name, kind } of entries) {
    const isFolder = kind === 'folder';
    const segments = name.replace(/\/+$/, '').split('/');
    for (let depth = 1; depth < segments.length; depth++)
      claim(segments.slice(0, depth).join('/'), true, name);
    claim(segments.join('/'), isFolder, name);
  }
}

/** Upper then lower case, so that letters that only fold one way (ß, ſ, K) meet. */
function foldName(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

/** A hostile name made safe to show. */
export function printable(name: string): string {
  const shown = toPlainText(name);
  return shown.length > 200 ? `${shown.slice(0, 200)}…` : shown;
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1).replace(/\.0$/, '')} MiB`;
}

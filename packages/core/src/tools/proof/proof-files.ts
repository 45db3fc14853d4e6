/**
 * Reads the files that checks are about, through the mounts only: what a tool may not read, a check does not read either.
 */
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { errnoOf } from '../../base/errno.ts';
import { formatMountPath, type MountPath, parseMountPath } from '../../mounts/mount-path.ts';
import type { MountedFs } from '../../mounts/mounted-fs.ts';
import { fillVariables, type PathVariables } from '../../mounts/path-template.ts';
import { isFileError, SandboxViolation } from '../../mounts/sandbox-violation.ts';
import { matchesGlob, parseGlob } from '../search/ignore-globs.ts';

export const MAX_CHECKED_BYTES = 16 * 1_048_576;
const MAX_MATCHES = 500;
const MAX_WALKED = 20_000;
const SKIPPED = new Set(['.git', 'node_modules']);

export interface FoundFiles {
  /** Full mount paths, sorted. */
  readonly paths: readonly string[];
  /** There are more than were looked at. */
  readonly isPartial: boolean;
}

export type CheckedFile =
  | { readonly kind: 'file'; readonly bytes: Buffer; readonly sha256: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable'; readonly reason: string };

export interface ProofFiles {
  /** Files that a path or a glob without variables names; a path is listed even if the file does not exist. */
  find(pattern: string): Promise<FoundFiles>;
  read(path: string): Promise<CheckedFile>;
}

export function isGlob(path: string): boolean {
  return /[*?[{]/.test(path);
}

/** A path as a glob, with variables filled in; in their values nothing is a wildcard. */
export function fillGlob(path: string, variables: PathVariables): string {
  const literal = Object.entries(variables).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.replace(/[*?[{]/g, '[$&]') : value,
  ]);
  return fillVariables(path, Object.fromEntries(literal) as PathVariables);
}

/** The full mount path or glob that a pattern means; undefined if it is outside of the mounts. */
export function toFullPattern(pattern: string, artifactsDir?: string): string | undefined {
  const parsed = parseMountPath(pattern, artifactsDir);
  return parsed.ok ? formatMountPath(parsed.path) : undefined;
}

/** As people and models write it. */
export function toShown(path: string): string {
  return path.replace(/^@project\//, '');
}

export function createProofFiles(files: MountedFs, artifactsDir?: string): ProofFiles {
  return {
    async find(pattern) {
      const full = toFullPattern(pattern, artifactsDir);
      if (full === undefined) return NOTHING;
      return isGlob(full) ? walk(files, full) : { paths: [full], isPartial: false };
    },
    async read(path) {
      const parsed = parseMountPath(path);
      if (!parsed.ok) return { kind: 'unreadable', reason: parsed.reason };
      try {
        return await files.withFile(parsed.path, async ({ handle, bytes }) =>
          bytes > MAX_CHECKED_BYTES
            ? { kind: 'unreadable', reason: 'is larger than 16 MiB and cannot be checked' }
            : toChecked(await handle.readFile()),
        );
      } catch (error) {
        return toUnread(error);
      }
    },
  };
}

const NOTHING: FoundFiles = { paths: [], isPartial: false };

/** In slices: 16 MiB at once would hold up everything else. */
async function toChecked(bytes: Buffer): Promise<CheckedFile> {
  const hash = createHash('sha256');
  for (let start = 0; start < bytes.length; start += HASH_SLICE) {
    if (start > 0) await setImmediate();
    hash.update(bytes.subarray(start, start + HASH_SLICE));
  }
  return { kind: 'file', bytes, sha256: hash.digest('hex') };
}

const HASH_SLICE = 4 * 1_048_576;

function toUnread(error: unknown): CheckedFile {
  const code = errnoOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' };
  if (error instanceof SandboxViolation) return { kind: 'unreadable', reason: 'may not be read' };
  if (code === undefined) throw error;
  return { kind: 'unreadable', reason: code === 'EISDIR' ? 'is a folder' : `cannot be read (${code})` };
}

async function walk(files: MountedFs, full: string): Promise<FoundFiles> {
  const glob = parseGlob(full);
  const segments = full.split('/');
  const fixed = segments.slice(0, segments.findIndex(isGlob));
  const start = parseMountPath(fixed.join('/'));
  if (!glob || !start.ok) return NOTHING;
  const depth = full.includes('**') ? Number.POSITIVE_INFINITY : segments.length - fixed.length;
  const paths: string[] = [];
  let walked = 0;
  const pending: { path: MountPath; level: number }[] = [{ path: start.path, level: 1 }];
  for (let folder = pending.pop(); folder; folder = pending.pop()) {
    const { mount, segments: above } = folder.path;
    for (const { name, kind } of await entriesOf(files, folder.path)) {
      if (++walked > MAX_WALKED || paths.length >= MAX_MATCHES)
        return { paths: paths.sort(), isPartial: true };
      const path = { mount, segments: [...above, name] };
      const text = formatMountPath(path);
      if (kind === 'folder' && folder.level < depth && !SKIPPED.has(name))
        pending.push({ path, level: folder.level + 1 });
      else if (kind === 'file' && matchesGlob(glob, text)) paths.push(text);
    }
  }
  return { paths: paths.sort(), isPartial: false };
}

async function entriesOf(files: MountedFs, path: MountPath) {
  const entries: { readonly name: string; readonly kind: string }[] = [];
  try {
    for await (const batch of files.entries(path)) {
      entries.push(...batch);
      if (entries.length > MAX_WALKED) break;
    }
  } catch (error) {
    if (!isFileError(error)) throw error;
  }
  return entries;
}

/** Files of a project in a folder of this machine, on their way to another store and back. Secret files and data of git stay where they are. */
import { randomUUID } from 'node:crypto';
import type { Transfer, TransferredFile } from '@crewagent/protocol/transfer';
import { CrewError } from '../base/crew-error.ts';
import { errnoOf } from '../base/errno.ts';
import { foldName, segmentDanger } from '../base/file-names.ts';
import { isIgnoredName } from '../base/ignored-names.ts';
import { listTree } from '../base/list-tree.ts';
import { sha256Of } from '../base/sha256.ts';
import { toProjectPath } from '../mounts/mount-path.ts';
import { createMountedFs, type MountedFs } from '../mounts/mounted-fs.ts';
import { SandboxViolation } from '../mounts/sandbox-violation.ts';
import type { IsSecret } from '../mounts/sensitive/secret-files.ts';
import type { ChangedPaths } from './changed-paths.ts';
import type { Contents } from './pack-works.ts';

type PackedFiles = Pick<Transfer, 'changed' | 'deleted' | 'others'>;

/** `paths`: changed by the Works that arrive with them. */
type ArrivedFiles = PackedFiles & { readonly paths: ChangedPaths };

export function openProjectFolder(folder: string, isSecret: IsSecret) {
  const files = createMountedFs({ project: folder, pkg: undefined, state: undefined }, isSecret);
  return {
    /** `withOthers`: also files that these Works did not change. */
    async pack(paths: ChangedPaths, contents: Contents, withOthers: boolean): Promise<PackedFiles> {
      const packed: PackedFiles = { changed: [], deleted: [], others: [] };
      const add = async (path: string, list: TransferredFile[]): Promise<void> => {
        const file = await readIfThere(files, path);
        if (!file) return;
        contents.set(file.sha256, async () => (await readIfThere(files, path))?.content ?? Buffer.alloc(0));
        const { sha256, bytes, isExecutable } = file;
        list.push({ path, sha256, bytes, ...(isExecutable ? { isExecutable } : {}) });
      };
      for (const path of paths.keys())
        if (files.kindOf(path.split('/')) === undefined) packed.deleted.push(path);
        else await add(path, packed.changed);
      if (withOthers)
        for (const path of listProject(folder)) if (!paths.has(path)) await add(path, packed.others);
      return packed;
    },
    /** What has to be written for the files that arrived. Throws FILE_CONFLICT if files were changed here, too. */
    async plan({ changed, deleted, others, paths }: ArrivedFiles, keepsOwn: boolean): Promise<FilePlan> {
      const plan: { -readonly [Key in keyof FilePlan]: FilePlan[Key][number][] } = {
        put: [],
        remove: [],
        kept: [],
      };
      const gone = new Set(deleted);
      const arriving = new Map(changed.map((file) => [file.path, file]));
      for (const [path, known] of paths) {
        const file = arriving.get(path);
        if (!file && !gone.has(path)) continue;
        const own = (await readIfThere(files, path))?.sha256 ?? (isFree(files, path) ? null : OCCUPIED);
        if (own === (file?.sha256 ?? null)) continue;
        if (!known.has(own)) plan.kept.push(path);
        else if (file) plan.put.push(file);
        else plan.remove.push(path);
      }
      for (const file of others) if (isFree(files, file.path)) plan.put.push(file);
      if (plan.kept.length > 0 && !keepsOwn) throw changedHere(plan.kept);
      for (const path of [...plan.put.map((file) => file.path), ...plan.remove]) requireWritable(files, path);
      return plan;
    },
    /** Whether nothing is there that would be replaced. */
    isFree: (path: string) => isFree(files, path),
    /** `tempName`: the same when writing is repeated after a crash, so that nothing is left. */
    async write(
      { put, remove }: FilePlan,
      read: (sha256: string) => Promise<Buffer>,
      tempName = `.${randomUUID()}`,
    ): Promise<void> {
      for (const { path, sha256, isExecutable } of put) {
        const temp = [...path.split('/').slice(0, -1), tempName];
        if (files.kindOf(temp) === 'file') await files.remove(toPath(temp.join('/')));
        const mode = isExecutable ? { mode: 0o755 } : {};
        await files.replace(toPath(path), await read(sha256), { tempName, ...mode });
      }
      for (const path of remove) await files.remove(toPath(path));
    },
  };
}

export interface FilePlan {
  readonly put: readonly TransferredFile[];
  readonly remove: readonly string[];
  /** Were changed here and stay. */
  readonly kept: readonly string[];
}

const toPath = (path: string) => toProjectPath(`@project/${path}`);

/** Undefined for what is not a file, or not one that leaves this machine. */
async function readIfThere(files: MountedFs, path: string) {
  try {
    return await files.withFile(toPath(path), async ({ handle, mode }) => {
      const content = await handle.readFile();
      const isExecutable = (mode & 0o100) !== 0 ? true : undefined;
      return { content, sha256: sha256Of(content), bytes: content.length, isExecutable } as const;
    });
  } catch (error) {
    if (error instanceof SandboxViolation || NOT_A_FILE.has(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** Stands for the hash of what is no file, or one that tools may not access. */
const OCCUPIED = 'occupied';

function isFree(files: MountedFs, path: string): boolean {
  const segments = path.split('/');
  return segments.every((_, index) => {
    const kind = files.kindOf(segments.slice(0, index + 1));
    return kind === undefined || (kind === 'folder' && index < segments.length - 1);
  });
}

/** Before anything is written. */
function requireWritable(files: MountedFs, path: string): void {
  requireSafePath(path);
  try {
    files.resolve(toPath(path), 'write');
  } catch (error) {
    if (error instanceof SandboxViolation)
      throw new CrewError('TRANSFER_REFUSED', `The file "${path.slice(0, 200)}" ${error.message}.`);
    throw error;
  }
}

const NOT_A_FILE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR']);

function* listProject(folder: string): Generator<string> {
  const ignored = new Set<string>();
  for (const { path, entry } of listTree(folder)) {
    const parent = path.slice(0, Math.max(0, path.length - entry.name.length - 1));
    if (ignored.has(parent) || isIgnoredName(entry.name)) ignored.add(path);
    else if (entry.isFile()) yield path;
  }
}

/** For files of any system. */
export function requireSafePath(path: string): void {
  const isRefused = path
    .split('/')
    .some(
      (part) => foldName(part) === '.git' || segmentDanger(part) !== undefined || /[\p{C}\\]/u.test(part),
    );
  if (isRefused)
    throw new CrewError('TRANSFER_REFUSED', `A file of the name "${path.slice(0, 200)}" was refused.`);
}

const SHOWN = 5;

function changedHere(paths: readonly string[]): CrewError {
  const names = paths.slice(0, SHOWN).map((path) => `"${path}"`);
  const more = paths.length > SHOWN ? ` and ${paths.length - SHOWN} more` : '';
  return new CrewError(
    'FILE_CONFLICT',
    `Changed here since the run wrote them: ${names.join(', ')}${more}. Nothing was pulled. Move them aside, or keep them as they are with --keep-files.`,
  );
}

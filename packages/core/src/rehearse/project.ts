/**
 * The project of a rehearsal: an empty folder, or a copy of a person's project without secret files, links, and folders of
 * version control and package managers.
 */
import { constants, copyFile, mkdir, opendir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { CrewError } from '../base/crew-error.ts';
import { ifAllowed, withDiskErrors } from '../base/errno.ts';
import { isIgnoredName } from '../base/ignored-names.ts';
import { removeTree } from '../base/remove-tree.ts';
import { createSecretCheck } from '../mounts/sensitive/secret-files.ts';

/** The project is copied for every run, so it must be small. */
export const COPY_LIMITS = { files: 20_000, bytes: 256 * 1_048_576 } as const;

export interface CopyOptions {
  readonly signal: AbortSignal;
  /** Not copied if it is inside the project. */
  readonly except: string;
}

/** Runs something in a project of its own, which is deleted afterwards. */
export type WithProject = <T>(run: (projectPath: string) => Promise<T>) => Promise<T>;

export async function inProject<T>(
  source: string | undefined,
  target: string,
  options: CopyOptions,
  run: (projectPath: string) => Promise<T>,
): Promise<T> {
  await copyProject(source, target, options);
  const result = await run(target);
  await removeTree(target);
  return result;
}

/** Creates `target` with the content of `source`; ends early without an error when it is aborted. */
async function copyProject(source: string | undefined, target: string, options: CopyOptions) {
  await withDiskErrors('Could not create a folder for the rehearsal', () => mkdir(target, { mode: 0o700 }));
  if (source === undefined) return;
  const from = await realFolder(source);
  await withDiskErrors(`Could not copy "${source}"`, () => copyTree(from, target, source, options));
}

async function realFolder(path: string): Promise<string> {
  const found = await ifAllowed(stat(path));
  const real = found?.isDirectory() ? await ifAllowed(realpath(path)) : undefined;
  if (real !== undefined) return real;
  throw new CrewError('FOLDER_NOT_FOUND', `There is no folder "${path}"; give the folder of a project.`);
}

async function copyTree(
  from: string,
  target: string,
  shownPath: string,
  { signal, except }: CopyOptions,
): Promise<void> {
  const isSecret = createSecretCheck();
  let files = 0;
  let bytes = 0;
  const pending: string[][] = [[]];
  for (let folder = pending.pop(); folder && !signal.aborted; folder = pending.pop()) {
    for await (const entry of await opendir(join(from, ...folder))) {
      const segments = [...folder, entry.name];
      const path = join(from, ...segments);
      if (isIgnoredName(entry.name) || isSecret(segments) || isInside(path, except)) continue;
      if (entry.isDirectory()) {
        await mkdir(join(target, ...segments), { mode: 0o700 });
        pending.push(segments);
      } else if (entry.isFile()) {
        files += 1;
        bytes += (await stat(path)).size;
        if (files > COPY_LIMITS.files || bytes > COPY_LIMITS.bytes) throw tooLarge(shownPath);
        await copyFile(path, join(target, ...segments), constants.COPYFILE_FICLONE);
      }
      if (signal.aborted) return;
    }
  }
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}${sep}`);
}

function tooLarge(shownPath: string): CrewError {
  const { files, bytes } = COPY_LIMITS;
  return new CrewError(
    'USAGE',
    `"${shownPath}" is too large to be copied for a rehearsal (more than ${files} files or ${bytes / 1_048_576} MiB); give a smaller folder, or leave it out to rehearse in an empty one.`,
  );
}

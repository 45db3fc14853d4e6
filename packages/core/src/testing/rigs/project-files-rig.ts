/**
 * The project files API on a real folder and store.
 */
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { CrewError } from '../../base/crew-error.ts';
import {
  openProjectFiles,
  type ProjectFiles,
  type ProjectFilesOptions,
} from '../../project-files/open-project-files.ts';
import { openDiskStore } from '../../store/disk/open-store.ts';
import { SAMPLE_PROJECT_ID } from '../sample-record.ts';
import { tempFolder, writeTree } from '../temp-folder.ts';

export interface RigOptions extends Partial<Pick<ProjectFilesOptions, 'isSecret' | 'undoLimits'>> {
  readonly root?: string;
  readonly content?: Readonly<Record<string, string | Buffer>>;
}

export async function openProjectFilesRig({ root, content = {}, ...options }: RigOptions = {}) {
  const folder = root ?? (await tempFolder());
  const project = join(folder, 'project');
  await mkdir(project, { recursive: true });
  await writeTree(project, content);
  const store = openDiskStore(join(folder, 'store'));
  /** Opens the files again, as another process would. */
  const open = async (): Promise<ProjectFiles> => {
    const files = await openProjectFiles({
      store,
      project: { projectId: SAMPLE_PROJECT_ID, path: project },
      now: () => new Date(),
      ...options,
    });
    onTestFinished(() => files.close());
    return files;
  };
  /** Folder of the change history. */
  const journal = store.fileJournal(SAMPLE_PROJECT_ID);
  return { root: folder, project, store, journal, files: await open(), open };
}

/** The error of a rejected operation; throws if the operation succeeds. */
export async function refusalOf(attempt: Promise<unknown>): Promise<CrewError> {
  try {
    await attempt;
  } catch (error) {
    if (error instanceof CrewError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

export async function codeOf(attempt: Promise<unknown>): Promise<string> {
  return (await refusalOf(attempt)).code;
}

/** The whole content of the store, as one text. */
export async function storeText(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const texts = entries
    .filter((entry) => entry.isFile())
    .map(async (entry) => `${entry.name}\n${await readFile(join(entry.parentPath, entry.name), 'latin1')}`);
  return (await Promise.all(texts)).join('\n');
}

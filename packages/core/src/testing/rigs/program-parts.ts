/** What commands and servers in the sandbox need of a Work, on the folders of a test: files, journal, views. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createMountedFs, type MountedFs } from '../../mounts/mounted-fs.ts';
import { findRunner } from '../../mounts/sensitive/runs-later.ts';
import { createSecretCheck } from '../../mounts/sensitive/secret-files.ts';
import { openJournal } from '../../store/work-files/journal.ts';

export async function openProgramParts(project: string, work: string, adapt = (files: MountedFs) => files) {
  mkdirSync(join(work, 'state'), { recursive: true });
  const isSecret = createSecretCheck();
  const roots = { project, pkg: undefined, state: join(work, 'state') };
  const files = adapt(createMountedFs(roots, isSecret));
  const warn = (): void => undefined;
  const journal = await openJournal({ folder: join(work, 'journal'), files, clock: () => new Date(), warn });
  const spill = (): Promise<string> => Promise.resolve('@state/x');
  return { project, files, isSecret, findRunner, journal, spill, viewsFolder: join(work, 'views') };
}

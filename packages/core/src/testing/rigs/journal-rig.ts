/**
 * A journal for a real project folder, with its warnings.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createMountedFs, type MountedFs } from '../../mounts/mounted-fs.ts';
import { createSecretCheck } from '../../mounts/sensitive/secret-files.ts';
import { openJournal } from '../../store/work-files/journal.ts';

export type JournalRig = Awaited<ReturnType<typeof openJournalRig>>;

export interface JournalRigOptions {
  readonly capBytes?: number;
  /** Wraps the project's files before the journal gets them. */
  readonly adapt?: (files: MountedFs) => MountedFs;
}

/** Opens the journal in `root`, as a later process would. */
export async function openJournalRig(
  root: string,
  { capBytes, adapt = (files) => files }: JournalRigOptions = {},
) {
  const project = join(root, 'project');
  await mkdir(project, { recursive: true });
  const roots = { project, pkg: join(root, 'pkg'), state: join(root, 'state') };
  const files = adapt(createMountedFs(roots, createSecretCheck()));
  const warnings: string[] = [];
  const journal = await openJournal({
    folder: join(root, 'journal'),
    files,
    clock: () => new Date(),
    warn: (message) => warnings.push(message),
    capBytes,
  });
  return { root, project, files, warnings, journal };
}

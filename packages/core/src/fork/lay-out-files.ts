/** Puts project files of the past in place: in a new folder, or in the project itself, where every change is recorded. */
import type { JournalImage } from '@crewagent/protocol/journal';
import { sha256Of } from '../base/sha256.ts';
import { stagingName } from '../base/staging.ts';
import type { NewEntry } from '../mounts/exact-entries.ts';
import type { MountPath } from '../mounts/mount-path.ts';
import { createMountedFs, type MountedFs } from '../mounts/mounted-fs.ts';
import type { JournalCopy } from '../store/work-store.ts';
import { type Committed, commitChanges, type EntryJournal } from '../tools/changes/commit-changes.ts';
import type { PastFiles } from './past-files.ts';

export interface PastChange {
  readonly path: string;
  readonly kind: 'created' | 'changed' | 'deleted';
  /** The file is not as the run left it: somebody else changed it since. */
  readonly isEdited: boolean;
}

export interface FilesPlan {
  /** What is different now. */
  readonly changes: readonly PastChange[];
  /** Contents that the journal did not keep: what they were cannot be rebuilt. */
  readonly lost: readonly string[];
}

type Journals = readonly JournalCopy[];

const toTarget = (path: string): MountPath => ({ mount: '@project', segments: path.split('/') });

export const mountProject = (folder: string): MountedFs =>
  createMountedFs({ project: folder, pkg: undefined, state: undefined }, () => false);

export async function planFiles(
  { files }: PastFiles,
  folder: string,
  journals: Journals,
): Promise<FilesPlan> {
  const project = mountProject(folder);
  const known = new Set(
    journals.flatMap(({ records }) =>
      records.flatMap((record) =>
        'after' in record ? [`${record.path} ${record.after?.sha256 ?? ''}`] : [],
      ),
    ),
  );
  const changes: PastChange[] = [];
  const lost: string[] = [];
  for (const [path, past] of files) {
    const found = await project.exact.read(toTarget(path));
    const now = found && { kind: found.kind, sha256: sha256Of(found.content ?? Buffer.alloc(0)) };
    if (isSame(now, past)) continue;
    if (past && (await readContent(past, journals)) === undefined) lost.push(path);
    else {
      const kind = past === null ? 'deleted' : now ? 'changed' : 'created';
      changes.push({ path, kind, isEdited: !known.has(`@project/${path} ${now?.sha256 ?? ''}`) });
    }
  }
  return { changes: changes.sort((a, b) => (a.path < b.path ? -1 : 1)), lost: lost.sort() };
}

function isSame(
  now: { readonly kind: string; readonly sha256: string } | undefined,
  past: JournalImage | null,
): boolean {
  if (!now || !past) return !now && !past;
  const kind = past.kind ?? 'file';
  return now.kind === kind && (kind === 'folder' || now.sha256 === past.sha256);
}

async function readContent(image: JournalImage, journals: Journals): Promise<Buffer | undefined> {
  if (image.kind === 'folder') return Buffer.alloc(0);
  for (const journal of journals) {
    const content = await journal.read(image.sha256);
    if (content) return content;
  }
  return undefined;
}

interface LayOut {
  readonly past: PastFiles;
  readonly plan: FilesPlan;
  readonly journals: Journals;
  readonly folder: string;
  /** An empty folder, private to this. */
  readonly scratch: string;
  /** Default: nothing is recorded. */
  readonly journal?: EntryJournal | undefined;
  readonly callId: string;
}

/** Only what the plan says. */
export async function layOutFiles({ past, plan, journals, ...where }: LayOut): Promise<Committed> {
  const contents = mountProject(where.scratch);
  for (const { path } of plan.changes) {
    const image = past.files.get(path);
    const content = image ? await readContent(image, journals) : undefined;
    if (!image || !content) continue;
    const entry = toEntry(image, content);
    await contents.exact.put(toTarget(path), entry, { tempName: stagingName('writing'), isSynced: false });
  }
  const removedFolders = past.madeFolders.map((path) => ({ path, isRemoved: true }));
  return commitChanges(
    [...plan.changes.map(({ path, kind }) => ({ path, isRemoved: kind === 'deleted' })), ...removedFolders],
    {
      files: mountProject(where.folder),
      contents,
      journal: where.journal ?? UNRECORDED,
      callId: where.callId,
    },
  );
}

function toEntry({ kind, mode = 0o644 }: JournalImage, content: Buffer): NewEntry {
  if (kind === 'folder') return { kind, mode };
  return kind === 'link' ? { kind, target: content.toString() } : { kind: 'file', content, mode };
}

/** For a folder that nobody has yet. */
const UNRECORDED: EntryJournal = {
  beginAll: (changes) =>
    Promise.resolve(
      changes.map(() => ({
        tempName: stagingName('writing'),
        done: () => Promise.resolve(),
        abandon: () => Promise.resolve(),
      })),
    ),
};

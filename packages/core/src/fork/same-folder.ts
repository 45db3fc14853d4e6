/**
 * A fork in the folder of the original. What it changes there is recorded twice: among the person's own changes of files, where a process
 * that dies leaves it to the next fork to take back, and in the journal of the fork, so that it can be undone like a change of a run.
 */
import type { JournalImage, JournalRecord } from '@crewagent/protocol/journal';
import { withDiskErrors } from '../base/errno.ts';
import { stagingName } from '../base/staging.ts';
import { FORK_CALL } from '../session/changes/open-tree-changes.ts';
import type { Journal, RecordedEntry } from '../store/journal.ts';
import type { Store } from '../store/store.ts';
import type { EntryJournal } from '../tools/changes/commit-changes.ts';
import { mountProject } from './lay-out-files.ts';

export interface RecordedChanges {
  /** By hash. */
  readonly contents: ReadonlyMap<string, Buffer>;
  /** Records of the changes, for the end of a journal. */
  after(records: readonly JournalRecord[]): readonly JournalRecord[];
}

export const NOTHING_RECORDED: RecordedChanges = { contents: new Map(), after: () => [] };

export interface Recorder {
  readonly journal: EntryJournal;
  readonly callId: string;
  recorded(): RecordedChanges;
}

interface SameFolder {
  /** Its folder. */
  readonly project: string;
  readonly projectId: string;
  readonly store: Store;
  readonly now: () => Date;
  exists(workId: string): Promise<boolean>;
}

/** Takes back what forks changed that do not exist: their process died before they were stored. */
export async function settleProject(target: SameFolder): Promise<void> {
  const changes = await target.store.fileChanges(target.projectId);
  if (!(await changes.exists())) return;
  await useJournal(target, async (journal) => {
    for (const callId of await findLeft(journal, target.exists)) await journal.undo({ callId });
  });
}

/** Nobody else changes files of the project as a person while `work` runs. If it fails, its changes are taken back. */
export async function useProject(
  target: SameFolder & { readonly workId: string },
  work: (recorder: Recorder) => Promise<void>,
): Promise<void> {
  await useJournal(target, async (journal) => {
    const callId = `${target.workId}${OF_FORK}`;
    try {
      await work(createRecorder(journal, callId, target.now));
    } catch (error) {
      if (!(await target.exists(target.workId))) await journal.undo({ callId });
      throw error;
    }
  });
}

async function useJournal(
  { project, projectId, store, now }: SameFolder,
  work: (journal: Journal) => Promise<void>,
): Promise<void> {
  const changes = await store.fileChanges(projectId);
  const options = { files: mountProject(project), clock: now, warn: () => undefined };
  await withDiskErrors('Could not change the files of the project', () =>
    changes.use(async (records) => work(await records.journal(options))),
  );
}

/** Behind the id of the fork, so that these changes sort by time as those of a person do. */
const OF_FORK = ' fork';

async function findLeft(journal: Journal, exists: SameFolder['exists']): Promise<Set<string>> {
  const left = new Set<string>();
  for (const { callId, undone } of journal.list())
    if (!undone && callId.endsWith(OF_FORK) && !(await exists(callId.slice(0, -OF_FORK.length))))
      left.add(callId);
  return left;
}

function createRecorder(journal: Journal, callId: string, now: () => Date): Recorder {
  const made: { path: string; before: RecordedEntry | undefined; after: RecordedEntry | undefined }[] = [];
  return {
    callId,
    journal: {
      beginAll(changes, options) {
        made.push(...changes);
        return journal.beginAll(changes, options);
      },
    },
    recorded() {
      const contents = new Map<string, Buffer>();
      const toImage = (entry: RecordedEntry | undefined): JournalImage | null => {
        if (!entry) return null;
        const { kind, content, sha256, bytes, mode } = entry;
        if (content) contents.set(sha256, Buffer.from(content));
        const shown = { sha256, bytes, kept: content !== undefined };
        return { ...shown, ...(kind === 'file' ? {} : { kind }), ...(mode === undefined ? {} : { mode }) };
      };
      const at = now().toISOString();
      const steps = made.map(({ path, before, after }) => ({
        path,
        before: toImage(before),
        after: toImage(after),
        mode: before?.mode,
      }));
      return {
        contents,
        after(records) {
          const last = records.reduce((highest, { id }) => Math.max(highest, id), 0);
          return steps.flatMap((step, index) => {
            const stamp = { v: 1, id: last + 1 + index, at } as const;
            const begun = { ...step, tempName: stagingName('writing'), madeFolders: [], callId: FORK_CALL };
            return [
              { ...stamp, ...begun, type: 'change.begun' as const },
              { ...stamp, type: 'step.done' as const, removedFolders: [] },
            ];
          });
        },
      };
    },
  };
}

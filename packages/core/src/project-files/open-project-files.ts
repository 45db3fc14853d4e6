/**
 * The files of a project for a person: looked at, read, saved, made, moved, removed, undone and watched. Paths in and out
 * are mount paths; what cannot be done is a CrewError with a sentence. No run and no model is involved.
 */
import type {
  FileChange,
  FileContent,
  FileList,
  FileWatchMessage,
  SavedFile,
} from '@crewagent/protocol/api/files';
import type { TreeChange } from '@crewagent/protocol/file-journal';
import type { Project } from '@crewagent/protocol/project';
import { CrewError } from '../base/crew-error.ts';
import { withDiskErrors } from '../base/errno.ts';
import { revealOnDesktop } from '../base/open-on-desktop.ts';
import type { MountPath } from '../mounts/mount-path.ts';
import { createMountedFs } from '../mounts/mounted-fs.ts';
import { createMountedTree } from '../mounts/mounted-tree.ts';
import { createSecretCheck, type IsSecret } from '../mounts/secret-files.ts';
import type { StorePaths } from '../store/disk/layout.ts';
import { createFileEditor } from './file-editor.ts';
import { noDesktop, withFileErrors } from './file-errors.ts';
import { type FindOptions, type FoundFiles, findFiles } from './find-files.ts';
import { listFolder } from './list-folder.ts';
import { childOf, nameOf, parentOf, parsePathInside, parseProjectPath, toMountPath } from './project-path.ts';
import { pruneTreeChanges } from './prune.ts';
import { type FileBytes, readFileBytes, readTextFile } from './read-file.ts';
import { type FileSave, saveFile } from './save-file.ts';
import { type ActionDeps, createFolder, type KeepLimits, moveThing, removeThing } from './tree-actions.ts';
import { type Direction, moveContent, moveTreeChange } from './undo-change.ts';
import { watchProject } from './watch-project.ts';

export interface ProjectFilesOptions {
  readonly store: StorePaths;
  readonly project: Pick<Project, 'projectId' | 'path'>;
  readonly isSecret?: IsSecret;
  readonly now: () => Date;
  /** How much of one removal, and of all together, is kept for undo. */
  readonly keep?: KeepLimits & { readonly totalBytes: number };
}

export interface ProjectFiles {
  list(path: string, options?: { readonly includeHidden?: boolean | undefined }): Promise<FileList>;
  read(path: string): Promise<FileContent>;
  /** Whole, for images and downloads. */
  readBytes(path: string): Promise<FileBytes>;
  save(request: FileSave): Promise<SavedFile>;
  createFile(path: string, text?: string): Promise<SavedFile>;
  createFolder(path: string): Promise<FileChange>;
  /** Also renames. Never onto something that is there. */
  move(from: string, to: string): Promise<FileChange>;
  remove(path: string, options?: { readonly isFinal?: boolean | undefined }): Promise<FileChange>;
  /** Files whose path fits some letters, the best fit first. */
  find(text: string, options?: FindOptions): Promise<FoundFiles>;
  /** Shows a file or a folder in the file manager of the desktop. */
  reveal(path: string): Promise<void>;
  /** What was done, the latest first. */
  changes(): Promise<FileChange[]>;
  undo(id: string): Promise<FileChange>;
  redo(id: string): Promise<FileChange>;
  /** Tells what happens until what it returns is called. */
  watch(listener: (message: FileWatchMessage) => void): () => void;
  readonly isWatching: boolean;
  close(): Promise<void>;
}

const ROOT: MountPath = { mount: '@project', segments: [] };
const MIB = 1_048_576;
const KEEP = { bytes: 256 * MIB, entries: 20_000, totalBytes: 512 * MIB };

/** One for each project and process: everybody who looks at a project shares it. */
export async function openProjectFiles({
  store,
  project,
  isSecret = createSecretCheck(),
  now,
  keep = KEEP,
}: ProjectFilesOptions): Promise<ProjectFiles> {
  const roots = { project: project.path, pkg: undefined, state: undefined };
  const files = createMountedFs(roots, isSecret);
  const anyFiles = createMountedFs(roots, () => false);
  const tree = createMountedTree(project.path);
  const folder = store.fileJournal(project.projectId);
  const deps = createFileEditor({ folder, files, tree, now, snapshotBytes: keep.totalBytes });
  const watch = watchProject(tree);

  /** Where a thing itself lies: links on the way are followed, one at the end is the thing. */
  const placeOf = (path: MountPath): MountPath =>
    childOf(anyFiles.resolve(parentOf(path), 'read'), nameOf(path));

  const act = (path: MountPath, action: (deps: ActionDeps) => Promise<TreeChange>) =>
    withFileErrors(tree, path, () =>
      deps.use(async (history) => {
        const { id } = await action({ ...history, tree, isSecret, now });
        return findChange(await history.all(), id);
      }),
    );

  const save = (request: FileSave): Promise<SavedFile> => {
    const path = parsePathInside(request.path);
    return withFileErrors(tree, path, () =>
      deps.use(async (history) => {
        const target = files.resolve(path, 'write');
        const { id, ...saved } = await saveFile({ path, target }, request, { ...history, files, tree });
        return { ...saved, change: id === undefined ? null : findChange(await history.all(), id) };
      }),
    );
  };

  const move = (direction: Direction, id: string): Promise<FileChange> =>
    withDiskErrors(`Could not ${direction} it`, () =>
      deps.use(async (history) => {
        const all = await history.all();
        const { path } = findChange(all, id);
        const change = await history.changes.read(id);
        await withFileErrors(tree, toMountPath(path), () =>
          change
            ? moveTreeChange(direction, change, { tree, changes: history.changes, all })
            : moveContent(history.journal, direction, id),
        );
        return findChange(await history.all(), id);
      }),
    );

  await settleQuietly(deps.settle);
  return {
    async list(text, { includeHidden = false } = {}) {
      const path = parseProjectPath(text);
      return withFileErrors(tree, path, () =>
        listFolder({ path, folder: anyFiles.resolve(path, 'read') }, { tree, isSecret, includeHidden }),
      );
    },
    async read(text) {
      const path = parsePathInside(text);
      return withFileErrors(tree, path, () => readTextFile(files, path));
    },
    async readBytes(text) {
      const path = parsePathInside(text);
      return withFileErrors(tree, path, () => readFileBytes(files, path));
    },
    save: async (request) => save(request),
    createFile: async (path, text = '') => save({ path, text, ifMatchSha256: null }),
    async createFolder(text) {
      const path = parsePathInside(text);
      return act(path, (actions) => createFolder(placeOf(path), actions));
    },
    async move(fromText, toText) {
      const [from, to] = [parsePathInside(fromText), parsePathInside(toText)];
      const target = await withFileErrors(tree, to, async () => placeOf(to));
      return act(from, (actions) => moveThing(placeOf(from), target, actions));
    },
    async remove(text, { isFinal = false } = {}) {
      const path = parsePathInside(text);
      return act(path, async (actions) => {
        const change = await removeThing(placeOf(path), { isFinal, limits: keep }, actions);
        await pruneTreeChanges(actions.changes, keep.totalBytes);
        return change;
      });
    },
    find: (text, options) => withFileErrors(tree, ROOT, () => findFiles(text, { tree, isSecret }, options)),
    async reveal(text) {
      const path = parseProjectPath(text);
      await withFileErrors(tree, path, async () => {
        const place = path.segments.length === 0 ? path : placeOf(path);
        if (!tree.withSystemPath(place, revealOnDesktop)) throw noDesktop();
      });
    },
    changes: () =>
      withDiskErrors('Could not look at what was done to the files', () => deps.use(({ all }) => all())),
    undo: (id) => move('undo', id),
    redo: (id) => move('redo', id),
    watch: (listener) => watch.listen(listener),
    get isWatching() {
      return watch.isWatching;
    },
    async close() {
      await watch.close();
      await deps.idle();
    },
  };
}

function findChange(all: readonly FileChange[], id: string): FileChange {
  const change = all.find((known) => known.id === id);
  if (change) return change;
  throw new CrewError(
    'FILE_NOT_FOUND',
    'There is no such change, or it was so long ago that it was forgotten.',
  );
}

/** Looking at files needs nothing of this: it is tried again with the first change. */
async function settleQuietly(settle: () => Promise<void>): Promise<void> {
  try {
    await settle();
  } catch (error) {
    if (!(error instanceof CrewError)) throw error;
  }
}

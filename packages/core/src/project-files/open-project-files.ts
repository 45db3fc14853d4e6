/**
 * File operations of a user on a project: list, read, save, create, move, remove, undo and watch. Paths are mount
 * paths; errors are CrewErrors with a message for the user. Independent of runs and models.
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
import { CrewError, ifPossible } from '../base/crew-error.ts';
import { withDiskErrors } from '../base/errno.ts';
import { revealOnDesktop } from '../base/open-on-desktop.ts';
import type { MountPath } from '../mounts/mount-path.ts';
import { createMountedFs, type MountedFs } from '../mounts/mounted-fs.ts';
import { createMountedTree } from '../mounts/mounted-tree.ts';
import { createSecretCheck, type IsSecret } from '../mounts/sensitive/secret-files.ts';
import type { UserStore } from '../store/store.ts';
import { attachFile } from './attach-file.ts';
import { createFileEditor, type FileEditor, pruneTreeChanges } from './file-editor.ts';
import { noDesktop, withFileErrors } from './file-errors.ts';
import { type FindOptions, type FoundFiles, findFiles } from './find-files.ts';
import { listFolder } from './list-folder.ts';
import { childOf, nameOf, parentOf, parsePathInside, parseProjectPath, toMountPath } from './project-path.ts';
import { type FileBytes, readFileBytes, readTextFile } from './read-file.ts';
import { type FileSave, saveFile } from './save-file.ts';
import {
  type ActionDeps,
  createFolder,
  type Direction,
  moveTreeEntry,
  removeTreeEntry,
  type UndoLimits,
  undoOrRedoContent,
  undoOrRedoTree,
} from './tree-actions.ts';
import { watchProject } from './watch-project.ts';

export interface ProjectFilesOptions {
  readonly store: Pick<UserStore, 'fileChanges'>;
  readonly project: Pick<Project, 'projectId' | 'path'>;
  readonly isSecret?: IsSecret;
  readonly now: () => Date;
  /** Limits of one removal, and of all removals together, that can be undone. */
  readonly undoLimits?: UndoLimits & { readonly totalBytes: number };
}

export interface ProjectFiles {
  list(path: string, options?: { readonly includeHidden?: boolean | undefined }): Promise<FileList>;
  read(path: string): Promise<FileContent>;
  /** Whole content, for images and downloads. */
  readBytes(path: string): Promise<FileBytes>;
  save(request: FileSave): Promise<SavedFile>;
  createFile(path: string, text?: string): Promise<SavedFile>;
  /** Stores a file from outside under a free name in `attachments`. */
  attach(name: string, bytes: Uint8Array): Promise<SavedFile>;
  createFolder(path: string): Promise<FileChange>;
  /** Also renames. Never overwrites. */
  move(from: string, to: string): Promise<FileChange>;
  remove(path: string, options?: { readonly isFinal?: boolean | undefined }): Promise<FileChange>;
  /** Files whose path matches some letters, best match first. */
  find(text: string, options?: FindOptions): Promise<FoundFiles>;
  /** Shows a file or folder in the desktop's file manager. */
  reveal(path: string): Promise<void>;
  /** Latest change first. */
  changes(): Promise<FileChange[]>;
  undo(id: string): Promise<FileChange>;
  redo(id: string): Promise<FileChange>;
  /** Calls `listener` until the returned function is called. */
  watch(listener: (message: FileWatchMessage) => void): () => void;
  readonly isWatching: boolean;
  close(): Promise<void>;
}

const ROOT: MountPath = { mount: '@project', segments: [] };
const MIB = 1_048_576;
const DEFAULT_UNDO_LIMITS = { bytes: 256 * MIB, entries: 20_000, totalBytes: 512 * MIB };

/** One instance per project and process, shared by all clients. */
export async function openProjectFiles({
  store,
  project,
  isSecret = createSecretCheck(),
  now,
  undoLimits = DEFAULT_UNDO_LIMITS,
}: ProjectFilesOptions): Promise<ProjectFiles> {
  const roots = { project: project.path, pkg: undefined, state: undefined };
  const files = createMountedFs(roots, isSecret);
  const anyFiles = createMountedFs(roots, () => false);
  const tree = createMountedTree(project.path);
  const editor = createFileEditor({
    store: await store.fileChanges(project.projectId),
    files,
    tree,
    now,
    snapshotBytes: undoLimits.totalBytes,
  });
  const watch = watchProject(tree);

  /** Resolves links along the path, but not a link at its end. */
  const resolveEntry = (path: MountPath): MountPath =>
    childOf(anyFiles.resolve(parentOf(path), 'read'), nameOf(path));

  const { perform, save, undoOrRedo } = createChanges({ editor, files, tree, isSecret, now });

  // Reading files does not need the history; settling is retried with the first change.
  await ifPossible(editor.settle());
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
    attach: (name, bytes) => attachFile(name, bytes, save),
    async createFolder(text) {
      const path = parsePathInside(text);
      return perform(path, (actions) => createFolder(resolveEntry(path), actions));
    },
    async move(fromText, toText) {
      const [from, to] = [parsePathInside(fromText), parsePathInside(toText)];
      const target = await withFileErrors(tree, to, async () => resolveEntry(to));
      return perform(from, (actions) => moveTreeEntry(resolveEntry(from), target, actions));
    },
    async remove(text, { isFinal = false } = {}) {
      const path = parsePathInside(text);
      return perform(path, async (actions) => {
        const change = await removeTreeEntry(resolveEntry(path), { isFinal, limits: undoLimits }, actions);
        await pruneTreeChanges(actions.changes, undoLimits.totalBytes);
        return change;
      });
    },
    find: (text, options) => withFileErrors(tree, ROOT, () => findFiles(text, { tree, isSecret }, options)),
    async reveal(text) {
      const path = parseProjectPath(text);
      await withFileErrors(tree, path, async () => {
        const entryPath = path.segments.length === 0 ? path : resolveEntry(path);
        if (!tree.withSystemPath(entryPath, revealOnDesktop)) throw noDesktop();
      });
    },
    changes: () =>
      withDiskErrors('Could not read the history of file changes', () => editor.use(({ all }) => all())),
    undo: (id) => undoOrRedo('undo', id),
    redo: (id) => undoOrRedo('redo', id),
    watch: (listener) => watch.listen(listener),
    get isWatching() {
      return watch.isWatching;
    },
    async close() {
      await watch.close();
      await editor.idle();
    },
  };
}

interface ChangeParts extends Pick<ActionDeps, 'tree' | 'isSecret' | 'now'> {
  readonly editor: FileEditor;
  readonly files: MountedFs;
}

/** Changes of project files that the history records, so that they can be undone. */
function createChanges({ editor, files, tree, isSecret, now }: ChangeParts) {
  const perform = (path: MountPath, action: (deps: ActionDeps) => Promise<TreeChange>) =>
    withFileErrors(tree, path, () =>
      editor.use(async (history) => {
        const { id } = await action({ ...history, tree, isSecret, now });
        return findChange(await history.all(), id);
      }),
    );

  const save = (request: FileSave): Promise<SavedFile> => {
    const path = parsePathInside(request.path);
    return withFileErrors(tree, path, () =>
      editor.use(async (history) => {
        const target = files.resolve(path, 'write');
        const { id, ...saved } = await saveFile({ path, target }, request, { ...history, files, tree });
        return { ...saved, change: id === undefined ? null : findChange(await history.all(), id) };
      }),
    );
  };

  const undoOrRedo = (direction: Direction, id: string): Promise<FileChange> =>
    withDiskErrors(`Could not ${direction} the change`, () =>
      editor.use(async (history) => {
        const all = await history.all();
        const { path } = findChange(all, id);
        const change = await history.changes.read(id);
        await withFileErrors(tree, toMountPath(path), () =>
          change
            ? undoOrRedoTree(direction, change, { tree, changes: history.changes, all })
            : undoOrRedoContent(history.journal, direction, id),
        );
        return findChange(await history.all(), id);
      }),
    );

  return { perform, save, undoOrRedo };
}

function findChange(all: readonly FileChange[], id: string): FileChange {
  const change = all.find((candidate) => candidate.id === id);
  if (change) return change;
  throw new CrewError(
    'FILE_NOT_FOUND',
    'There is no such change. It may have been pruned because it was too old.',
  );
}

/**
 * A package folder that a person edits. Its files are the truth: each edit reads them, is refused if they are not those that the
 * person saw, and is written file by file. Undo writes back what was there, as long as nobody has changed it since.
 */

import type { FileWatchMessage } from '@crewagent/protocol/api/files';
import { type AuthorEdit, type AuthorModel, MAX_AUTHOR_TEXT } from '@crewagent/protocol/author';
import { CrewError } from '../base/crew-error.ts';
import { METHOD_FILE } from '../base/method-file.ts';
import { createQueue } from '../base/queue.ts';
import { sha256Of } from '../base/sha256.ts';
import { stagingName } from '../base/staging.ts';
import { readFolder } from '../bmad/archive/open-folder.ts';
import { DamagedFile } from '../bmad/archive/package-files.ts';
import { readBytes } from '../bmad/check/read-document.ts';
import type { ValidationContext } from '../bmad/check/validate-package.ts';
import { createFindings } from '../bmad/findings/findings.ts';
import { inspectPackage } from '../bmad/load-package.ts';
import { expandMethod } from '../bmad/one-file/expand-method.ts';
import type { MountPath } from '../mounts/mount-path.ts';
import { createMountedFs, type MountedFs } from '../mounts/mounted-fs.ts';
import { createMountedTree } from '../mounts/mounted-tree.ts';
import { createSecretCheck } from '../mounts/sensitive/secret-files.ts';
import { conflict, notFound, withFileErrors } from '../project-files/file-errors.ts';
import { watchProject } from '../project-files/watch-project.ts';
import { ADVERTISED_PARAMETERS } from '../tools/advertised-parameters.ts';
import { applyEdit } from './apply-edit.ts';
import { createEditHistory, type TextChange } from './edit-history.ts';
import { createPackageTexts } from './package-texts.ts';
import { toModel } from './to-model.ts';

/** Hashes of the files that the person saw, by path. */
export type SeenFiles = Readonly<Record<string, string>>;

export type AuthorFolder = ReturnType<typeof openAuthorFolder>;

/** `root`: the real path of the folder. */
export function openAuthorFolder(root: string, context: ValidationContext) {
  const tree = createMountedTree(root);
  const files = createMountedFs({ project: root, pkg: undefined, state: undefined }, createSecretCheck());
  const watch = watchProject(tree);
  const queue = createQueue();
  const history = createEditHistory();
  const readAll = (): Promise<FolderTexts> => withFileErrors(tree, ROOT, () => readTexts(root));
  const writeAll = (changes: readonly TextChange[]): Promise<void> =>
    withFileErrors(tree, ROOT, () => writeChanges(files, changes));

  const toShown = async (): Promise<AuthorModel> => {
    const { texts, hashes } = await readAll();
    const { diagnostics, advice } = await inspectPackage(root, context);
    const method = hashes.has('bmad.json') ? undefined : texts.get(METHOD_FILE);
    const expanded = method === undefined ? undefined : expandMethod(method, METHOD_FILE, createFindings());
    const all = new Map([...texts, ...(expanded?.files ?? [])]);
    return {
      ...(await toModel(createPackageTexts(all, new Set([...hashes.keys(), ...all.keys()])))),
      isMethod: method !== undefined,
      tools: Object.keys(ADVERTISED_PARAMETERS),
      files: [...hashes].map(([path, sha256]) => ({ path, sha256, isText: texts.has(path) })),
      findings: [...diagnostics, ...advice],
      ...history.state(),
    };
  };

  return {
    root,
    model: () => queue(toShown),
    read: (path: string) =>
      queue(async () => {
        const { texts, hashes } = await readAll();
        const [text, sha256] = [texts.get(path), hashes.get(path)];
        if (text === undefined || sha256 === undefined) throw notFound(path);
        return { text, sha256 };
      }),
    apply: (edit: AuthorEdit, seen: SeenFiles) =>
      queue(async () => {
        const { texts, hashes } = await readAll();
        const changed = await applyEdit(texts, new Set(hashes.keys()), edit);
        for (const path of changed.keys()) checkSeen(path, hashes.get(path), seen[path]);
        const changes = [...changed].map(([path, after]) => ({ path, before: texts.get(path), after }));
        await writeAll(changes);
        if (changes.length > 0) history.add(changes);
        return toShown();
      }),
    undo: () => queue(() => history.undo(writeAll).then(toShown)),
    redo: () => queue(() => history.redo(writeAll).then(toShown)),
    watch: (listener: (message: FileWatchMessage) => void) => watch.listen(listener),
    get isWatching() {
      return watch.isWatching;
    },
    close: () => watch.close(),
  };
}

const ROOT: MountPath = { mount: '@project', segments: [] };

/** A file that the person has not seen, or that changed since, is not overwritten. */
function checkSeen(path: string, current: string | undefined, seen: string | undefined): void {
  if (current === seen) return;
  const what = seen === undefined ? 'was added' : current === undefined ? 'was removed' : 'was changed';
  throw conflict(`"${path}" ${what} by another program meanwhile, so nothing was changed.`, { path });
}

interface FolderTexts {
  readonly texts: ReadonlyMap<string, string>;
  /** Of all files. */
  readonly hashes: ReadonlyMap<string, string>;
}

/** Under the rules of a package: no links, bounded in number and size. Nothing of a folder that breaks them. */
async function readTexts(root: string): Promise<FolderTexts> {
  const [texts, hashes] = [new Map<string, string>(), new Map<string, string>()];
  const files = await readFolder(root, createFindings());
  for (const path of [...(files?.paths ?? [])].sort()) {
    const bytes = files && (await readBytes(files, path));
    if (!bytes || bytes instanceof DamagedFile) continue;
    hashes.set(path, sha256Of(bytes));
    const text = bytes.length > MAX_AUTHOR_TEXT ? undefined : bytes.toString('utf8');
    if (text !== undefined && !text.includes('\0') && Buffer.from(text).equals(bytes)) texts.set(path, text);
  }
  return { texts, hashes };
}

/** Files that are read by others last: a step exists before its node. What was written is taken back if a file fails. */
async function writeChanges(files: MountedFs, changes: readonly TextChange[]): Promise<void> {
  const ordered = changes.toSorted((one, other) => orderOf(one) - orderOf(other));
  const written: TextChange[] = [];
  try {
    for (const change of ordered) {
      await writeChange(files, change);
      written.push(change);
    }
  } catch (error) {
    // What another program wrote since stays; the first error says what happened.
    for (const { path, before, after } of written.reverse())
      await writeChange(files, { path, before: after, after: before }).catch(() => undefined);
    throw error;
  }
}

function orderOf({ path, after }: TextChange): number {
  return after === undefined ? 2 : path.endsWith('.json') ? 1 : 0;
}

async function writeChange(files: MountedFs, { path, before, after }: TextChange): Promise<void> {
  const target: MountPath = { mount: '@project', segments: path.split('/') };
  const current = await files.exact.read(target, { maxBytes: MAX_AUTHOR_TEXT });
  const isSeen = current
    ? current.kind === 'file' && current.content?.toString() === before
    : before === undefined;
  if (!isSeen) throw conflict(`"${path}" was changed by another program meanwhile.`, { path });
  if (after === undefined) return files.remove(target, current?.identity);
  if (Buffer.byteLength(after) > MAX_AUTHOR_TEXT)
    throw new CrewError('FILE_TOO_LARGE', `"${path}" would be longer than ${MAX_AUTHOR_TEXT} bytes.`);
  await files.replace(target, Buffer.from(after), {
    expected: current?.identity ?? 'absent',
    tempName: stagingName('writing'),
  });
}

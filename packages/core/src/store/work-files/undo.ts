/**
 * Undo and redo. A move transfers changes from one stack of a file's history to the other. It is only made if the file still
 * has exactly the content that the journal last recorded for it.
 */
import type {
  ChangeSelection,
  JournalImage,
  JournalStep,
  MoveBegun,
  UndoConflict,
  UndoneFile,
} from '@crewagent/protocol/journal';
import { errnoOf, errnoSentence } from '../../base/errno.ts';
import type { ExactEntry } from '../../mounts/exact-entries.ts';
import { ChangedMeanwhile, type FileIdentity } from '../../mounts/file-identity.ts';
import { toProjectPath } from '../../mounts/mount-path.ts';
import type { MountedFs } from '../../mounts/mounted-fs.ts';
import { SandboxViolation } from '../../mounts/sandbox-violation.ts';
import { isReadOnly } from '../../mounts/tree-entry.ts';
import type { Change, FileHistory, History } from './change-history.ts';

export type Direction = 'undo' | 'redo';

/** What a move needs from the journal. */
export interface MoveDeps {
  readonly history: History;
  readonly files: MountedFs;
  readImage(image: JournalImage): Promise<Buffer | undefined>;
  /** Null if there is no file. */
  readNow(path: string, images: readonly (JournalImage | null)[]): Promise<FileNow | null>;
  draft(file: StepFile): Promise<StepDraft>;
  /** Records a step before it is made. */
  begin(step: MoveBegun): Promise<void>;
  /** The step was made. */
  finish(step: MoveBegun): Promise<void>;
  /** After an error: finds out whether the step was made anyway. */
  settle(step: MoveBegun): Promise<boolean>;
}

/** The file of a step, with its content before and after. */
export type StepFile = Pick<JournalStep, 'path' | 'before' | 'after'>;
/** The fields common to all steps. */
export type StepDraft = StepFile & Pick<JournalStep, 'v' | 'id' | 'at' | 'tempName' | 'madeFolders'>;

export interface FileNow {
  /** Undefined if the size already differs from all images; the file was then not read. */
  readonly sha256: string | undefined;
  readonly mode: number;
  readonly identity: FileIdentity;
  /** Default: a regular file. */
  readonly kind?: ExactEntry['kind'];
}

/** Moves the selected changes, file by file; a file that cannot be changed does not block the others. */
export async function moveSelected(
  direction: Direction,
  selection: ChangeSelection,
  deps: MoveDeps,
): Promise<UndoneFile[]> {
  const plans = [...deps.history.files.values()]
    .filter(({ applied, undone, superseded }) =>
      [...applied, ...undone, ...superseded].some((change) => isSelected(change, selection)),
    )
    .map((file) => ({ path: file.path, plan: planMove(file, direction, selection) }));
  const results: UndoneFile[] = [];
  for (const { path, plan } of inFolderOrder(plans))
    results.push({ path, ...('outcome' in plan ? plan : await tryMove(plan, deps)) });
  return results;
}

interface Planned {
  readonly path: string;
  readonly plan: MovePlan | Result;
}

/** A folder is created before everything in it, and removed after it. */
function inFolderOrder(plans: readonly Planned[]): Planned[] {
  const order = ({ path, plan }: Planned): number => {
    if (!('type' in plan)) return 0;
    const depth = path.split('/').length;
    if (plan.to?.kind === 'folder') return depth - MAX_DEPTH;
    return plan.from?.kind === 'folder' ? MAX_DEPTH - depth : 0;
  };
  return plans.toSorted((a, b) => order(a) - order(b));
}

const MAX_DEPTH = 100_000;

type Result = Omit<UndoneFile, 'path'>;

interface MovePlan {
  readonly type: MoveBegun['type'];
  readonly path: string;
  readonly changes: readonly Change[];
  readonly from: JournalImage | null;
  readonly to: JournalImage | null;
  /** For a file that has to be created. */
  readonly mode: number | undefined;
}

/** Selects the changes to move, or returns why there are none. Pure. */
function planMove(file: FileHistory, direction: Direction, selection: ChangeSelection): MovePlan | Result {
  const isUndo = direction === 'undo';
  const stack = isUndo ? file.applied : file.undone;
  const selected = (change: Change): boolean => isSelected(change, selection);
  const lowest = stack.findIndex(selected);
  if (lowest === -1) {
    return !isUndo && file.superseded.some(selected) && !file.applied.some(selected)
      ? { outcome: 'unchanged', reason: 'A newer change replaced it, so there is nothing to redo.' }
      : { outcome: 'unchanged' };
  }
  const moving = stack.slice(lowest);
  const blocking = moving.findLast((change) => !selected(change));
  if (blocking) {
    const { callId } = blocking.begun;
    return conflict(
      'later-change',
      isUndo ? `Call ${callId} changed it later; undo that first.` : `Call ${callId} has to be redone first.`,
    );
  }
  const changes = isUndo ? moving : moving.toReversed();
  const [first, last] = [changes.at(0), changes.at(-1)];
  if (!first || !last) throw new Error('a move has at least one change');
  if (!isUnbroken(changes)) {
    return conflict(
      'edited',
      `Somebody else changed it between these changes; ${direction} them one call at a time.`,
    );
  }
  const { before } = first.begun;
  const { after } = last.begun;
  return isUndo
    ? { type: 'undo.begun', path: file.path, changes, from: after, to: before, mode: first.modeBefore }
    : { type: 'redo.begun', path: file.path, changes, from: before, to: after, mode: last.modeAfter };
}

function isSelected({ begun }: Change, selection: ChangeSelection): boolean {
  if ('all' in selection) return true;
  if ('fromChange' in selection) return begun.id >= selection.fromChange;
  return 'callId' in selection ? begun.callId === selection.callId : begun.nodeId === selection.nodeId;
}

/** Whether each change started with the content that the previous one left. */
function isUnbroken(changes: readonly Change[]): boolean {
  return changes.every((change, index) => {
    const previous = changes[index - 1];
    return !previous || isSameContent(previous.begun.after, change.begun.before);
  });
}

async function tryMove(plan: MovePlan, deps: MoveDeps): Promise<Result> {
  try {
    return await move(plan, deps);
  } catch (error) {
    return toRefusal(error);
  }
}

/** Mode of a file that a change created. */
const WRITABLE = 0o666;

async function move({ type, path, changes, from, to, mode }: MovePlan, deps: MoveDeps): Promise<Result> {
  const now = await deps.readNow(path, [from, to]);
  const isDone = isSameContent(now, to);
  if (!isDone && !isSameContent(now, from)) {
    return conflict('edited', 'It was changed since, so it was left as it is.');
  }
  const isMadeReadOnly = now && isReadOnly(now.mode) && !isReadOnly(mode ?? WRITABLE);
  if (!isDone && isMadeReadOnly && from?.mode !== now.mode) {
    return conflict('read-only', 'It was made read-only since, so it was left as it is.');
  }
  const content = isDone || to === null ? undefined : await deps.readImage(to);
  if (!isDone && to !== null && !content) {
    return { outcome: 'not-recorded', reason: 'The content to restore was not recorded or is damaged.' };
  }
  const draft = await deps.draft({ path, before: from, after: to });
  const step: MoveBegun = { ...draft, type, mode: now?.mode, changes: changes.map(({ begun }) => begun.id) };
  await deps.begin(step);
  if (isDone) {
    await deps.finish(step);
    return { outcome: 'unchanged' };
  }
  try {
    await writeFile(step, { content, now, mode }, deps.files);
  } catch (error) {
    if (!(await deps.settle(step))) throw error;
    return { outcome: outcomeOf(step) };
  }
  await deps.finish(step);
  return { outcome: outcomeOf(step) };
}

interface Writing {
  /** Undefined to remove the file. */
  readonly content: Buffer | undefined;
  readonly now: FileNow | null;
  readonly mode: number | undefined;
}

async function writeFile(step: MoveBegun, { content, now, mode }: Writing, files: MountedFs): Promise<void> {
  const path = toProjectPath(step.path);
  if ([step.before, step.after].some((image) => image?.kind ?? image?.mode)) {
    await putEntry(step, { content, now, mode }, files);
    return;
  }
  if (!content) {
    await files.remove(path, now?.identity);
    return;
  }
  await files.replace(path, content, {
    expected: now?.identity ?? 'absent',
    tempName: step.tempName,
    // Replacing a file preserves its permissions; a recreated file gets its old ones.
    ...(!now && mode !== undefined ? { mode } : {}),
  });
}

async function putEntry(
  { path, after, tempName }: MoveBegun,
  { content, now, mode }: Writing,
  { exact }: MountedFs,
): Promise<void> {
  const target = toProjectPath(path);
  const expected: FileIdentity | 'absent' = now?.identity ?? 'absent';
  // A link or folder that changes its kind; nothing but a file is replaced.
  if (now && (after === null || (now.kind ?? 'file') !== (after.kind ?? 'file')))
    await exact.remove(target, { expected });
  if (!content || after === null) return;
  const permissions = after.mode ?? mode ?? 0o644;
  const isReplaced = now && (now.kind ?? 'file') === (after.kind ?? 'file');
  const options = { tempName, expected: isReplaced ? expected : ('absent' as const) };
  if (after.kind === 'link') await exact.put(target, { kind: 'link', target: content.toString() }, options);
  else if (after.kind === 'folder') await exact.put(target, { kind: 'folder', mode: permissions }, options);
  else await exact.put(target, { kind: 'file', content, mode: permissions }, options);
}

function outcomeOf({ before, after }: MoveBegun): UndoneFile['outcome'] {
  if (after === null) return 'deleted';
  return before === null ? 'recreated' : 'restored';
}

interface Compared {
  readonly sha256: string | undefined;
  readonly kind?: ExactEntry['kind'] | undefined;
  readonly mode?: number | undefined;
}

/** Permissions count only where they are part of the change. */
export function isSameContent(one: Compared | null, other: Compared | null): boolean {
  if (one === null || other === null) return one === other;
  if (one.sha256 !== other.sha256 || (one.kind ?? 'file') !== (other.kind ?? 'file')) return false;
  return one.mode === undefined || other.mode === undefined || one.mode === other.mode;
}

function conflict(cause: UndoConflict, reason: string): Result {
  return { outcome: 'conflict', reason, cause };
}

function toRefusal(error: unknown): Result {
  if (error instanceof ChangedMeanwhile)
    return conflict('edited', 'It was changed just now, so it was left as it is.');
  if (error instanceof SandboxViolation) return conflict('blocked', `It ${error.message}.`);
  if (errnoOf(error) === 'EISDIR') return conflict('folder', 'There is a folder with this name now.');
  const sentence = errnoSentence(error);
  if (sentence === undefined) throw error;
  return { outcome: 'failed', reason: `It could not be written: ${sentence}.` };
}

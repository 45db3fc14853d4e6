/**
 * Undo and redo. A move takes changes from the top of one stack of a file's history to the other, and is made only when
 * the file is, byte for byte, what the journal last left there.
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
import { ChangedMeanwhile, type FileIdentity } from '../../mounts/file-identity.ts';
import type { MountPath } from '../../mounts/mount-path.ts';
import type { MountedFs } from '../../mounts/mounted-fs.ts';
import { isReadOnly } from '../../mounts/read-only.ts';
import { SandboxViolation } from '../../mounts/sandbox-violation.ts';
import type { Change, FileHistory, History } from './change-history.ts';

export type Direction = 'undo' | 'redo';

/** What moving a file's changes needs from the journal. */
export interface MoveDeps {
  readonly history: History;
  readonly files: MountedFs;
  readImage(image: JournalImage): Promise<Buffer | undefined>;
  /** The file as it is now, null when there is none. */
  readNow(path: string, images: readonly (JournalImage | null)[]): Promise<FileNow | null>;
  draft(file: StepFile): Promise<StepDraft>;
  /** Writes a step down before it is made. */
  begin(step: MoveBegun): Promise<void>;
  /** The step was made. */
  finish(step: MoveBegun): Promise<void>;
  /** Something went wrong: finds out whether the step was made all the same. */
  settle(step: MoveBegun): Promise<boolean>;
}

/** Which file a step is about, what it is and what it is to be. */
export type StepFile = Pick<JournalStep, 'path' | 'before' | 'after'>;
/** What every step has, whatever it is for. */
export type StepDraft = StepFile & Pick<JournalStep, 'v' | 'id' | 'at' | 'tempName' | 'madeFolders'>;

export interface FileNow {
  /** undefined for a file that by its size is none of the images; it was not read. */
  readonly sha256: string | undefined;
  readonly mode: number;
  readonly identity: FileIdentity;
}

/** Moves what is selected, file by file; a file that cannot be moved does not keep the others from it. */
export async function moveSelected(
  direction: Direction,
  selection: ChangeSelection,
  deps: MoveDeps,
): Promise<UndoneFile[]> {
  const results: UndoneFile[] = [];
  for (const file of [...deps.history.files.values()]) {
    const { path, applied, undone, overtaken } = file;
    if (![...applied, ...undone, ...overtaken].some((change) => isSelected(change, selection))) continue;
    const plan = planMove(file, direction, selection);
    results.push({ path, ...('outcome' in plan ? plan : await dispatchCommand(plan, deps)) });
  }
  return results;
}

type Result = Omit<UndoneFile, 'path'>;

interface MovePlan {
  readonly type: MoveBegun['type'];
  readonly path: string;
  readonly changes: readonly Change[];
  readonly from: JournalImage | null;
  readonly to: JournalImage | null;
  /** For a file that has to be made anew. */
  readonly mode: number | undefined;
}

/** Which changes move, or why none does. Pure. */
function planMove(file: FileHistory, direction: Direction, selection: ChangeSelection): MovePlan | Result {
  const isUndo = direction === 'undo';
  const stack = isUndo ? file.applied : file.undone;
  const selected = (change: Change): boolean => isSelected(change, selection);
  const lowest = stack.findIndex(selected);
  if (lowest === -1) {
    return !isUndo && file.overtaken.some(selected) && !file.applied.some(selected)
      ? { outcome: 'unchanged', reason: 'A newer change has taken its place, so there is nothing to redo.' }
      : { outcome: 'unchanged' };
  }
  const taken = stack.slice(lowest);
  const inTheWay = taken.findLast((change) => !selected(change));
  if (inTheWay) {
    const { callId } = inTheWay.begun;
    return conflict(
      'later-change',
      isUndo ? `Call ${callId} changed it later; undo that first.` : `Call ${callId} has to be redone first.`,
    );
  }
  const changes = isUndo ? taken : taken.toReversed();
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

/** Each change began with what the one before it left. */
function isUnbroken(changes: readonly Change[]): boolean {
  return changes.every((change, index) => {
    const previous = changes[index - 1];
    return !previous || isSameContent(previous.begun.after, change.begun.before);
  });
}

async function dispatchCommand(plan: MovePlan, deps: MoveDeps): Promise<Result> {
  try {
    return await move(plan, deps);
  } catch (error) {
    return toRefusal(error);
  }
}

/** A file that a change created. */
const WRITABLE = 0o666;

async function move({ type, path, changes, from, to, mode }: MovePlan, deps: MoveDeps): Promise<Result> {
  const now = await deps.readNow(path, [from, to]);
  const isThereAlready = isSameContent(now, to);
  if (!isThereAlready && !isSameContent(now, from)) {
    return conflict('edited', 'It was changed since, so it was left as it is.');
  }
  if (!isThereAlready && now && isReadOnly(now.mode) && !isReadOnly(mode ?? WRITABLE)) {
    return conflict('read-only', 'It was made read-only since, so it was left as it is.');
  }
  const content = isThereAlready || to === null ? undefined : await deps.readImage(to);
  if (!isThereAlready && to !== null && !content) {
    return { outcome: 'not-recorded', reason: 'The content to put back was not kept, or is damaged.' };
  }
  const draft = await deps.draft({ path, before: from, after: to });
  const step: MoveBegun = { ...draft, type, mode: now?.mode, changes: changes.map(({ begun }) => begun.id) };
  await deps.begin(step);
  if (isThereAlready) {
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
  /** undefined to remove the file. */
  readonly content: Buffer | undefined;
  readonly now: FileNow | null;
  readonly mode: number | undefined;
}

async function writeFile(step: MoveBegun, { content, now, mode }: Writing, files: MountedFs): Promise<void> {
  const path = toMountPath(step.path);
  if (!content) {
    await files.remove(path, now?.identity);
    return;
  }
  await files.replace(path, content, {
    expected: now?.identity ?? 'absent',
    tempName: step.tempName,
    // A file that is replaced keeps its permissions; one that is made anew gets back what it had.
    ...(!now && mode !== undefined ? { mode } : {}),
  });
}

function outcomeOf({ before, after }: MoveBegun): UndoneFile['outcome'] {
  if (after === null) return 'deleted';
  return before === null ? 'recreated' : 'restored';
}

export function isSameContent(
  one: { readonly sha256: string | undefined } | null,
  other: { readonly sha256: string | undefined } | null,
): boolean {
  return one === null || other === null ? one === other : one.sha256 === other.sha256;
}

/** A recorded path is never repaired or completed: what follows the mount's name are the names of folders and the file. */
export function toMountPath(path: string): MountPath {
  const [mount, ...segments] = path.split('/');
  if (mount !== '@project' || segments.length === 0) throw new Error('only project files have a journal');
  return { mount, segments };
}

function conflict(cause: UndoConflict, reason: string): Result {
  return { outcome: 'conflict', reason, cause };
}

function toRefusal(error: unknown): Result {
  if (error instanceof ChangedMeanwhile)
    return conflict('edited', 'It was changed just now, so it was left as it is.');
  if (error instanceof SandboxViolation) return conflict('blocked', `It ${error.message}.`);
  if (errnoOf(error) === 'EISDIR') return conflict('folder', 'A folder stands in its place.');
  const sentence = errnoSentence(error);
  if (sentence === undefined) throw error;
  return { outcome: 'failed', reason: `It could not be written: ${sentence}.` };
}

/** Changes of a run or thread by file and node, from its journal. Pure. */
import type { JournalEntry } from '@crewagent/protocol/journal';
import type { Story } from '@crewagent/protocol/story/story';
import { openCalls, type Runs } from '@crewagent/protocol/story/tree-figures';
import { isWrite } from './timeline/describe-tool.ts';

export type Artifact = ReturnType<typeof toArtifact>;

/** In the order they were first touched. */
export function toArtifacts(changes: readonly JournalEntry[]): readonly Artifact[] {
  return [...groupBy(changes, ({ path }) => path)].map(([path, own]) => toArtifact(path, own));
}

function toArtifact(path: string, changes: readonly JournalEntry[]) {
  const standing = changes.filter(({ undone }) => !undone);
  const [first] = standing.length > 0 ? standing : changes;
  const last = standing.at(-1);
  const wasThere = first?.kind !== 'created';
  const isThere = last ? last.kind !== 'deleted' : wasThere;
  return {
    path,
    /** The total change of the file; `undone` if everything was undone. */
    kind: last === undefined ? ('undone' as const) : kindOf(wasThere, isThere),
    /** In chronological order. */
    changes,
    /** Without duplicates, in the order they touched the file. */
    nodeIds: [...new Set(changes.flatMap(({ nodeId }) => nodeId ?? []))],
    /** Size of the file after the changes. */
    bytes: last?.bytesAfter ?? first?.bytesBefore ?? 0,
    isThere,
  };
}

/** The changes that were made up to a time of a replay; what was undone later stood then. */
export function changesUntil(
  changes: readonly JournalEntry[],
  ts: string,
  { timeline }: Readonly<Story>,
): readonly JournalEntry[] {
  const hasUndone = timeline.some(({ kind }) => kind === 'undone');
  return changes
    .filter(({ at }) => at <= ts)
    .map((change) => (change.undone && !hasUndone ? { ...change, undone: false } : change));
}

/** The called run that alone changed the file; undefined where others did as well. */
export function ownerOf({ changes }: Artifact): string | undefined {
  const [first] = changes;
  return changes.every(({ runId }) => runId === first?.runId) ? first?.runId : undefined;
}

function groupBy(
  changes: readonly JournalEntry[],
  keyOf: (change: JournalEntry) => string,
): ReadonlyMap<string, readonly JournalEntry[]> {
  const groups = new Map<string, JournalEntry[]>();
  for (const change of changes) {
    const key = keyOf(change);
    const group = groups.get(key);
    if (group) group.push(change);
    else groups.set(key, [change]);
  }
  return groups;
}

function kindOf(wasThere: boolean, isThere: boolean): JournalEntry['kind'] {
  if (!isThere) return 'deleted';
  return wasThere ? 'changed' : 'created';
}

export type NodeChanges = ReturnType<typeof toNodeChanges>[number];

/** By node, the number of files that can be undone, and redone. */
export function toNodeChanges(changes: readonly JournalEntry[]) {
  const ofNodes = changes.filter(({ nodeId }) => nodeId !== undefined);
  return [...groupBy(ofNodes, ({ nodeId }) => nodeId ?? '')].map(([nodeId, own]) => ({
    nodeId,
    undoable: countFiles(own.filter(({ undone }) => !undone)),
    redoable: countFiles(own.filter(({ undone }) => undone)),
  }));
}

export function countFiles(changes: readonly JournalEntry[]): number {
  return new Set(changes.map(({ path }) => path)).size;
}

/** Changes with every change or undo in the project, of a called run as well: `runs` has those that are under way. */
export function changeMarkOf(view: Readonly<Story>, runs: Runs = NO_RUNS): string {
  const last = view.timeline.findLast(
    (item) => item.kind === 'undone' || item.kind === 'mark' || (item.kind === 'tool' && isWrite(item)),
  );
  const own = !last ? '' : last.kind === 'tool' ? last.callId : String(last.seq);
  return [own, ...openCalls(view, runs).map((called) => changeMarkOf(called, runs))].join(' ').trimEnd();
}

const NO_RUNS: Runs = new Map();

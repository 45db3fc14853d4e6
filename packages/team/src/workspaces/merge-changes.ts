/**
 * Three-way merge of a set of changed paths into the newest version of a project. Each path has three sides: `base`, the version that was
 * changed; `theirs`, the newest version; `ours`, the change. What cannot be merged is a conflict: the project keeps `theirs`.
 */
import { sha256Of } from '@crewagent/core/store';
import { mergeText } from './merge-text.ts';
import { type Changes, isSameContent, isSameEntry, type ProjectEntry } from './project-entry.ts';
import { editTree, pathDanger, type Tree } from './project-tree.ts';

export type ConflictReason =
  /** Both sides changed the same or neighbouring lines, or added different files. */
  | 'lines'
  /** Both sides changed it, and it is not text, or too long a text. */
  | 'binary'
  /** One side deleted what the other one changed. */
  | 'deleted'
  /** Something else has this name, or a name that some systems do not tell apart from it, or that they do not support. */
  | 'name';

export interface Conflict {
  readonly path: string;
  readonly reason: ConflictReason;
  readonly base: ProjectEntry | undefined;
  readonly theirs: ProjectEntry | undefined;
  readonly ours: ProjectEntry | undefined;
}

export interface Merge {
  /** What differs from `theirs`. */
  readonly changes: Changes;
  /** The tree with these changes. */
  readonly tree: Tree;
  /** Files that were changed on both sides and could be combined. */
  readonly merged: readonly string[];
  readonly conflicts: readonly Conflict[];
  /** New contents, by hash. */
  readonly contents: ReadonlyMap<string, Buffer>;
}

interface MergeSides {
  readonly base: Tree;
  readonly theirs: Tree;
  readonly ours: Changes;
}

type Outcome =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'put'; readonly entry: ProjectEntry; readonly content?: Buffer }
  | { readonly kind: 'remove' }
  | { readonly kind: 'conflict'; readonly reason: ConflictReason };

export async function mergeChanges(
  { base, theirs, ours }: MergeSides,
  readContent: (sha256: string) => Promise<Buffer>,
): Promise<Merge> {
  const tree = editTree(theirs);
  const changes = new Map<string, ProjectEntry | undefined>();
  const merged: string[] = [];
  const conflicts: Conflict[] = [];
  const contents = new Map<string, Buffer>();
  const apply = async (path: string): Promise<void> => {
    const sides = { base: base.get(path), theirs: theirs.get(path), ours: ours.get(path) };
    const outcome = await mergeEntry(sides, readContent);
    if (outcome.kind === 'unchanged') return;
    const isRefused = outcome.kind === 'put' && !sides.theirs && pathDanger(path) !== undefined;
    if (isRefused || (outcome.kind === 'put' && tree.findClash(path, outcome.entry) !== undefined))
      return void conflicts.push({ path, reason: 'name', ...sides });
    if (outcome.kind === 'conflict') return void conflicts.push({ path, reason: outcome.reason, ...sides });
    if (outcome.kind === 'remove') {
      tree.remove(path);
      changes.set(path, undefined);
      return;
    }
    tree.put(path, outcome.entry);
    changes.set(path, outcome.entry);
    if (!outcome.content) return;
    contents.set(outcome.entry.sha256, outcome.content);
    merged.push(path);
  };
  const paths = [...ours.keys()].sort();
  // What is deleted makes room for other names.
  for (const path of paths) if (!ours.get(path)) await apply(path);
  for (const path of paths) if (ours.get(path)) await apply(path);
  return { changes, tree: tree.entries, merged, conflicts, contents };
}

type EntrySides = Pick<Conflict, 'base' | 'theirs' | 'ours'>;

async function mergeEntry(
  { base, theirs, ours }: EntrySides,
  readContent: (sha256: string) => Promise<Buffer>,
): Promise<Outcome> {
  if (isSameEntry(ours, base) || isSameEntry(ours, theirs)) return { kind: 'unchanged' };
  if (isSameEntry(theirs, base)) return ours ? { kind: 'put', entry: ours } : { kind: 'remove' };
  if (!ours || !theirs) return { kind: 'conflict', reason: 'deleted' };
  const isExecutable = mergeBit(base, theirs, ours);
  const withBit = ({ isExecutable: _, ...entry }: ProjectEntry): ProjectEntry =>
    isExecutable && entry.kind === 'file' ? { ...entry, isExecutable } : entry;
  if (isSameContent(ours, theirs)) return toPut(withBit(theirs), theirs);
  if (!base) return { kind: 'conflict', reason: 'lines' };
  if (isSameContent(ours, base)) return toPut(withBit(theirs), theirs);
  if (isSameContent(theirs, base)) return { kind: 'put', entry: withBit(ours) };
  if (base.kind !== 'file' || theirs.kind !== 'file' || ours.kind !== 'file')
    return { kind: 'conflict', reason: 'binary' };
  const [from, one, other] = await Promise.all([base, theirs, ours].map(({ sha256 }) => readContent(sha256)));
  if (!from || !one || !other) throw new Error('three contents were read');
  if ([from, one, other].some((content) => content.includes(0)))
    return { kind: 'conflict', reason: 'binary' };
  const content = mergeText({ base: from, theirs: one, ours: other });
  if (!content) return { kind: 'conflict', reason: 'lines' };
  const entry = withBit({ kind: 'file', sha256: sha256Of(content), bytes: content.length });
  return isSameEntry(entry, theirs) ? { kind: 'unchanged' } : { kind: 'put', entry, content };
}

function toPut(entry: ProjectEntry, theirs: ProjectEntry): Outcome {
  return isSameEntry(entry, theirs) ? { kind: 'unchanged' } : { kind: 'put', entry };
}

/** The side that changed it. */
function mergeBit(
  base: ProjectEntry | undefined,
  theirs: ProjectEntry,
  ours: ProjectEntry,
): true | undefined {
  return ours.isExecutable === base?.isExecutable ? theirs.isExecutable : ours.isExecutable;
}

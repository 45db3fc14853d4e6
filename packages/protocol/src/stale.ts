/**
 * Which results of a run are stale: made from files or steps that are different now. A visit depends on the version of each file that
 * it read; what depends on a stale visit is stale as well. Pure.
 */
import type { FileVisit, Touch } from './file-use.ts';
import { countSchema, positiveCountSchema } from './scalars.ts';
import * as z from './zod.ts';

export const staleReasonSchema = z.discriminatedUnion('kind', [
  /** The file is not what the step read. */
  z.strictObject({ kind: z.enum(['changed', 'removed']), path: z.string() }),
  /** The step reads what a stale step wrote; `from`: index of that step in the list. */
  z.strictObject({ kind: z.literal('depends'), path: z.string(), from: countSchema }),
  /** Another version of the package, which is installed, has another step. */
  z.strictObject({ kind: z.literal('step'), version: z.string() }),
]);
export type StaleReason = z.infer<typeof staleReasonSchema>;

export const staleVisitSchema = z.strictObject({
  runId: z.string(),
  /** Node ids from the root down. */
  nodes: z.array(z.string()),
  visit: positiveCountSchema,
  seq: positiveCountSchema,
  reasons: z.array(staleReasonSchema),
  /** Files that it wrote and nobody has written since, by full mount path. */
  results: z.array(z.string()),
});
export type StaleVisit = z.infer<typeof staleVisitSchema>;

export interface StaleFacts {
  /** Full mount path → hash now; null if there is no such file. A path that is missing is not judged. */
  readonly now: ReadonlyMap<string, string | null>;
  /** Whether the step of a node differs in the installed version. */
  readonly isStepChanged?: (visit: FileVisit) => string | undefined;
  /** Another run wrote the file since. */
  readonly isOfOthers?: (path: string) => boolean;
}

/** In the order of the visits. */
export function findStale(visits: readonly FileVisit[], facts: StaleFacts): StaleVisit[] {
  const counted = visits.filter(({ isRewound }) => !isRewound);
  const writes = writesByPath(visits);
  const reasons = new Map<FileVisit, Exclude<StaleReason, { kind: 'depends' }>[]>();
  const readers = new Map<FileVisit, { readonly by: FileVisit; readonly path: string }[]>();
  for (const visit of counted) {
    const found: Exclude<StaleReason, { kind: 'depends' }>[] = [];
    const version = facts.isStepChanged?.(visit);
    if (version !== undefined) found.push({ kind: 'step', version });
    for (const read of lastReads(visit)) {
      const own = writes.get(read.path) ?? [];
      const writer = own.findLast(({ order }) => order < read.order);
      if (writer && writer.by !== visit) push(readers, writer.by, { by: visit, path: read.path });
      const now = facts.now.get(read.path);
      const isLatest = !own.some(({ order }) => order > read.order);
      if (!isLatest || now === undefined || read.sha256 === undefined || now === read.sha256) continue;
      found.push({ kind: now === null ? 'removed' : 'changed', path: read.path });
    }
    if (found.length > 0) reasons.set(visit, found);
  }
  return toList(counted, spread(reasons.keys(), readers), { reasons, readers, writes, facts });
}

interface Found {
  readonly reasons: ReadonlyMap<FileVisit, readonly Exclude<StaleReason, { kind: 'depends' }>[]>;
  readonly readers: ReadonlyMap<FileVisit, readonly { readonly by: FileVisit; readonly path: string }[]>;
  readonly writes: ReadonlyMap<string, readonly Write[]>;
  readonly facts: StaleFacts;
}

function toList(
  counted: readonly FileVisit[],
  stale: ReadonlySet<FileVisit>,
  { reasons, readers, writes, facts }: Found,
): StaleVisit[] {
  const listed = counted.filter((visit) => stale.has(visit));
  const depends = new Map<FileVisit, StaleReason[]>();
  for (const [from, visit] of listed.entries())
    for (const { by, path } of readers.get(visit) ?? [])
      if (stale.has(by)) push(depends, by, { kind: 'depends', path, from });
  return listed.map((visit) => {
    const { runId, nodes, visit: count, seq } = visit;
    const results = visit.touches
      .filter(({ kind, path }) => kind === 'write' && writes.get(path)?.at(-1)?.by === visit)
      .map(({ path }) => path)
      .filter((path) => facts.now.get(path) !== null && facts.isOfOthers?.(path) !== true);
    return {
      runId,
      nodes: [...nodes],
      visit: count,
      seq,
      reasons: [...(reasons.get(visit) ?? []), ...(depends.get(visit) ?? [])],
      results: [...new Set(results)],
    };
  });
}

/** All visits that can be reached from the first ones. */
function spread(
  first: Iterable<FileVisit>,
  readers: ReadonlyMap<FileVisit, readonly { readonly by: FileVisit }[]>,
): ReadonlySet<FileVisit> {
  const stale = new Set(first);
  // A set that grows while it is iterated is iterated to its end.
  for (const visit of stale) for (const { by } of readers.get(visit) ?? []) stale.add(by);
  return stale;
}

interface Write {
  readonly by: FileVisit;
  readonly order: number;
}

function writesByPath(visits: readonly FileVisit[]): Map<string, Write[]> {
  const writes = new Map<string, Write[]>();
  for (const by of visits)
    for (const { kind, path, order } of by.touches) if (kind === 'write') push(writes, path, { by, order });
  for (const list of writes.values()) list.sort((a, b) => a.order - b.order);
  return writes;
}

/** What a visit read of each file last, unless that is what it wrote itself. */
function lastReads({ touches }: FileVisit): Touch[] {
  const reads = new Map<string, Touch>();
  const written = new Set<string>();
  for (const touch of touches) {
    if (touch.kind === 'write') written.add(touch.path);
    else if (!written.has(touch.path)) reads.set(touch.path, touch);
  }
  return [...reads.values()];
}

function push<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

/** The files that a judgement needs to know. */
export function pathsToJudge(visits: readonly FileVisit[]): string[] {
  return [...new Set(visits.flatMap(({ touches }) => touches.map(({ path }) => path)))];
}

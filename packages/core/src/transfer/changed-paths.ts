/** Files of the project that Works changed, with every content that they found or wrote there. Pure. */
import type { JournalRecord } from '@crewagent/protocol/journal';

/** Hashes by path in the project; null stands for no file. */
export type ChangedPaths = ReadonlyMap<string, ReadonlySet<string | null>>;

export function toChangedPaths(journals: readonly (readonly JournalRecord[])[]): ChangedPaths {
  const paths = new Map<string, Set<string | null>>();
  for (const record of journals.flat()) {
    if (!('path' in record)) continue;
    const path = record.path.slice('@project/'.length);
    const known = paths.get(path) ?? new Set();
    for (const image of [record.before, record.after]) known.add(image?.sha256 ?? null);
    paths.set(path, known);
  }
  return paths;
}

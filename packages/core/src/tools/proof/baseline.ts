/**
 * The files that a node must change, as they were when its visit began, and whether one has changed since. Hashes are compared,
 * so an undone change is none, and it does not matter who made the change.
 */
import type { NodeProof } from '@crewagent/protocol/proof';
import type { Baseline, VisitFacts } from '@crewagent/protocol/visit-facts';
import { fillVariables, type PathVariables, unfilledNames } from '../../mounts/path-template.ts';
import { matchesGlob, parseGlob } from '../search/ignore-globs.ts';
import { fillGlob, type ProofFiles, toFullPattern } from './proof-files.ts';

export interface RecordedBaseline {
  readonly patterns: string[];
  readonly files: { readonly path: string; readonly sha256: string }[];
  readonly isPartial?: true;
}

/** Undefined if the node need not change any file. */
export async function recordBaseline(
  { produces }: NodeProof,
  variables: PathVariables,
  files: ProofFiles,
  artifactsDir: string,
): Promise<RecordedBaseline | undefined> {
  const changed = produces.filter(({ mustChange }) => mustChange);
  if (changed.length === 0) return undefined;
  const patterns = new Set<string>();
  const found = new Map<string, string>();
  let isPartial = false;
  for (const { path } of changed) {
    const pattern = toFullPattern(toWildcards(fillGlob(path, variables)), artifactsDir);
    if (pattern === undefined || patterns.has(pattern)) continue;
    patterns.add(pattern);
    const matches = await files.find(pattern);
    isPartial ||= matches.isPartial;
    for (const match of matches.paths) {
      if (found.has(match)) continue;
      const file = await files.read(match);
      if (file.kind === 'file') found.set(match, file.sha256);
    }
  }
  return {
    patterns: [...patterns],
    files: [...found].map(([path, sha256]) => ({ path, sha256 })),
    isPartial: isPartial || undefined,
  };
}

/** A file that the baseline does not cover, because a variable changed since, counts if a tool wrote it in this visit. */
export function isChanged(path: string, sha256: string, { baseline, writes, same }: VisitFacts): boolean {
  if (!baseline) return writes.has(path);
  const before = baseline.files.get(path);
  if (baseline.isRerun && before === sha256) return writes.has(path) || same.has(path);
  if (before !== undefined) return before !== sha256;
  return isCovered(path, baseline) || writes.has(path);
}

function isCovered(path: string, { patterns, isPartial }: Baseline): boolean {
  return (
    !isPartial &&
    patterns.some((pattern) => {
      const glob = parseGlob(pattern);
      return glob !== undefined && matchesGlob(glob, path);
    })
  );
}

/** Variables that the step is still to set stand for any name. */
export function toWildcards(path: string): string {
  return fillVariables(path, Object.fromEntries(unfilledNames(path).map((name) => [name, '*'])));
}

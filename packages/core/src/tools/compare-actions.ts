/**
 * Compares an action that a person approved with the same call prepared again: by the facts of its files where it has them, by its
 * words otherwise. Pure.
 */
import type { ChangedFact } from '@crewagent/protocol/described-actions';
import type { DescribedAction, FileFact } from '@crewagent/protocol/tools';

/** What differs; empty if consent to `approved` is consent to `now`. */
export function findChanges(approved: DescribedAction, now: DescribedAction): ChangedFact[] {
  const before = approved.files ?? [];
  const after = now.files ?? [];
  const changes = new Set<ChangedFact>();
  if (before.length !== after.length) changes.add('target');
  for (const [index, fact] of after.entries()) {
    const other = before[index];
    if (other) for (const change of compareFacts(other, fact)) changes.add(change);
  }
  if (approved.target !== now.target) changes.add('target');
  // The text of a diff is derived from contents whose hashes are compared.
  const isText = after.length === 0 || now.preview.kind === 'json';
  if (isText && (approved.title !== now.title || approved.preview.text !== now.preview.text))
    changes.add('preview');
  return [...changes];
}

function compareFacts(approved: FileFact, now: FileFact): ChangedFact[] {
  const changes: ChangedFact[] = [];
  const [from, to] = [approved.before, now.before];
  if (approved.path !== now.path) changes.push('target');
  if (approved.runsLater !== now.runsLater) changes.push('runner');
  if (from.kind !== to.kind || approved.after.kind !== now.after.kind) return [...changes, 'kind'];
  if (from.mode !== to.mode || approved.after.mode !== now.after.mode) changes.push('mode');
  if (from.sha256 !== to.sha256) changes.push('content');
  else if (from.identity !== to.identity) changes.push('identity');
  if (approved.after.sha256 !== now.after.sha256) changes.push('preview');
  return changes;
}

/** Prints what changed between two versions of a package, and what that means for its unfinished runs. */
import { type AffectedWork, describeChanges } from '@crewagent/core';
import type { PackageChanges } from '@crewagent/protocol/package-changes';
import { print, sanitize, style } from '../terminal.ts';
import { shortId } from './describe-work.ts';

export function printChanges(changes: PackageChanges | undefined): void {
  if (!changes) return;
  const sentences = describeChanges(changes);
  const versions = changes.from === changes.to ? changes.to : `${changes.from} → ${changes.to}`;
  print(`\n${style('bold', 'Changed')} ${style('dim', sanitize(versions, 80))}`);
  if (sentences.length === 0) print('  - Only the version and side files.');
  for (const sentence of sentences) print(`  - ${sanitize(sentence, 400)}`);
}

export function printAffected(works: readonly AffectedWork[]): void {
  if (works.length === 0) return;
  print(`\n${style('yellow', 'Unfinished runs')} ${style('dim', 'stay with their version')}`);
  for (const work of works) {
    const id = shortId(work.workId);
    print(`  - ${id} (${sanitize(work.version, 40)}): ${sanitize(describeFinding(work), 300)}`);
  }
  print(`  ${style('dim', 'Move one with: crewagent upgrade RUN')}`);
}

function describeFinding({ finding, workflow, nodeId, renamedTo = '' }: AffectedWork): string {
  switch (finding) {
    case 'workflow-removed':
      return `the new version has no workflow ${workflow}.`;
    case 'step-removed':
      return `it is at ${nodeId}, which the new version does not have.`;
    case 'step-renamed':
      return `it is at ${nodeId}, which is ${renamedTo} in the new version.`;
    case 'step-changed':
      return `it is at ${nodeId}, which changed.`;
    case 'unchanged':
      return `it is at ${nodeId}, which is unchanged.`;
  }
}

/** Prints what changed between two versions of a package, and what that means for its unfinished runs. */
import { type AffectedWork, describeChanges } from '@crewagent/core';
import type { PackageChanges } from '@crewagent/protocol/package-changes';
import { print, sanitize, style } from '../terminal.ts';
import { shortId } from './describe-work.ts';
import { say } from './texts/say.ts';

export function printChanges(changes: PackageChanges | undefined): void {
  if (!changes) return;
  const sentences = describeChanges(changes);
  const versions = changes.from === changes.to ? changes.to : `${changes.from} → ${changes.to}`;
  print(`\n${style('bold', say('packages.changed'))} ${style('dim', sanitize(versions, 80))}`);
  if (sentences.length === 0) print(`  - ${say('packages.onlyVersion')}`);
  for (const sentence of sentences) print(`  - ${sanitize(sentence, 400)}`);
}

export function printAffected(works: readonly AffectedWork[]): void {
  if (works.length === 0) return;
  print(`\n${style('yellow', say('packages.unfinished'))} ${style('dim', say('packages.stay'))}`);
  for (const work of works) {
    const id = shortId(work.workId);
    print(`  - ${id} (${sanitize(work.version, 40)}): ${sanitize(describeFinding(work), 300)}`);
  }
  print(`  ${style('dim', say('packages.moveRun'))}`);
}

function describeFinding({ finding, workflow, nodeId, renamedTo = '' }: AffectedWork): string {
  return say(`packages.finding.${finding}`, { workflow, node: nodeId ?? '', renamed: renamedTo });
}

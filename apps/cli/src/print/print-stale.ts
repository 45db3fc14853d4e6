/** Steps that are out of date, each with its reasons and its results. */
import type { StaleReason, StaleVisit } from '@crewagent/protocol/stale';
import { print, sanitize, style } from '../terminal.ts';
import { say } from './texts/say.ts';

export function printStale(steps: readonly StaleVisit[]): void {
  for (const step of steps) {
    print(`  ${style('yellow', '!')} ${nameOf(step)}`);
    for (const reason of step.reasons) print(`      ${describeReason(reason, steps)}`);
    if (step.results.length > 0)
      print(style('dim', `      ${say('stale.results', { paths: step.results.map(toPath).join(', ') })}`));
  }
}

function describeReason(reason: StaleReason, steps: readonly StaleVisit[]): string {
  if (reason.kind === 'step') return say('stale.step', { version: sanitize(reason.version, 60) });
  const path = toPath(reason.path);
  if (reason.kind !== 'depends') return say(`stale.${reason.kind}`, { path });
  const from = steps[reason.from];
  return say('stale.depends', { path, step: from ? nameOf(from) : '?' });
}

/** The visits of a step that was visited again are numbered. */
function nameOf({ nodes, visit }: StaleVisit): string {
  return sanitize(nodes.join(' › ') + (visit > 1 ? ` (${visit})` : ''), 300);
}

function toPath(path: string): string {
  return sanitize(path.replace(/^@project\//, ''), 300);
}

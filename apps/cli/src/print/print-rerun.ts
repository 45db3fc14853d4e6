/** What a rerun would do, step by step, with the reasons. */
import type { RerunPlan } from '@crewagent/protocol/api/file-use';
import { print, sanitize, style } from '../terminal.ts';
import { say } from './texts/say.ts';

const MARKS = { again: ['yellow', '↻'], maybe: ['cyan', '?'], carried: ['dim', '='] } as const;

export function printRerun({ steps, version }: RerunPlan): void {
  for (const { nodes, visit, does, reasons, results } of steps) {
    const [colour, mark] = MARKS[does];
    const name = `${nodes.join(' › ')}${visit > 1 ? ` (${visit})` : ''}`;
    print(`  ${style(colour, mark)} ${sanitize(name, 300)}  ${style('dim', say(`rerun.${does}`))}`);
    for (const reason of reasons) print(`      ${describeReason(reason)}`);
    if (results.length > 0)
      print(style('dim', `      ${say('stale.results', { paths: results.map(toPath).join(', ') })}`));
  }
  if (version !== undefined) print(`  ${say('rerun.version', { version: sanitize(version, 60) })}`);
  print(style('dim', `  ${say('rerun.rest')}`));
}

function describeReason(reason: RerunPlan['steps'][number]['reasons'][number]): string {
  if (reason.kind === 'step') return say('stale.step', { version: sanitize(reason.version, 60) });
  const path = toPath(reason.path);
  if (reason.kind !== 'depends') return say(`stale.${reason.kind}`, { path });
  return say('stale.depends', { path, step: sanitize(reason.from.join(' › '), 300) });
}

function toPath(path: string): string {
  return sanitize(path.replace(/^@project\//, ''), 300);
}

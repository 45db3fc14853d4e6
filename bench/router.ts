/**
 * Command routing of a typed line, in CPU time: a menu of 50 items, every kind of line, cold and warm.
 */
import { resolveCommand } from '../packages/core/src/agents/command-router.ts';
import { atMost, quantile, type Row } from './measure.ts';

const ITEMS = 50;
const ROUNDS = 2_000;
const LINES = [
  '17',
  'item-23',
  '*item-42',
  'which of them writes a report',
  'report number 31',
  'zzz',
  '你好，写报告',
];

export async function benchRouter(): Promise<Row[]> {
  const menu = Array.from({ length: ITEMS }, (_, index) => ({
    trigger: `item-${index}`,
    description: `[I${index}] Writes report number ${index} out of everything in the folder`,
    workflow: 'workflow.md',
    triggers: [{ type: 'alias', match: `report ${index}` }],
  }));
  const context = {
    agent: { menu },
    workflows: [{ path: 'workflow.md' }],
    surface: 'electron',
    artifactsDir: 'artifacts',
  } as const;
  const first = timed(() => resolveCommand('report number 31', context));
  const times = Array.from({ length: ROUNDS }, (_, round) =>
    timed(() => resolveCommand(LINES[round % LINES.length] ?? '', context)),
  );
  return [
    atMost('a line typed to a menu of 50 items, p95', quantile(times, 0.95), 1),
    atMost('the first one of a process', first, 5),
  ];
}

/** Milliseconds of CPU time: on a busy machine the clock would count the time of others. */
function timed(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

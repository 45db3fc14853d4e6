/**
 * Startup time of the command line, against an empty Node program.
 */
import { spawnSync } from 'node:child_process';
import { compare, type Row, toRow } from './measure.ts';

const CLI = 'apps/cli/dist/crewagent.js';

export async function benchStart(): Promise<Row[]> {
  const node =
    (...args: string[]) =>
    (): Promise<unknown> =>
      Promise.resolve(spawnSync(process.execPath, args, { stdio: 'ignore' }));
  const baseline = node('-e', '0');
  return [
    toRow('crewagent --version / node -e 0', await compare(40, node(CLI, '--version'), baseline), 1.5),
    toRow('crewagent --help / node -e 0', await compare(20, node(CLI, '--help'), baseline), 1.6),
    toRow(
      'crewagent validate examples/hello-branch / node -e 0',
      await compare(20, node(CLI, 'validate', 'examples/hello-branch'), baseline),
      2.5,
    ),
  ];
}

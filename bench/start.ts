/**
 * Startup time of the command line, against an empty Node program, in a clean environment: extra certificates, for example, would
 * make every start of Node slower, and with it all ratios better.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { compare, inFolder, type Row, toRow } from './measure.ts';

const CLI = 'apps/cli/dist/crewagent.js';

/** Arguments of a command, and how often it may take the time of the empty program. */
const COMMANDS: Readonly<Record<string, { args: readonly string[]; limit: number }>> = {
  '--version': { args: ['--version'], limit: 1.5 },
  '--help': { args: ['--help'], limit: 1.6 },
  'validate examples/hello-branch': { args: ['validate', 'examples/hello-branch'], limit: 2.5 },
  'runs, of an empty store': { args: ['runs'], limit: 2 },
};

export async function benchStart(): Promise<Row[]> {
  return inFolder(async (folder) => {
    const env = { PATH: process.env.PATH, HOME: folder, CREWAGENT_HOME: join(folder, 'store') };
    const node =
      (...args: string[]) =>
      (): Promise<unknown> =>
        Promise.resolve(spawnSync(process.execPath, args, { stdio: 'ignore', env }));
    const rows: Row[] = [];
    for (const [name, { args, limit }] of Object.entries(COMMANDS)) {
      const times = await compare(20, node(CLI, ...args), node('-e', '0'));
      rows.push(toRow(`crewagent ${name} / node -e 0`, times, limit));
    }
    return rows;
  });
}

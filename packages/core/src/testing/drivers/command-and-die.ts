/**
 * Runs one command, approves what it changed, and kills itself at the n-th step of that: before or after each access to the project,
 * to the view and to the journal. Prints the number of steps if it survives.
 *
 * Arguments: a folder with `project`; the step; the command.
 */
import { join } from 'node:path';
import { shellSettingsSchema } from '@crewagent/protocol/shell';
import { createShellTools } from '../../shell/shell-tools.ts';
import { openProgramParts } from '../rigs/program-parts.ts';

const [root = '', last = '', command = ''] = process.argv.slice(2);
let steps = 0;
const step = (): void => {
  if (++steps === Number(last)) process.kill(process.pid, 'SIGKILL');
};
/** The same object, with a step before and after each of its async functions. */
function counted<T extends object>(value: T, names: readonly (keyof T)[]): T {
  const copy = { ...value };
  for (const name of names) {
    const original = value[name] as (...args: unknown[]) => Promise<unknown>;
    copy[name] = (async (...args: unknown[]) => {
      step();
      const result = await original(...args);
      step();
      return result;
    }) as T[keyof T];
  }
  return copy;
}

const parts = await openProgramParts(join(root, 'project'), root, (files) => ({
  ...files,
  exact: counted(files.exact, ['put', 'remove']),
}));
const { source } = createShellTools({
  ...parts,
  toolTimeoutMs: 60_000,
  journal: {
    async beginAll(changes, options) {
      const recorded = await counted(parts.journal, ['beginAll']).beginAll(changes, options);
      return recorded.map((record) => counted(record, ['done']));
    },
  },
  readSettings: () => Promise.resolve(shellSettingsSchema.parse({ enabled: true })),
});
const { signal } = new AbortController();
await source.prepare?.([], signal);
const answer = await source.run(
  { name: 'shell.run', arguments: { command } },
  { callId: 'call', name: 'shell.run', signal },
);
step();
if (answer.kind === 'action') await answer.prepared.commit();
step();
process.stdout.write(String(steps));
process.exit(0);

/**
 * Runs one command, approves what it changed, and kills itself at the n-th step of that: before or after each access to the project,
 * to the view and to the journal. Prints the number of steps if it survives.
 *
 * Arguments: a folder with `project`; the step; the command.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { shellSettingsSchema } from '@crewagent/protocol/shell';
import { createMountedFs } from '../../mounts/mounted-fs.ts';
import { findRunner } from '../../mounts/sensitive/runs-later.ts';
import { createSecretCheck } from '../../mounts/sensitive/secret-files.ts';
import { createShellTools } from '../../shell/shell-tools.ts';
import { openJournal } from '../../store/work-files/journal.ts';

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

const project = join(root, 'project');
mkdirSync(join(root, 'state'), { recursive: true });
const isSecret = createSecretCheck();
const plain = createMountedFs({ project, pkg: undefined, state: join(root, 'state') }, isSecret);
const files = { ...plain, exact: counted(plain.exact, ['put', 'remove']) };
const warn = (): void => undefined;
const journal = await openJournal({ folder: join(root, 'journal'), files, clock: () => new Date(), warn });
const { source } = createShellTools({
  ...{ project, files, isSecret, findRunner, toolTimeoutMs: 60_000, viewsFolder: join(root, 'views') },
  journal: {
    async beginAll(changes, options) {
      const recorded = await counted(journal, ['beginAll']).beginAll(changes, options);
      return recorded.map((record) => counted(record, ['done']));
    },
  },
  spill: () => Promise.resolve('@state/x'),
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

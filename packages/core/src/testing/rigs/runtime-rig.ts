/**
 * The whole runtime on temporary folders, with a provider over HTTP or the rehearsal model.
 */
import { join } from 'node:path';
import type { RunEvent } from '@crewagent/protocol/events';
import type { RunRecord } from '@crewagent/protocol/run';
import { onTestFinished } from 'vitest';
import { createRuntime, type Runtime } from '../../runtime.ts';
import { showWork, type WorkReport } from '../../session/show-work.ts';
import type { StartRequest } from '../../session/work-openers.ts';
import { resolveRun } from '../../store/find-works.ts';
import { writeTree } from '../file-tree.ts';
import { tempFolder } from '../temp-folder.ts';

export type RuntimeRig = Awaited<ReturnType<typeof createRuntimeRig>>;

interface RigOptions {
  readonly name?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly now?: () => Date;
}

export async function createRuntimeRig(
  project: Readonly<Record<string, string>> = {},
  { name = 'project', env = {}, ...clock }: RigOptions = {},
) {
  const root = await tempFolder();
  const folder = join(root, name);
  await writeTree(folder, { 'README.md': '# Project\n', ...project });
  const bugs: unknown[] = [];
  const runtime: Runtime = createRuntime({
    storeRoot: join(root, 'store'),
    env: { CREWAGENT_API_KEY: 'sk-test-secret-key', ...env },
    ...clock,
    onBug: (_, error) => bugs.push(error),
  });
  return {
    runtime,
    root,
    project: folder,
    bugs,
    /** Creates a run and records its events; it is closed after the test. */
    async create(request: Omit<StartRequest, 'projectPath'>) {
      const run = await runtime.createWork({ ...request, projectPath: folder });
      onTestFinished(() => run.close());
      const events: RunEvent[] = [];
      run.engine.subscribe((event) => events.push(event));
      return { ...run, events };
    },
    /** The run that `ref` names, as stored on disk; the last one by default. */
    showRun: async (ref = 'last'): Promise<WorkReport<RunRecord>> =>
      showWork(runtime.store, await resolveRun(runtime.store, ref)),
  };
}

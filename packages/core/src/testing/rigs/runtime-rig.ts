/**
 * The whole runtime on temporary folders, with a provider over HTTP or the rehearsal model.
 */
import { join } from 'node:path';
import type { RunEvent } from '@crewagent/protocol/events';
import type { RunRecord } from '@crewagent/protocol/run';
import { onTestFinished } from 'vitest';
import { createRuntime, type Runtime, type StartRequest } from '../../runtime.ts';
import type { OpenRun } from '../../session/open-run.ts';
import { showWork, type WorkReport } from '../../session/show-work.ts';
import { resolveRun } from '../../store/find-works.ts';
import { writeTree } from '../file-tree.ts';
import { tempFolder } from '../temp-folder.ts';

export interface RuntimeRig {
  readonly runtime: Runtime;
  readonly root: string;
  readonly project: string;
  readonly bugs: unknown[];
  /** Creates a run and records its events; it is closed after the test. */
  create(request: Omit<StartRequest, 'projectPath'>): Promise<OpenRun & { readonly events: RunEvent[] }>;
  /** The run that `ref` names, as stored on disk; the last one by default. */
  showRun(ref?: string): Promise<WorkReport<RunRecord>>;
}

export async function createRuntimeRig(
  project: Readonly<Record<string, string>> = {},
  { name = 'project', ...clock }: { name?: string; now?: () => Date } = {},
): Promise<RuntimeRig> {
  const root = await tempFolder();
  const folder = join(root, name);
  await writeTree(folder, { 'README.md': '# Project\n', ...project });
  const bugs: unknown[] = [];
  const runtime = createRuntime({
    storeRoot: join(root, 'store'),
    env: { CREWAGENT_API_KEY: 'sk-test-secret-key' },
    ...clock,
    onBug: (_, error) => bugs.push(error),
  });
  return {
    runtime,
    root,
    project: folder,
    bugs,
    async create(request) {
      const run = await runtime.createWork({ ...request, projectPath: folder });
      onTestFinished(() => run.close());
      const events: RunEvent[] = [];
      run.engine.subscribe((event) => events.push(event));
      return { ...run, events };
    },
    showRun: async (ref = 'last') => showWork(runtime.store, await resolveRun(runtime.store, ref)),
  };
}

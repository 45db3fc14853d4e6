/**
 * A run with the model of the test, and all its events recorded: in the memory store, or on disk for tests of its files.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunEvent, RunEventType } from '@crewagent/protocol/events';
import type { RunRecord } from '@crewagent/protocol/run';
import { settingsSchema } from '@crewagent/protocol/settings';
import { VERSION } from '@crewagent/protocol/version';
import { onTestFinished } from 'vitest';
import { createUuidV7 } from '../../base/uuid-v7.ts';
import type { LLMAdapter } from '../../llm/llm-adapter.ts';
import { type OpenRun, openRun } from '../../session/open-run.ts';
import { startRun } from '../../session/start-run.ts';
import type { WorkPaths } from '../../store/disk/layout.ts';
import { type DiskStore, openDiskStore } from '../../store/disk/open-store.ts';
import { openMemoryStore } from '../../store/open-memory-store.ts';
import type { Store } from '../../store/store.ts';
import { toAddress } from '../../store/work-address.ts';
import { expectProved } from '../expect-proved.ts';
import { writeTree } from '../file-tree.ts';
import { tempFolder } from '../temp-folder.ts';

/** Options of runs and of conversations. */
export interface WorkRigOptions {
  /** A folder with a package, or its files. */
  readonly package: string | Readonly<Record<string, string>>;
  readonly model: LLMAdapter;
  readonly agent?: string;
  readonly project?: Readonly<Record<string, string>>;
  /** As in the settings: `tools`, `limits`, `context`. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

export interface RunRigOptions extends WorkRigOptions {
  readonly workflow?: string;
}

export interface RunRig extends OpenRun {
  readonly store: Store;
  readonly project: string;
  readonly events: RunEvent[];
  readonly bugs: unknown[];
  types(): RunEventType[];
  eventsOf<Type extends RunEventType>(type: Type): Extract<RunEvent, { type: Type }>[];
  stateText(): Promise<string>;
  writeState(text: string): Promise<void>;
  /** Closes the run and opens it again, as another process would; optionally with another model. */
  reopen(model?: LLMAdapter): Promise<RunRig>;
}

export interface DiskRunRig extends RunRig {
  readonly store: DiskStore;
  readonly paths: WorkPaths;
  reopen(model?: LLMAdapter): Promise<DiskRunRig>;
}

const FIXED_NOW = (): Date => new Date('2026-01-31T09:30:00.000Z');

export async function createRunRig(options: RunRigOptions): Promise<RunRig> {
  const root = await tempFolder();
  return startRig(options, root, openMemoryStore(root));
}

export async function createDiskRunRig(options: RunRigOptions): Promise<DiskRunRig> {
  const root = await tempFolder();
  const store = openDiskStore(join(root, 'store'));
  return withPaths(await startRig(options, root, store), store);
}

function withPaths(rig: RunRig, store: DiskStore): DiskRunRig {
  const paths = store.work(toAddress(rig.record));
  return { ...rig, store, paths, reopen: async (model) => withPaths(await rig.reopen(model), store) };
}

async function startRig(options: RunRigOptions, root: string, store: Store): Promise<RunRig> {
  const { project, packageFolder } = await writeFolders(root, options);
  const { record } = await startRun(
    {
      package: packageFolder,
      projectPath: project,
      workflow: options.workflow,
      agent: options.agent,
      model: { kind: 'rehearsal' },
    },
    {
      store,
      settings: settingsSchema.parse(options.settings ?? {}),
      context: CONTEXT,
      now: FIXED_NOW,
      newId: createUuidV7(FIXED_NOW),
    },
  );
  // Once, after the last of the rigs that have it open was closed.
  onTestFinished(() => expectProved(toAddress(record), { store, context: CONTEXT, now: FIXED_NOW }));
  return openRig(record, { store, project, model: options.model });
}

export async function writeFolders(root: string, { package: pkg, project: files }: WorkRigOptions) {
  const project = join(root, 'project');
  await writeTree(project, { 'README.md': '# Project\n', ...files });
  const packageFolder = typeof pkg === 'string' ? pkg : join(root, 'package');
  if (typeof pkg !== 'string') await writeTree(packageFolder, pkg);
  return { project, packageFolder };
}

export const CONTEXT = { runtimeVersion: VERSION, knownServers: new Set<string>() };

async function openRig(
  record: RunRecord,
  { store, project, model }: { store: Store; project: string; model: LLMAdapter },
): Promise<RunRig> {
  const bugs: unknown[] = [];
  const address = toAddress(record);
  const run = await openRun(address, {
    store,
    context: CONTEXT,
    now: FIXED_NOW,
    createAdapter: () => Promise.resolve(model),
    onBug: (_, error) => bugs.push(error),
  });
  onTestFinished(() => run.close());
  const events: RunEvent[] = [];
  run.engine.subscribe((event) => events.push(event));
  return {
    ...run,
    store,
    project,
    events,
    bugs,
    types: () => events.map(({ type }) => type),
    eventsOf: <Type extends RunEventType>(type: Type) =>
      events.filter((event): event is Extract<RunEvent, { type: Type }> => event.type === type),
    stateText: async () => (await store.works.openState(address).read()).text,
    writeState: async (text) => writeFile(join(await store.works.stateFolder(address), 'workflow.md'), text),
    async reopen(other = model) {
      await run.close();
      return openRig(record, { store, project, model: other });
    },
  };
}

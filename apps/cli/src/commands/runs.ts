/** `crewagent runs`: lists and deletes runs. */
import { realpath } from 'node:fs/promises';
import {
  CrewError,
  type ListedRun,
  type RunAddress,
  resolveRun,
  type Store,
  toStored,
} from '@crewagent/core';
import { confirmDeletion } from '../confirm-deletion.ts';
import { describeAge, describePhase, describeWorkflow, shortId } from '../describe-run.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openRuntime } from '../open-runtime.ts';
import { type Row, toTable } from '../table.ts';
import { print, sanitize, style } from '../terminal.ts';

export async function list(options: { project?: string; json?: true }): Promise<ExitCode> {
  const runtime = openRuntime();
  await runtime.sweepInterrupted();
  const projects = await runtime.store.projects.list();
  const folder = options.project === undefined ? undefined : await toRealFolder(options.project);
  const isInProject = (projectId: string): boolean =>
    folder === undefined ||
    projects.some((project) => project.projectId === projectId && project.path === folder);
  // What a run called is part of it.
  const runs = (await runtime.listRuns()).filter(
    ({ projectId, record }) => isInProject(projectId) && !record?.call,
  );
  if (options.json) {
    print(JSON.stringify(runs.map(toJson)));
    return EXIT.ok;
  }
  if (runs.length === 0) {
    print(
      folder === undefined
        ? 'There are no runs yet. Start one with: crewagent run PACKAGE'
        : 'There are no runs in this project. Start one with: crewagent run PACKAGE',
    );
    return EXIT.ok;
  }
  const names = new Map(projects.map(({ projectId, name }) => [projectId, name]));
  const now = new Date();
  const rows = runs.map((run) => toRow(run, names, now));
  for (const line of toTable(rows, WIDEST)) print(line);
  return EXIT.ok;
}

function toJson({ projectId, workId: runId, record, problem }: ListedRun): object {
  return { projectId, runId, ...(record ? { record: toStored(record) } : { problem }) };
}

/** Maximum column widths. */
const WIDEST = [13, 34, 44, 24, 16];

function toRow(run: ListedRun, projects: ReadonlyMap<string, string>, now: Date): Row {
  const { workId, projectId, record, problem = '' } = run;
  if (!record)
    return { cells: [shortId(workId), '✖ damaged'], styles: ['cyan', 'red'], suffix: sanitize(problem) };
  const { mark, label, style: colour } = describePhase(record.phase, record.reason);
  return {
    cells: [
      shortId(workId),
      `${mark} ${label}`,
      `${sanitize(record.packageName, 200)}${describeWorkflow(record)}`,
      sanitize(projects.get(projectId) ?? '(unknown)', 200),
      describeAge(record.updatedAt, now),
    ],
    styles: ['cyan', colour, 'bold'],
  };
}

async function toRealFolder(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    throw new CrewError('FOLDER_NOT_FOUND', `There is no folder at "${path}".`);
  }
}

export async function remove(ref: string, options: { yes?: true }): Promise<ExitCode> {
  const runtime = openRuntime();
  const address = await resolveRun(runtime.store, ref);
  const name = await nameOf(runtime.store, address);
  if (!options.yes && !(await confirmDeletion(name, 'Its files'))) return EXIT.ok;
  await runtime.deleteWork(address);
  print(`${style('green', '✔')} deleted ${name}`);
  return EXIT.ok;
}

/** A run with a damaged record can be deleted, too. */
async function nameOf(store: Store, address: RunAddress): Promise<string> {
  const run = `run ${shortId(address.workId)}`;
  try {
    const record = await store.works.read(address);
    return `${run} (${sanitize(record.packageName, 200)}${describeWorkflow(record)})`;
  } catch (error) {
    if (!(error instanceof CrewError)) throw error;
    return run;
  }
}

/** `crewagent runs`: lists and deletes runs. */
import { CrewError, type RunAddress, resolveRun, type Store } from '@crewagent/core';
import type { ExitCode } from '../exit-codes.ts';
import { openRuntime } from '../open-runtime.ts';
import { printWorks } from '../print/list-works.ts';
import { say } from '../print/texts/say.ts';
import { printDone, sanitize } from '../terminal.ts';

export async function list(options: { project?: string; json?: true }): Promise<ExitCode> {
  const { store, ...runtime } = openRuntime();
  const isFiltered = options.project !== undefined;
  const project = options.project === undefined ? undefined : await store.projects.find(options.project);
  // What a run called is part of it.
  const runs = (await runtime.settleListed(await runtime.listRuns())).filter(
    ({ projectId, record }) => (!isFiltered || projectId === project?.projectId) && !record?.call,
  );
  return printWorks(store, runs, {
    isJson: options.json === true,
    idName: 'runId',
    empty: say(isFiltered ? 'show.noRunsHere' : 'show.noRuns'),
    widest: [13, 34, 44, 24, 16],
    async createDescriber() {
      const { describePhase, describeWorkflow } = await import('../print/describe-work.ts');
      return (record) => ({
        status: describePhase(record.phase, record.reason),
        cells: [`${sanitize(record.packageName, 200)}${describeWorkflow(record)}`],
      });
    },
  });
}

export async function remove(ref: string, options: { yes?: true }): Promise<void> {
  const runtime = openRuntime();
  const address = await resolveRun(runtime.store, ref);
  const name = await nameOf(runtime.store, address);
  if (!options.yes) {
    const { confirmDeletion } = await import('../ask/prompter.ts');
    if (!(await confirmDeletion(name))) return;
  }
  await runtime.deleteWork(address);
  printDone(say('delete.done', { name }));
}

/** A run with a damaged record can be deleted, too. */
async function nameOf(store: Store, address: RunAddress): Promise<string> {
  const { describeWorkflow, shortId } = await import('../print/describe-work.ts');
  const run = `${say('field.run')} ${shortId(address.workId)}`;
  try {
    const record = await store.works.read(address);
    return `${run} (${sanitize(record.packageName, 200)}${describeWorkflow(record)})`;
  } catch (error) {
    if (!(error instanceof CrewError)) throw error;
    return run;
  }
}

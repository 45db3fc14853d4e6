/** `crewagent status`: the runs of a project whose results are out of date, with the reasons. */
import { readStaleRuns, type StaleRun } from '@crewagent/core';
import { validationContext } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openRuntime } from '../open-runtime.ts';
import { describeWorkflow, shortId } from '../print/describe-work.ts';
import { printStale } from '../print/print-stale.ts';
import { say } from '../print/texts/say.ts';
import { print, printDone, sanitize, style } from '../terminal.ts';

export async function status(
  folder: string | undefined,
  { json }: { readonly json?: true },
): Promise<ExitCode> {
  const { store } = openRuntime();
  const project = await store.projects.find(folder ?? '.');
  const stale = project ? await readStaleRuns(project.projectId, { store, context: validationContext }) : [];
  if (json) print(JSON.stringify(stale.map(toJson)));
  else if (!project) print(say('show.noRunsHere'));
  else if (stale.length === 0) printDone(say('stale.none'));
  else for (const run of stale) printRun(run);
  return EXIT.ok;
}

function toJson({ record, steps }: StaleRun) {
  const { workId: runId, packageName, packageVersion, workflowRef, workflowTitle } = record;
  return { runId, packageName, packageVersion, workflowRef, workflowTitle, steps };
}

function printRun({ record, steps }: StaleRun): void {
  const title = `${sanitize(record.packageName, 200)}${describeWorkflow(record)}`;
  print(`${style('bold', title)}  ${style('dim', shortId(record.workId))}`);
  printStale(steps);
  print(`  ${say('rerun.command', { command: `crewagent rerun ${shortId(record.workId)} --stale` })}`);
}

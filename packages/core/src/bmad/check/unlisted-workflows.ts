/**
 * Workflows that bmad.json does not list: a document with a graph next to it. They can be referenced by path, in menus and on
 * the command line. A broken one is reported and skipped; the package is still accepted.
 */
import { posix } from 'node:path';
import { createFindings, type Finding } from '../findings/findings.ts';
import {
  type LoadedWorkflow,
  readWorkflows,
  type WorkflowFiles,
  type WorkflowSources,
} from './read-workflows.ts';
import { toUnlistedSource } from './subworkflow-targets.ts';
import { toPackagePath, type Workflow } from './workflow-package.ts';

export async function readUnlisted(
  /** Those that are read already. */
  read: readonly Pick<WorkflowFiles, 'workflowPath' | 'graphPath'>[],
  sources: WorkflowSources,
): Promise<LoadedWorkflow[]> {
  const { files, findings } = sources;
  const known = new Set(read.flatMap(({ workflowPath, graphPath }) => [workflowPath, graphPath]));
  const unlisted = findUnlisted(files.paths).filter(
    ({ workflowPath, graphPath }) => !known.has(workflowPath) && !known.has(graphPath),
  );
  if (unlisted.length === 0) return [];
  const own = createFindings();
  const loaded = await readWorkflows(unlisted, { ...sources, findings: own });
  const found = own.list();
  const usable: LoadedWorkflow[] = [];
  for (const { workflowPath, graphPath } of unlisted) {
    const workflow = loaded.find((candidate) => candidate.workflowPath === workflowPath);
    const parts = new Set([workflowPath, graphPath, ...(workflow ? stepFilesOf(workflow) : [])]);
    const issue = found.find(({ severity, file }) => severity === 'error' && parts.has(file));
    if (workflow && !issue) usable.push(workflow);
    findings.add('UNLISTED_WORKFLOW', {
      file: workflowPath,
      message: issue
        ? `this workflow is not listed in bmad.json and is broken: ${issue.file}: ${issue.message}`
        : 'this workflow has a graph but is not listed in bmad.json; it can be started by its path',
      fix: issue
        ? issue.fix
        : `Call it from a step, or add { "id": "…", "workflow": "${workflowPath}", "graph": "${graphPath}" } to "workflows" in bmad.json.`,
    });
  }
  for (const { severity, code, ...finding } of found)
    if (severity === 'warning') findings.add(code, finding as Finding);
  return usable;
}

function stepFilesOf({ graph }: Workflow): string[] {
  return graph.nodes.map(({ file }) => toPackagePath(file));
}

/** `x.md` with `x.graph.json`; or the only `workflow-x.md` next to a `workflow.graph.json` without a workflow.md. */
function findUnlisted(paths: ReadonlySet<string>): WorkflowFiles[] {
  const documents = [...paths].filter((path) => path.endsWith('.md'));
  return [...paths]
    .filter((path) => path.endsWith('.graph.json'))
    .flatMap((graphPath) => {
      const stem = graphPath.slice(0, -'.graph.json'.length);
      const isWorkflow = posix.basename(stem) === 'workflow';
      const [only, ...others] = paths.has(`${stem}.md`)
        ? [`${stem}.md`]
        : documents.filter(
            (path) => isWorkflow && path.startsWith(`${stem}-`) && !path.includes('/', stem.length),
          );
      return only === undefined || others.length > 0
        ? []
        : [{ ...toUnlistedSource(only, graphPath), pointer: '' }];
    });
}

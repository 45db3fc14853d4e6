/**
 * Which workflow of the package a node calls. Pure.
 */
import { posix } from 'node:path';
import { printable } from '../archive/entry-rules.ts';
import type { Findings } from '../findings/findings.ts';
import { locate } from '../findings/schema-findings.ts';
import type { FindSimilar } from '../findings/similar-name.ts';
import type { Step } from './read-steps.ts';
import { toPackagePath, type WorkflowSource } from './workflow-package.ts';

export type CallTarget =
  | { readonly kind: 'found'; readonly files: WorkflowSource }
  | { readonly kind: 'missing'; readonly similar: string | undefined }
  | { readonly kind: 'without-graph'; readonly path: string };

export interface TargetSources {
  readonly paths: ReadonlySet<string>;
  /** The workflows that bmad.json names. */
  readonly listed: readonly WorkflowSource[];
  readonly similarTo: FindSimilar;
}

/** `written`: an id of bmad.json, or a path from the folder of the workflow or from the root of the package. */
export function resolveTarget(
  written: string,
  graphPath: string,
  { paths, listed, similarTo }: TargetSources,
): CallTarget {
  const byId = listed.find(({ ref }) => ref === written);
  if (byId) return { kind: 'found', files: byId };
  const fromRoot = toPackagePath(written);
  const candidates = [posix.join(posix.dirname(graphPath), fromRoot), posix.normalize(fromRoot)];
  const path = candidates.find((candidate) => paths.has(candidate));
  if (path === undefined)
    return { kind: 'missing', similar: similarTo(written, namesOf(graphPath, { paths, listed })) };
  const known = listed.find(({ workflowPath }) => workflowPath === path);
  if (known) return { kind: 'found', files: known };
  const graph = [
    path.replace(/\.md$/, '.graph.json'),
    posix.join(posix.dirname(path), 'workflow.graph.json'),
  ].find((candidate) => candidate !== path && paths.has(candidate));
  return graph === undefined
    ? { kind: 'without-graph', path }
    : { kind: 'found', files: toUnlistedSource(path, graph) };
}

/** Paths from the folder of the workflow, and ids. */
function namesOf(graphPath: string, { paths, listed }: Pick<TargetSources, 'paths' | 'listed'>): string[] {
  const documents = [...paths].filter((path) => posix.basename(path) === 'workflow.md');
  const folder = posix.dirname(graphPath);
  return [...documents.map((path) => `./${posix.relative(folder, path)}`), ...listed.map(({ ref }) => ref)];
}

/** A workflow that bmad.json does not list: its path is its ref, its folder or file its title. */
export function toUnlistedSource(workflowPath: string, graphPath: string): WorkflowSource {
  const name = posix.basename(workflowPath, '.md');
  const folder = posix.basename(posix.dirname(workflowPath));
  const title = name === 'workflow' && folder !== '.' ? folder : name;
  return { ref: workflowPath, title, description: undefined, workflowPath, graphPath };
}

export function addTargetFinding(target: CallTarget, step: Step, findings: Findings): void {
  const place = locate(step, ['subworkflow']);
  const written = printable(step.frontmatter.subworkflow ?? '').slice(0, 200);
  if (target.kind === 'missing') {
    findings.add('SUBWORKFLOW_MISSING', {
      ...place,
      message: `the step calls "${written}", which is no workflow of this package`,
      fix: target.similar
        ? `Did you mean "${printable(target.similar).slice(0, 200)}"?`
        : 'Name a workflow.md, relative to the folder of this workflow, or the id of a workflow in bmad.json.',
    });
  } else if (target.kind === 'without-graph') {
    findings.add('SUBWORKFLOW_WITHOUT_GRAPH', {
      ...place,
      message: `the step calls "${written}", and there is no workflow.graph.json beside it`,
      fix: 'Put the graph of that workflow into its folder.',
    });
  }
}

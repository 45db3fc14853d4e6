/** The workflows of a package by their files, as far as its manifest can be read: the entry workflow, listed ones, others. Pure. */
import { isObject, textOf } from '@crewagent/protocol/json-object';
import { toUnlistedSource } from '../bmad/check/subworkflow-targets.ts';
import { toPackagePath } from '../bmad/check/workflow-package.ts';
import type { PackageTexts } from './package-texts.ts';
import { parseJson } from './patch-json.ts';

export interface WorkflowFiles {
  readonly graph: string;
  /** Its workflow.md. */
  readonly document: string;
  readonly title: string;
}

export function listWorkflows(texts: Pick<PackageTexts, 'find' | 'paths'>): WorkflowFiles[] {
  const manifest = parseJson(texts.find('bmad.json') ?? '')?.value;
  const { entry, workflows, name } = isObject(manifest) ? manifest : {};
  const listed = (Array.isArray(workflows) ? workflows : []).flatMap((one: unknown) =>
    toFiles(one, isObject(one) ? [one.displayName, one.id] : []),
  );
  const unlisted = texts
    .paths()
    .filter((path) => path.endsWith('.graph.json'))
    .map((graph) => {
      const document = graph.replace(/\.graph\.json$/, '.md');
      return { graph, document, title: toUnlistedSource(document, graph).title };
    });
  const [first] = toFiles(entry, [name]);
  const start = first && (listed.find(({ graph }) => graph === first.graph) ?? first);
  const all = new Map<string, WorkflowFiles>();
  for (const one of [...(start ? [start] : []), ...listed, ...unlisted])
    if (!all.has(one.graph) && texts.find(one.graph) !== undefined) all.set(one.graph, one);
  return [...all.values()];
}

function toFiles(value: unknown, titles: readonly unknown[]): WorkflowFiles[] {
  const [graph, document] = isObject(value) ? [textOf(value.graph), textOf(value.workflow)] : [];
  if (graph === undefined || document === undefined) return [];
  const title = titles.map(textOf).find((text) => text?.trim()) ?? graph;
  return [{ graph: toPackagePath(graph), document: toPackagePath(document), title }];
}

/** A graph as its author wrote it, valid or not: what an edit does not name is passed on. Pure. */
import { isObject, textOf } from '@crewagent/protocol/json-object';
import { toPackagePath } from '../bmad/check/workflow-package.ts';
import type { Fields } from './fields.ts';
import { type PackageTexts, refused } from './package-texts.ts';

export interface GraphDocument {
  readonly value: Fields;
  readonly nodes: readonly Fields[];
  readonly edges: readonly Fields[];
}

export function readGraph(texts: PackageTexts, path: string): GraphDocument {
  const value = texts.readJson(path);
  const { nodes, edges = [] } = value;
  if (!isList(nodes) || !isList(edges))
    throw refused(`"${path}" has no lists of nodes and edges. Correct its text first.`);
  return { value, nodes, edges };
}

function isList(value: unknown): value is Fields[] {
  return Array.isArray(value) && value.every(isObject);
}

/** Throws for an id that the graph does not have. */
export function findNode({ nodes }: GraphDocument, id: string): Fields {
  const found = nodes.find((node) => node.id === id);
  if (found) return found;
  throw refused(`There is no node "${id}". It may have been removed meanwhile.`);
}

export function checkFreeId({ nodes }: GraphDocument, id: string): void {
  if (nodes.some((node) => node.id === id))
    throw refused(`There is already a node "${id}". Choose another id.`);
}

export function stepFileOf(node: Fields): string {
  return toPackagePath(textOf(node.file) ?? '');
}

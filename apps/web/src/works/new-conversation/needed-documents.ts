/** Documents that a workflow reads from the project and does not create: they must exist before it starts. Pure. */
import type { ShownNode } from '@crewagent/protocol/api/packages';
import { toNodeFile } from '../../run/progress/node/node-files.ts';

/** Mount paths, in the order they are needed; paths with variables are resolved only during the run. */
export function neededDocuments(nodes: readonly Pick<ShownNode, 'inputs' | 'outputs'>[]): readonly string[] {
  const made = new Set(pathsOf(nodes.flatMap(({ outputs }) => outputs)));
  const read = new Set(pathsOf(nodes.flatMap(({ inputs }) => inputs)));
  return [...read].filter((path) => !made.has(path));
}

function pathsOf(written: readonly string[]): readonly string[] {
  return written.flatMap((text) => toNodeFile(text, {}).path ?? []);
}

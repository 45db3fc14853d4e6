/** The documents a workflow reads from the project and does not make itself: they have to be there before. Pure. */
import type { ShownNode } from '@crewagent/protocol/api/packages';
import { toNodeFile } from '../../run/progress/node/node-files.ts';

/** Mount paths, in the order they are needed; those with a variable in them are known only on the way. */
export function neededDocuments(nodes: readonly Pick<ShownNode, 'inputs' | 'outputs'>[]): readonly string[] {
  const made = new Set(pathsOf(nodes.flatMap(({ outputs }) => outputs)));
  const read = new Set(pathsOf(nodes.flatMap(({ inputs }) => inputs)));
  return [...read].filter((path) => !made.has(path));
}

function pathsOf(written: readonly string[]): readonly string[] {
  return written.flatMap((text) => toNodeFile(text, {}).path ?? []);
}

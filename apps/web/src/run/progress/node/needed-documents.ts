/** Which documents a workflow needs, and which files it gives. Pure. */
import type { ShownNode } from '@crewagent/protocol/api/packages';
import { toNodeFile } from './node-files.tsx';

/**
 * Documents that a workflow reads from the project and does not create: they must exist before it starts. Mount paths, in the
 * order they are needed; paths with variables are resolved only during the run.
 */
export function neededDocuments(nodes: readonly Pick<ShownNode, 'inputs' | 'outputs'>[]): readonly string[] {
  const made = new Set(pathsOf(nodes.flatMap(({ outputs }) => outputs)));
  const read = new Set(pathsOf(nodes.flatMap(({ inputs }) => inputs)));
  return [...read].filter((path) => !made.has(path));
}

/** Files that a workflow creates: mount paths, in order, without those whose path is only known during the run. */
export function createdFiles(nodes: readonly Pick<ShownNode, 'outputs'>[]): readonly string[] {
  return [...new Set(pathsOf(nodes.flatMap(({ outputs }) => outputs)))];
}

function pathsOf(written: readonly string[]): readonly string[] {
  return written.flatMap((text) => toNodeFile(text, {}).path ?? []);
}

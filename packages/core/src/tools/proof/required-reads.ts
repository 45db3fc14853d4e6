/**
 * The files that a step must have read in this visit (`consumes` with `read: required`): before anything is written, and when the
 * node is left.
 */
import type { NodeProof } from '@crewagent/protocol/proof';
import type { VisitFacts } from '@crewagent/protocol/visit-facts';
import type { PathVariables } from '../../mounts/path-template.ts';
import { fillGlob, isGlob, type ProofFiles } from './proof-files.ts';

export interface ReadingNode {
  readonly proof: NodeProof;
  readonly variables: PathVariables;
  readonly visit: VisitFacts;
  readonly files: Pick<ProofFiles, 'find' | 'read'>;
}

/** `id`: the path as the author wrote it. Of an optional path and of a glob, only files that exist; the visit's own files excepted. */
export async function findRequiredReads({
  proof,
  variables,
  visit,
  files,
}: ReadingNode): Promise<{ readonly id: string; readonly path: string }[]> {
  const required: { readonly id: string; readonly path: string }[] = [];
  for (const { path: id, isOptional } of proof.consumes.filter(({ mustRead }) => mustRead))
    for (const path of (await files.find(fillGlob(id, variables))).paths) {
      const isOwn = !visit.reads.has(path) && visit.writes.has(path) && isGlob(id);
      const isPresent = !isOptional || (await files.read(path)).kind === 'file';
      if (isPresent && !isOwn) required.push({ id, path });
    }
  return required;
}

/** Files that are still to be read before the first write, unless a person waived them. */
export async function findUnread(node: ReadingNode): Promise<string[]> {
  const { reads, waivers } = node.visit;
  const required = await findRequiredReads(node);
  return required
    .filter(({ id, path }) => !reads.has(path) && !waivers.some(({ check }) => check === id))
    .map(({ path }) => path);
}

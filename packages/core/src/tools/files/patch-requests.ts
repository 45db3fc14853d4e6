/**
 * Sorts the patches of a call by file. A patch names its file itself, in the headers of its diff, or gets the path of the
 * call; a diff of several files is a patch of each. Pure.
 */
import type { ToolFailure } from '@crewagent/protocol/tools';
import { failure } from '../tool.ts';
import type { TextEdit } from './apply-edits.ts';
import { type FileDiff, parseDiff } from './parse-diff.ts';
import type { FilePatch } from './patch-content.ts';

export type PatchEntry = {
  readonly path?: string | undefined;
  readonly ifMatchSha256?: string | undefined;
} & (
  | { readonly operation: 'updateFrontmatter'; readonly update: Readonly<Record<string, unknown>> }
  | Extract<TextEdit, { operation: 'replace' | 'section' }>
  | { readonly operation: 'diff'; readonly diff: string }
);

export interface PatchRequest {
  readonly path: string;
  readonly ifMatchSha256: string | undefined;
  readonly patches: readonly FilePatch[];
}

/** One request for each path, in the order of their first patches. */
export function toPatchRequests(
  entries: readonly PatchEntry[],
  path: string | undefined,
): readonly PatchRequest[] | ToolFailure {
  const byPath = new Map<string, { ifMatchSha256: string | undefined; patches: FilePatch[] }>();
  for (const [index, { path: own = path, ifMatchSha256, ...entry }] of entries.entries()) {
    const filePatches =
      entry.operation === 'diff' ? toFileDiffs(entry.diff, own, index) : [{ path: own, patch: entry }];
    if ('ok' in filePatches) return filePatches;
    for (const { path: named, patch } of filePatches) {
      if (named === undefined)
        return failure(
          'TOOL_ARGS_INVALID',
          `Patch ${index + 1} does not say which file it is for; set "path".`,
        );
      const request = byPath.get(named) ?? { ifMatchSha256: undefined, patches: [] };
      byPath.set(named, request);
      request.ifMatchSha256 ??= ifMatchSha256;
      request.patches.push(patch);
    }
  }
  return [...byPath].map(([named, request]) => ({ path: named, ...request }));
}

function toFileDiffs(
  diff: string,
  path: string | undefined,
  index: number,
): { path: string | undefined; patch: FilePatch }[] | ToolFailure {
  const files = parseDiff(diff);
  const reject = (reason: string) =>
    failure('E_PATCH_FAILED', `${path === undefined ? 'Nothing' : `"${path}"`} was not changed: ${reason}.`, {
      patch: index,
    });
  if (files.length === 0)
    return reject(
      'this is not a unified diff; it needs "@@ -line,count +line,count @@" and lines with " ", "-" or "+"',
    );
  // Names in the headers do not matter where the call names the file.
  const isNamed = path !== undefined && files.length === 1;
  const odd = files.find(({ kind }) => kind === 'delete' || (kind === 'rename' && !isNamed));
  if (odd) return reject(`a patch cannot ${odd.kind} a file ("${odd.path}"); ask the user to do it`);
  return files.map((file) => ({
    path: isNamed ? path : file.path,
    patch: toPatch(file),
  }));
}

function toPatch({ kind, hunks }: FileDiff): FilePatch {
  return { operation: 'diff', hunks, ...(kind === 'create' ? { creates: true } : {}) };
}

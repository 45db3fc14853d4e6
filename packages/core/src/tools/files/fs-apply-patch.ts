/**
 * `fs.apply_patch`: edits a text file, or several; all patches are applied or none. `updateFrontmatter` of the state document has
 * fields of its own (`StateUpdate`).
 */
import { isObject } from '@crewagent/protocol/json-object';
import type { ToolFailure } from '@crewagent/protocol/tools';
import * as z from '@crewagent/protocol/zod';
import { answer, defineTool, failure, type Tool } from '../tool.ts';
import { renameKeys } from '../tool-arguments.ts';
import type { ToolCallContext } from '../tool-source.ts';
import { replaceSchema, sectionSchema } from './apply-edits.ts';
import { shortenDiff, toResultDiff } from './change-text.ts';
import type { CurrentContent } from './hidden-content.ts';
import { parseDiff } from './parse-diff.ts';
import { type FilePatch, patchContent } from './patch-content.ts';
import { answerWrite, answerWrites, isStateDocument } from './write-file.ts';
import type { WriteFacts, WriteSources } from './write-request.ts';

/** Advertised as one flat object, which models get right more often than a union. */
const toPatchSchema = (update: string) =>
  z.strictObject({
    operation: z.enum(['replace', 'diff', 'section', 'updateFrontmatter']),
    find: z.optional(z.string()).check(z.describe('Occurs exactly once, unless all.')),
    replace: z.optional(z.string()),
    all: z.optional(z.boolean()),
    diff: z.optional(z.string()).check(z.describe('Unified.')),
    heading: z.optional(z.string()).check(z.describe('"## Gaps"')),
    content: z.optional(z.string()),
    mode: z.optional(z.enum(['replace', 'append', 'insertAfter'])),
    update: z.optional(z.record(z.string(), z.unknown())).check(z.describe(update)),
  });
const textSchema = z.string().check(z.minLength(1));
const callOf = <P extends z.ZodMiniType>(patch: P) =>
  z.strictObject({ path: textSchema, patches: z.array(patch).check(z.minLength(1), z.maxLength(100)) });

const textPatchSchema = toPatchSchema('{"status":"done"}');
const anyPatchSchema = toPatchSchema('{"status":"done"}; @state/workflow.md: {"variables":{"set":{}}}');
const PATCH_FORMS =
  'expected {"operation":"replace","find","replace"}, {"operation":"section","heading","content"}, {"operation":"diff","diff"} or {"operation":"updateFrontmatter","update"}';
const updateSchema = z.strictObject({
  operation: z.literal('updateFrontmatter'),
  update: z.record(z.string(), z.unknown()),
});
const diffSchema = z.strictObject({ operation: z.literal('diff'), diff: textSchema });
/** A patch may be for another file than the others. */
const ownFile = { path: z.optional(textSchema), ifMatchSha256: z.optional(z.string()) };
const patchSchema = z.union(
  [
    z.extend(updateSchema, ownFile),
    z.extend(replaceSchema, ownFile),
    z.extend(sectionSchema, ownFile),
    z.extend(diffSchema, ownFile),
  ],
  PATCH_FORMS,
);
const schema = z.extend(callOf(patchSchema), ownFile);

export function createFsApplyPatch(sources: WriteSources): Tool {
  const isTextOnly = sources.strictState || !sources.gate;
  return defineTool({
    name: 'fs.apply_patch',
    family: 'fs',
    description: 'Changes a text file. All patches or none.',
    // A state patch is accepted by the schema even if not advertised, so that it can be rejected with advice.
    schema: () => schema,
    advertised: () => callOf(isTextOnly ? textPatchSchema : anyPatchSchema),
    advertisedName: isTextOnly ? 'fs.apply_patch, strict' : undefined,
    accept: normalizeArguments,
    async run({ path, patches, ifMatchSha256 }, call) {
      const requests = toPatchRequests(patches, path);
      if ('ok' in requests) return answer(requests);
      const [first, ...others] = await Promise.all(
        requests.map((request) => toWrite(request, call, sources)),
      );
      if (!first) throw new Error('a call has patches');
      if (others.length > 0) return answerWrites([first, ...others], sources);
      return answerWrite({ ...first, ifMatchSha256: first.ifMatchSha256 ?? ifMatchSha256 }, sources);
    },
  });
}

async function toWrite(
  { path, ifMatchSha256, patches }: PatchRequest,
  call: ToolCallContext,
  sources: WriteSources,
) {
  const { maxWriteBytes: maxBytes } = sources;
  const target = await sources.paths.target(path, call);
  const isState = sources.gate !== undefined && !('ok' in target) && isStateDocument(target);
  return {
    path,
    call,
    ifMatchSha256,
    next: (current: CurrentContent | undefined) =>
      patchContent(current, patches, { path, maxBytes, isState, signal: call.signal }),
    describe: (facts: WriteFacts) => ({
      sha256Before: facts.sha256Before,
      sha256After: facts.sha256After,
      diff: toResultDiff(facts),
    }),
    effectOf: ({ diff }: Pick<WriteFacts, 'diff'>) => ({ diff: shortenDiff(diff) }),
  };
}

/**
 * Accepts `{path, operation, …}`, `{path, patches: {…}}` and `{path, patch: {…}}` as a list of one, keys by other names, and
 * infers a missing operation from the other keys.
 */
function normalizeArguments(raw: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { path, patches, patch, ifMatchSha256, ...rest } = raw;
  const single = patch ?? (isObject(patches) ? patches : undefined);
  const list = Array.isArray(patches)
    ? patches
    : single !== undefined
      ? [single]
      : Object.keys(rest).length > 0
        ? [rest]
        : patches;
  const named = Array.isArray(list) ? list.flatMap(toEntries) : list;
  return { path, patches: named, ifMatchSha256 };
}

/** The patches of `{path, patch: {…}}` and `{path, patches: […]}` get that path. */
function toEntries(entry: unknown): unknown[] {
  if (typeof entry !== 'object' || entry === null) return [entry];
  const { patch, patches, ...fields } = entry as Record<string, unknown>;
  const inner: readonly unknown[] | undefined = Array.isArray(patches)
    ? patches
    : patch === undefined
      ? undefined
      : [patch];
  if (!inner) return [withOperation(fields)];
  return inner.map((one) => (isObject(one) ? { ...fields, ...withOperation(one) } : one));
}

function withOperation(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields = renameKeys(given, anyPatchSchema.shape);
  return { ...operationOf(fields), ...fields };
}

function operationOf(fields: Readonly<Record<string, unknown>>): { operation?: string } {
  if ('operation' in fields) return {};
  if ('update' in fields) return { operation: 'updateFrontmatter' };
  if ('diff' in fields) return { operation: 'diff' };
  if ('heading' in fields) return { operation: 'section' };
  return 'find' in fields ? { operation: 'replace' } : {};
}

interface PatchRequest {
  readonly path: string;
  readonly ifMatchSha256: string | undefined;
  readonly patches: readonly FilePatch[];
}

/**
 * One request for each path, in the order of their first patches. A patch names its file itself, in the headers of its diff, or gets
 * the path of the call; a diff of several files is a patch of each.
 */
function toPatchRequests(
  entries: z.infer<typeof schema>['patches'],
  path: string | undefined,
): readonly PatchRequest[] | ToolFailure {
  const byPath = new Map<string, { ifMatchSha256: string | undefined; patches: FilePatch[] }>();
  for (const [index, { path: own = path, ifMatchSha256, ...entry }] of entries.entries()) {
    const filePatches =
      entry.operation === 'diff' ? toFileDiffs(entry.diff, own, index) : [{ path: own, patch: entry }];
    if ('ok' in filePatches) return filePatches;
    for (const { path: named, patch } of filePatches) {
      const unnamed = `Patch ${index + 1} does not say which file it is for; set "path".`;
      if (named === undefined) return failure('TOOL_ARGS_INVALID', unnamed);
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
    patch: { operation: 'diff', hunks: file.hunks, creates: file.kind === 'create' },
  }));
}

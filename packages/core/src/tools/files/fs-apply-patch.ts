/**
 * `fs.apply_patch`: edits a text file, or several; all patches are applied or none. `updateFrontmatter` of the state document has
 * fields of its own (`StateUpdate`).
 */
import { isObject } from '@crewagent/protocol/json-object';
import * as z from '@crewagent/protocol/zod';
import { renameKeys } from '../coerce-arguments.ts';
import { answer, defineTool, type Tool } from '../tool.ts';
import type { ToolCallContext } from '../tool-source.ts';
import { replaceSchema } from './apply-edits.ts';
import { sectionSchema } from './apply-section.ts';
import { shortenDiff, toResultDiff } from './change-text.ts';
import type { CurrentContent } from './hidden-content.ts';
import { patchContent } from './patch-content.ts';
import { type PatchRequest, toPatchRequests } from './patch-requests.ts';
import { answerWrite, isStateDocument } from './write-file.ts';
import { answerWrites } from './write-files.ts';
import type { WriteFacts, WriteSources } from './write-request.ts';

const updateSchema = z.strictObject({
  operation: z.literal('updateFrontmatter'),
  update: z.record(z.string(), z.unknown()),
});

/** Advertised as one flat object, which models get right more often than a union. */
const advertisedTextShape = {
  find: z.optional(z.string()).check(z.describe('Occurs exactly once, unless all.')),
  replace: z.optional(z.string()),
  all: z.optional(z.boolean()),
  diff: z.optional(z.string()).check(z.describe('Unified.')),
  heading: z.optional(z.string()).check(z.describe('"## Gaps"')),
  content: z.optional(z.string()),
  mode: z.optional(z.enum(['replace', 'append', 'insertAfter'])),
};
const operationSchema = z.enum(['replace', 'diff', 'section', 'updateFrontmatter']);
const updateOf = (text: string) => z.optional(z.record(z.string(), z.unknown())).check(z.describe(text));
const advertisedTextSchema = z.strictObject({
  operation: operationSchema,
  ...advertisedTextShape,
  update: updateOf('{"status":"done"}'),
});
const advertisedAnySchema = z.strictObject({
  operation: operationSchema,
  ...advertisedTextShape,
  update: updateOf('{"status":"done"}; @state/workflow.md: {"variables":{"set":{"name":"value"}}}'),
});

const patchesOf = <P extends z.ZodMiniType>(patch: P) =>
  z.strictObject({
    path: z.string().check(z.minLength(1)),
    patches: z.array(patch).check(z.minLength(1), z.maxLength(100)),
    ifMatchSha256: z.optional(z.string()).check(z.describe('Fail unless the file still has this hash.')),
  });

const advertisedTexts = z.omit(patchesOf(advertisedTextSchema), { ifMatchSha256: true });
const diffSchema = z.strictObject({
  operation: z.literal('diff'),
  diff: z.string().check(z.minLength(1), z.describe('A unified diff.')),
});
const PATCH_FORMS =
  'expected {"operation":"replace","find","replace"}, {"operation":"section","heading","content"}, {"operation":"diff","diff"} or {"operation":"updateFrontmatter","update"}';
/** A patch may be for another file than the others. */
const ownFile = { path: z.optional(z.string().check(z.minLength(1))), ifMatchSha256: z.optional(z.string()) };
const schema = z.extend(
  patchesOf(
    z.union(
      [
        z.extend(updateSchema, ownFile),
        z.extend(replaceSchema, ownFile),
        z.extend(sectionSchema, ownFile),
        z.extend(diffSchema, ownFile),
      ],
      PATCH_FORMS,
    ),
  ),
  { path: z.optional(z.string().check(z.minLength(1))) },
);
const advertisedAny = z.omit(patchesOf(advertisedAnySchema), { ifMatchSha256: true });

export function createFsApplyPatch(sources: WriteSources): Tool {
  const isTextOnly = sources.strictState || !sources.gate;
  return defineTool({
    name: 'fs.apply_patch',
    family: 'fs',
    description: 'Changes a text file. All patches or none.',
    // A state patch is accepted by the schema even if not advertised, so that it can be rejected with advice.
    schema,
    ...(isTextOnly
      ? { advertised: advertisedTexts, advertisedName: 'fs.apply_patch, strict' }
      : { advertised: advertisedAny }),
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
  const hash = ifMatchSha256 === undefined ? {} : { ifMatchSha256 };
  return { path, patches: named, ...hash };
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
  const fields = renameKeys(given, advertisedAnySchema.shape);
  return { ...operationOf(fields), ...fields };
}

function operationOf(fields: Readonly<Record<string, unknown>>): { operation?: string } {
  if ('operation' in fields) return {};
  if ('update' in fields) return { operation: 'updateFrontmatter' };
  if ('diff' in fields) return { operation: 'diff' };
  if ('heading' in fields) return { operation: 'section' };
  return 'find' in fields ? { operation: 'replace' } : {};
}

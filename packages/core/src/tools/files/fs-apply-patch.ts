/**
 * `fs.apply_patch`: edits a text file; all patches are applied or none. `updateFrontmatter` works on the state document
 * only.
 */
import { setImmediate } from 'node:timers/promises';
import type { ToolFailure } from '@crewagent/protocol/tools';
import { stateUpdateSchema } from '@crewagent/protocol/workflow';
import * as z from '@crewagent/protocol/zod';
import { updateStateText } from '../../workflow/update-state.ts';
import { defineTool, failure, type Tool } from '../tool.ts';
import { applyEdit, textEditSchemas } from './apply-edits.ts';
import { shortenDiff, toResultDiff } from './change-text.ts';
import { decodeText, encodeText } from './text-file.ts';
import { answerWrite } from './write-file.ts';
import type { CurrentContent, WriteSources } from './write-request.ts';

const updateSchema = z.strictObject({
  operation: z.literal('updateFrontmatter').check(z.describe('For @state/workflow.md.')),
  update: stateUpdateSchema,
});

/** Advertised as one flat object, which models get right more often than a union of three. */
const advertisedTextShape = {
  find: z.optional(z.string()).check(z.describe('replace: occurs in the file exactly once (or set all).')),
  replace: z.optional(z.string()),
  all: z.optional(z.boolean()),
  diff: z.optional(z.string()).check(z.describe('A unified diff.')),
};
const advertisedTextSchema = z.strictObject({
  operation: z.enum(['replace', 'diff']),
  ...advertisedTextShape,
});
const advertisedAnySchema = z.strictObject({
  operation: z.enum(['replace', 'diff', 'updateFrontmatter']),
  ...advertisedTextShape,
  update: z
    .optional(z.record(z.string(), z.unknown()))
    .check(z.describe('For @state/workflow.md: {"variables":{"set":{"name":"value"}}}')),
});

const patchesOf = <P extends z.ZodMiniType>(patch: P) =>
  z.strictObject({
    path: z.string().check(z.minLength(1)),
    patches: z.array(patch).check(z.minLength(1), z.maxLength(100)),
    ifMatchSha256: z.optional(z.string()).check(z.describe('Fail unless the file still has this hash.')),
  });

const advertisedTexts = z.omit(patchesOf(advertisedTextSchema), { ifMatchSha256: true });
const schema = patchesOf(z.union([updateSchema, ...textEditSchemas]));
const advertisedAny = z.omit(patchesOf(advertisedAnySchema), { ifMatchSha256: true });

type Arguments = z.infer<typeof schema>;

/** The state document has its own limit, which may be larger than `maxWriteBytes`. */
const MIN_CHAR_LIMIT = 1024 * 1024;

export function createFsApplyPatch(sources: WriteSources): Tool {
  const isTextOnly = sources.strictState || !sources.gate;
  return defineTool({
    name: 'fs.apply_patch',
    family: 'fs',
    description: isTextOnly
      ? 'Changes a text file: "replace" a passage or apply a unified "diff". All patches or none.'
      : 'Changes a text file: "replace" a passage, apply a unified "diff", or "updateFrontmatter" of @state/workflow.md. All patches or none.',
    // A state patch is accepted by the schema even if not advertised, so that it can be rejected with advice.
    schema,
    ...(isTextOnly
      ? { advertised: advertisedTexts, advertisedName: 'fs.apply_patch, strict' }
      : { advertised: advertisedAny }),
    accept: normalizeArguments,
    run: (args, call) =>
      answerWrite(
        {
          path: args.path,
          call,
          ifMatchSha256: args.ifMatchSha256,
          next: (current) =>
            patchedContent(current, args, { maxBytes: sources.maxWriteBytes, signal: call.signal }),
          describe: (facts) => ({
            sha256Before: facts.sha256Before,
            sha256After: facts.sha256After,
            diff: toResultDiff(facts),
          }),
          effectOf: ({ diff }) => ({ diff: shortenDiff(diff) }),
        },
        sources,
      ),
  });
}

const LARGE_CHARS = 262_144;

async function patchedContent(
  current: CurrentContent | undefined,
  { path, patches }: Arguments,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<Buffer | ToolFailure> {
  if (!current) return failure('ENOENT', `There is no file "${path}" to patch; create it with fs.write.`);
  const decoded = decodeText(current.bytes);
  if (!decoded) return failure('TOOL_ARGS_INVALID', `"${path}" is not a text file and cannot be patched.`);
  let { text } = decoded;
  for (const [index, patch] of patches.entries()) {
    // Patches of a large file are slow: yield between patches so that an abort takes effect.
    if (index > 0 && text.length > LARGE_CHARS) await setImmediate();
    signal.throwIfAborted();
    const suffix = patches.length === 1 ? '' : ` (patch ${index + 1} of ${patches.length}; none was applied)`;
    if (patch.operation === 'updateFrontmatter') {
      const updated = await updateStateText(text, patch.update);
      if (!updated.ok)
        return failure(updated.error.code, `"${path}" was not changed${suffix}: ${updated.error.message}`);
      text = updated.text;
      continue;
    }
    const edited = await applyEdit(text, patch, Math.max(maxBytes, text.length, MIN_CHAR_LIMIT));
    if (!edited.ok)
      return failure('E_PATCH_FAILED', `"${path}" was not changed: ${edited.reason}${suffix}.`, {
        patch: index,
      });
    text = edited.text;
  }
  return encodeText(text, decoded.encoding) ?? Buffer.from(text, 'utf8');
}

/**
 * Accepts `{path, operation, …}` and `{path, patch: {…}}` as a list of one, and infers a missing operation from the
 * other keys.
 */
function normalizeArguments(raw: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { path, patches, patch, ifMatchSha256, ...rest } = raw;
  const list = Array.isArray(patches)
    ? patches
    : patch !== undefined
      ? [patch]
      : Object.keys(rest).length > 0
        ? [rest]
        : patches;
  let hash = ifMatchSha256;
  const named = Array.isArray(list)
    ? list.map((entry: unknown) => {
        if (typeof entry !== 'object' || entry === null) return entry;
        const { ifMatchSha256: inner, ...fields } = entry as Record<string, unknown>;
        hash ??= inner;
        return { ...operationOf(fields), ...fields };
      })
    : list;
  return { path, patches: named, ...(hash === undefined ? {} : { ifMatchSha256: hash }) };
}

function operationOf(fields: Readonly<Record<string, unknown>>): { operation?: string } {
  if ('operation' in fields) return {};
  if ('update' in fields) return { operation: 'updateFrontmatter' };
  if ('diff' in fields) return { operation: 'diff' };
  return 'find' in fields ? { operation: 'replace' } : {};
}

/**
 * `fs.apply_patch`: edits to a text file, all or none. The state document also takes `updateFrontmatter`.
 */
import { setImmediate } from 'node:timers/promises';
import type { ToolFailure } from '@crewagent/protocol/tools';
import { stateUpdateSchema } from '@crewagent/protocol/workflow';
import * as z from '@crewagent/protocol/zod';
import { updateStateText } from '../workflow/update-state.ts';
import { applyEdit, textEditSchemas } from './apply-edits.ts';
import { decodeText, encodeText } from './text-file.ts';
import { defineTool, failure, type Tool } from './tool.ts';
import { answerWrite, type CurrentFile, type WriteSources } from './write-file.ts';

const updateSchema = z.strictObject({
  operation: z.literal('updateFrontmatter').describe('For @state/workflow.md.'),
  update: stateUpdateSchema,
});

/** As a model is told: one flat form is easier to get right than a choice of three. */
const advertisedTextShape = {
  find: z.string().optional().describe('replace: stands in the file exactly once (or use all).'),
  replace: z.string().optional(),
  all: z.boolean().optional(),
  diff: z.string().optional().describe('A unified diff.'),
};
const advertisedTextSchema = z.strictObject({
  operation: z.enum(['replace', 'diff']),
  ...advertisedTextShape,
});
const advertisedAnySchema = z.strictObject({
  operation: z.enum(['replace', 'diff', 'updateFrontmatter']),
  ...advertisedTextShape,
  update: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Of @state/workflow.md, e.g. {"variables":{"set":{"name":"value"}}}'),
});

const patchesOf = <P extends z.ZodType>(patch: P) =>
  z.strictObject({
    path: z.string().min(1),
    patches: z.array(patch).min(1).max(100),
    ifMatchSha256: z.string().optional().describe('Refuse unless the file still has this hash.'),
  });

const advertisedTexts = patchesOf(advertisedTextSchema);
const schema = patchesOf(z.union([updateSchema, ...textEditSchemas]));
const advertisedAny = patchesOf(advertisedAnySchema);

type Arguments = z.infer<typeof schema>;

const SHORT_DIFF_CHARS = 4_000;
/** The state document has a limit of its own, which may be the larger one. */
const MIN_ROOM = 1024 * 1024;

export function createFsApplyPatch(sources: WriteSources): Tool {
  const isForTexts = sources.strictState || !sources.gate;
  return defineTool({
    name: 'fs.apply_patch',
    family: 'fs',
    description: isForTexts
      ? 'Changes a text file: "replace" a passage or apply a unified "diff". All patches or none.'
      : 'Changes a text file: "replace" a passage, apply a unified "diff", or "updateFrontmatter" of @state/workflow.md. All patches or none.',
    // Where it is not for the state document, a state patch is understood, to be refused with advice, but not advertised.
    schema,
    ...(isForTexts
      ? { advertised: advertisedTexts, advertisedName: 'fs.apply_patch, strict' }
      : { advertised: advertisedAny }),
    accept: acceptOtherForms,
    run: (args, call) =>
      answerWrite(
        {
          path: args.path,
          call,
          ifMatchSha256: args.ifMatchSha256,
          next: (current) =>
            patchedContent(current, args, { maxBytes: sources.maxWriteBytes, signal: call.signal }),
          describe: ({ sha256Before, sha256After, diff }) => ({
            sha256Before,
            sha256After,
            diff: shorten(diff),
          }),
          effectOf: ({ diff }) => ({ diff: shorten(diff) }),
        },
        sources,
      ),
  });
}

function shorten(diff: string): string {
  return diff.length > SHORT_DIFF_CHARS ? `${diff.slice(0, SHORT_DIFF_CHARS)}\n…` : diff;
}

const LARGE_CHARS = 262_144;

async function patchedContent(
  current: CurrentFile | undefined,
  { path, patches }: Arguments,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<Buffer | ToolFailure> {
  if (!current) return failure('ENOENT', `There is no file "${path}" to patch; create it with fs.write.`);
  const decoded = decodeText(current.bytes);
  if (!decoded) return failure('TOOL_ARGS_INVALID', `"${path}" is not a text file and cannot be patched.`);
  let { text } = decoded;
  for (const [index, patch] of patches.entries()) {
    // Patches of a large file take their time; between two of them a stop is heard.
    if (index > 0 && text.length > LARGE_CHARS) await setImmediate();
    signal.throwIfAborted();
    const place = patches.length === 1 ? '' : ` (patch ${index + 1} of ${patches.length}; none was applied)`;
    if (patch.operation === 'updateFrontmatter') {
      const updated = await updateStateText(text, patch.update);
      if (!updated.ok)
        return failure(updated.error.code, `"${path}" was not changed${place}: ${updated.error.message}`);
      text = updated.text;
      continue;
    }
    const edited = await applyEdit(text, patch, Math.max(maxBytes, text.length, MIN_ROOM));
    if (!edited.ok)
      return failure('E_PATCH_FAILED', `"${path}" was not changed: ${edited.reason}${place}.`, {
        patch: index,
      });
    text = edited.text;
  }
  return encodeText(text, decoded.encoding) ?? Buffer.from(text, 'utf8');
}

/** `{path, operation, …}` and `{path, patch: {…}}` mean a list of one; a missing operation follows from the other keys. */
function acceptOtherForms(raw: Readonly<Record<string, unknown>>): Record<string, unknown> {
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

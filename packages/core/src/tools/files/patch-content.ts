/**
 * The content of a file after all patches of a call, or the failure that tells the model which patch cannot be applied
 * and why.
 */
import type { ToolFailure } from '@crewagent/protocol/tools';
import { stateUpdateSchema } from '@crewagent/protocol/workflow';
import { frontmatterLength, updateFrontmatter } from '../../workflow/update-frontmatter.ts';
import { updateStateText } from '../../workflow/update-state.ts';
import { failure } from '../tool.ts';
import type { ToolJobs } from '../worker/jobs.ts';
import { toolThread } from '../worker/tool-worker.ts';
import { applyEdits, type EditsResult, type TextEdit } from './apply-edits.ts';
import { unencodableReason } from './apply-hunks.ts';
import type { CurrentContent } from './hidden-content.ts';
import { decodeText, encodeText, newlineOf } from './text-file.ts';
import { decodeUnits, encodeUnits, toBytes, toTextUnits } from './text-units.ts';

export type FilePatch =
  | { readonly operation: 'updateFrontmatter'; readonly update: Readonly<Record<string, unknown>> }
  /** `creates`: the diff is of a file that does not exist yet. */
  | (TextEdit & { readonly creates?: boolean });

interface PatchOptions {
  /** As the model wrote it. */
  readonly path: string;
  readonly maxBytes: number;
  /** The file is the state document, whose fields have updates of their own. */
  readonly isState: boolean;
  readonly signal: AbortSignal;
}

export async function patchContent(
  current: CurrentContent | undefined,
  patches: readonly FilePatch[],
  { path, maxBytes, isState, signal }: PatchOptions,
): Promise<Buffer | ToolFailure> {
  const creates = patches.some((patch) => 'creates' in patch && patch.creates);
  if (!current && !creates)
    return failure('ENOENT', `There is no file "${path}" to patch; create it with fs.write.`);
  if (current && creates && current.bytes.length > 0)
    return failure(
      'E_PATCH_FAILED',
      `"${path}" was not changed: the diff creates it, but it exists already.`,
    );
  let bytes = current?.bytes ?? Buffer.alloc(0);
  for (const { first, batch } of toBatches(patches)) {
    signal.throwIfAborted();
    const [update] = batch;
    if (update?.operation === 'updateFrontmatter') {
      const updated = await (isState ? updateState : setFrontmatter)(bytes, update.update);
      if (!('error' in updated)) {
        bytes = updated;
        continue;
      }
      const { code, message } = updated.error;
      return failure(code, `"${path}" was not changed${whichOf(patches, first)}: ${message}`);
    }
    const edited = await edit({ bytes, edits: batch as readonly TextEdit[], maxBytes }, signal);
    if (!edited.ok) {
      const patch = first + (edited.edit ?? 0);
      const message = `"${path}" was not changed: ${edited.reason}${whichOf(patches, patch)}.`;
      return failure(edited.edit === undefined ? 'TOOL_ARGS_INVALID' : 'E_PATCH_FAILED', message, { patch });
    }
    bytes = Buffer.from(edited.bytes.buffer, edited.bytes.byteOffset, edited.bytes.byteLength);
  }
  return bytes;
}

/** Takes some milliseconds inline. */
const MAX_INLINE_BYTES = 256 * 1024;

async function edit(job: ToolJobs['patch'], signal: AbortSignal): Promise<EditsResult> {
  const { bytes, edits, maxBytes } = job;
  const size = edits.reduce((sum, edit) => sum + sizeOf(edit), bytes.length * edits.length);
  if (size <= MAX_INLINE_BYTES) return applyEdits(bytes, edits, maxBytes);
  return toolThread.run('patch', job, signal);
}

function sizeOf(edit: TextEdit): number {
  if (edit.operation === 'replace') return edit.find.length + edit.replace.length;
  if (edit.operation === 'section') return edit.content.length;
  return edit.hunks.reduce(
    (sum, { lines }) => sum + lines.reduce((chars, { text }) => chars + text.length + 1, 0),
    0,
  );
}

/** Consecutive text edits are applied at once; an update of the frontmatter is a batch of its own. */
function toBatches(patches: readonly FilePatch[]): { first: number; batch: FilePatch[] }[] {
  const batches: { first: number; batch: FilePatch[] }[] = [];
  for (const [first, patch] of patches.entries()) {
    const last = batches.at(-1);
    const isText = patch.operation !== 'updateFrontmatter';
    if (isText && last && last.batch[0]?.operation !== 'updateFrontmatter') last.batch.push(patch);
    else batches.push({ first, batch: [patch] });
  }
  return batches;
}

async function updateState(
  bytes: Buffer,
  fields: Readonly<Record<string, unknown>>,
): Promise<Buffer | ToolFailure> {
  const update = stateUpdateSchema.safeParse(fields);
  if (!update.success) {
    const [issue] = update.error.issues;
    const field = ['update', ...(issue?.path ?? [])].map(String).join('.');
    return failure('TOOL_ARGS_INVALID', `${field.slice(0, 200)}: ${issue?.message.slice(0, 200) ?? ''}.`);
  }
  const decoded = decodeText(bytes);
  const isWhole = decoded && encodeText(decoded.text, decoded.encoding)?.equals(bytes);
  if (!isWhole) return failure('E_PATCH_FAILED', 'its text is damaged or not UTF-8; use "replace" instead.');
  const updated = await updateStateText(decoded.text, update.data);
  if (!updated.ok) return { ok: false, error: updated.error };
  return encodeText(updated.text, decoded.encoding) ?? Buffer.from(updated.text, 'utf8');
}

function whichOf({ length }: readonly FilePatch[], index: number): string {
  return length === 1 ? '' : ` (patch ${index + 1} of ${length}; none was applied)`;
}

/** Only the frontmatter is decoded: every other byte stays. `fields`: see `updateFrontmatter`. The message of a failure completes "…was not changed:". */
export async function setFrontmatter(
  bytes: Buffer,
  fields: Readonly<Record<string, unknown>>,
): Promise<Buffer | ToolFailure> {
  const file = toTextUnits(bytes);
  if (!file) return reject('it is not a text file');
  const { units, encoding } = file;
  const end = frontmatterLength(units);
  const head = units.slice(0, end);
  const text = decodeUnits(head, encoding);
  const same = encodeUnits(text, encoding);
  if (!same.ok || same.units !== head) return reject('its frontmatter is damaged; use "replace" instead');
  const updated = await updateFrontmatter(text, fields, newlineOf(units) ?? '\n');
  if (!updated.ok) return reject(`it ${updated.reason}`);
  const encoded = encodeUnits(updated.text, encoding);
  if (!encoded.ok) return reject(unencodableReason(encoded.character, encoding));
  return toBytes({ ...file, units: encoded.units + units.slice(end) });
}

function reject(reason: string): ToolFailure {
  return failure('E_PATCH_FAILED', `${reason}.`);
}

/**
 * Sets fields in the frontmatter of a document, of whatever encoding. Only the frontmatter is decoded: every other byte stays.
 */
import type { ToolFailure } from '@crewagent/protocol/tools';
import { frontmatterLength, updateFrontmatter } from '../../workflow/update-frontmatter.ts';
import { failure } from '../tool.ts';
import { unencodableReason } from './apply-hunks.ts';
import { newlineOf } from './text-file.ts';
import { decodeUnits, encodeUnits, toBytes, toTextUnits } from './text-units.ts';

/** `fields`: see `updateFrontmatter`. The message of a failure completes "…was not changed:". */
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

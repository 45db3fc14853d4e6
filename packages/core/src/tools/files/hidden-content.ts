/**
 * Changes to files that contain hidden values: a tool edits the text that the model was shown, and the values return to
 * their places before anything is written. A marker whose value is not in the file is rejected, because the value would be
 * lost.
 */
import type { ToolFailure } from '@crewagent/protocol/tools';
import { hasHiddenMarker, maskSecrets, restoreHidden } from '../../mounts/sensitive/hidden-values.ts';
import { failure } from '../tool.ts';
import { decodeText, encodeText } from './text-file.ts';

export interface CurrentContent {
  readonly bytes: Buffer;
  readonly sha256: string;
}

/** New content of a file; `current` is undefined if there is no file. */
export type NextContent = (
  current: CurrentContent | undefined,
) => Buffer | ToolFailure | Promise<Buffer | ToolFailure>;

/** Larger files are edited as they are. */
const MAX_BYTES = 4 * 1024 * 1024;

/** What `next` makes of the file, with the hidden values of the file. */
export async function nextContent(
  next: NextContent,
  current: CurrentContent | undefined,
  displayPath: string,
): Promise<Buffer | ToolFailure> {
  const shown = current && maskBytes(current.bytes);
  if (!current || shown === current.bytes) return restore(await next(current), current, displayPath);
  const edited = await next({ ...current, bytes: shown ?? current.bytes });
  // The model may know the value itself, from the user.
  const written = Buffer.isBuffer(edited) ? edited : await next(current);
  return Buffer.isBuffer(written) ? restore(written, current, displayPath) : edited;
}

/** The content as the model sees it; the same bytes if nothing is hidden. */
export function maskBytes(bytes: Buffer): Buffer {
  if (bytes.length > MAX_BYTES) return bytes;
  const decoded = decodeText(bytes);
  if (!decoded) return bytes;
  const masked = maskSecrets(decoded.text);
  return (masked === decoded.text ? undefined : encodeText(masked, decoded.encoding)) ?? bytes;
}

function restore(
  next: Buffer | ToolFailure,
  current: CurrentContent | undefined,
  displayPath: string,
): Buffer | ToolFailure {
  if (!Buffer.isBuffer(next)) return next;
  const decoded = decodeText(next);
  if (!decoded || !hasHiddenMarker(decoded.text)) return next;
  const before = (current && decodeText(current.bytes)?.text) ?? '';
  const restored = restoreHidden(decoded.text, before);
  if (restored === undefined) return lostValue(displayPath);
  return restored === decoded.text
    ? next
    : (encodeText(restored, decoded.encoding) ?? lostValue(displayPath));
}

function lostValue(displayPath: string): ToolFailure {
  return failure(
    'TOOL_ARGS_INVALID',
    `The content has a marker "[hidden: …]" whose value is not in "${displayPath}", so nothing was written: the value would be lost. Change the file around it with fs.apply_patch, leave the marker out, or ask the user to fill in the value.`,
  );
}

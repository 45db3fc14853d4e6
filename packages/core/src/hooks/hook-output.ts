/** What a hook answered. Its output is untrusted: anything but the expected JSON is a failure, and texts are bounded. Pure. */
import { isObject } from '@crewagent/protocol/json-object';
import { toPlainText } from '@crewagent/protocol/plain-text';

export type HookEnd =
  | { readonly ok: true; readonly deny?: string | undefined; readonly message?: string | undefined }
  | { readonly ok: false; readonly error: string };

export const MAX_OUTPUT_BYTES = 65_536;
const MAX_CHARS = 1_000;

/** Nothing, or `{"deny"?: "reason", "message"?: "text"}`. */
export function parseHookOutput(output: string): HookEnd {
  const text = output.trim();
  if (text === '') return { ok: true };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, error: 'its output is not JSON' };
  }
  if (!isObject(value)) return { ok: false, error: 'its output is not a JSON object' };
  const { deny, message } = value;
  const isText = (field: unknown): boolean => field === undefined || typeof field === 'string';
  if (!isText(message)) return { ok: false, error: '"message" of its output is not a text' };
  if (!isText(deny) && typeof deny !== 'boolean')
    return { ok: false, error: '"deny" of its output is not a text' };
  return {
    ok: true,
    deny: deny === undefined || deny === false ? undefined : toShown(deny) || 'it gave no reason',
    message: toShown(message) || undefined,
  };
}

/** One bounded line. */
export function toShown(text: unknown): string {
  return typeof text === 'string' ? toPlainText(text.slice(0, MAX_CHARS)).replace(/\s+/g, ' ').trim() : '';
}

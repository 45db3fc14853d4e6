/**
 * Summarises JSON, and locates what makes it invalid. Pure.
 */
import { broken, type DataSummary, summarized } from './data-summary.ts';
import { describeValue } from './value-shape.ts';

export function summariseJson(text: string): DataSummary {
  try {
    return summarized(describeValue(JSON.parse(text)));
  } catch {
    const offset = findInvalid(text);
    return broken(text, offset, offset < text.length ? 'this is not expected here' : 'it ends too early');
  }
}

/** Offset of the first character that no valid JSON has there; the length of a text that only ends too early. */
function findInvalid(text: string): number {
  let valid = 0;
  let invalid = text.length + 1;
  while (invalid - valid > 1) {
    const middle = Math.floor((valid + invalid) / 2);
    if (isBeginning(text.slice(0, middle))) valid = middle;
    else invalid = middle;
  }
  return valid;
}

/** `JSON.parse` reports the first error: of a text that only lacks its end, that is its end. */
function isBeginning(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const { message } = error as SyntaxError;
    const [, position] = /at position (\d+)/.exec(message) ?? [];
    return position === undefined ? message.includes('end of JSON') : Number(position) >= text.length;
  }
}

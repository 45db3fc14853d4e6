/**
 * Looking into JSON that a provider wrote: nothing about its shape is taken for granted. Pure.
 */
export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text, or the empty one for anything else. */
export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A count of something, or undefined for what cannot be one. */
export function countIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.trunc(value) : undefined;
}

/** `JSON.parse` manages any depth, `JSON.stringify` does not; what is kept to be sent back must be shallow. */
export function isShallow(value: unknown, levels = 100): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((part) => isShallow(part, levels - 1));
}

/** Whether a text is JSON from its first to its last character. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The object a JSON text stands for; undefined for anything else. */
export function parseObject(text: string): JsonRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reads JSON from providers without assumptions about its shape. Pure.
 */

export type JsonRecord = Readonly<Record<string, unknown>>;

/** The string, or an empty string for any other value. */
export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A non-negative integer, or undefined for any other value. */
export function countIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.trunc(value) : undefined;
}

/** `JSON.parse` accepts any depth, `JSON.stringify` does not; values that are sent back must be shallow. */
export function isShallow(value: unknown, levels = 100): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((part) => isShallow(part, levels - 1));
}

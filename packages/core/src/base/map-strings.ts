/** Applies a function to all strings in a value. */

/** The value with every string replaced; the same value if none changes. */
export function mapStrings<T>(value: T, change: (text: string) => string): T;
export function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const before: readonly unknown[] = value;
    const items = before.map((item) => mapStrings(item, change));
    return items.every((item, at) => item === before[at]) ? before : items;
  }
  const entries = Object.entries(value);
  const hidden = entries.map(([name, field]) => [name, mapStrings(field, change)] as const);
  return hidden.every(([, field], at) => field === entries[at]?.[1]) ? value : Object.fromEntries(hidden);
}

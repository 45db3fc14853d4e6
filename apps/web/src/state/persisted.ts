/**
 * Merges values from browser storage, which another version of the page or the user may have written. Valid fields are used,
 * the rest is dropped. Pure.
 */
import * as z from '@crewagent/protocol/zod';

/** `merge` option of a persisted store. */
export function mergePersisted<Persisted>(schema: z.ZodMiniType<Persisted>) {
  return <State extends Readonly<Persisted>>(stored: unknown, first: State): State => {
    const { success, data } = schema.safeParse(stored);
    return success ? { ...first, ...data } : first;
  };
}

/** Keeps the valid entries. */
export function persistedRecord<Value>(schema: z.ZodMiniType<Value>) {
  return z.pipe(
    z.catch(z.record(z.string(), z.unknown()), {}),
    z.transform(
      (entries): Record<string, Value> =>
        Object.fromEntries(Object.entries(entries).flatMap(([key, value]) => parseEntry(schema, value, key))),
    ),
  );
}

function parseEntry<Value>(schema: z.ZodMiniType<Value>, value: unknown, key: string): [string, Value][] {
  const { success, data } = schema.safeParse(value);
  return success ? [[key, data]] : [];
}

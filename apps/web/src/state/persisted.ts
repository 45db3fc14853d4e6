/**
 * What this browser kept from another day: written by another version of the page, or by hand. It is taken as far as it fits;
 * the rest is dropped. Pure.
 */
import * as z from '@crewagent/protocol/zod';

/** How a store that is kept takes up what was. */
export function mergePersisted<Kept>(schema: z.ZodType<Kept>) {
  return <State extends Readonly<Kept>>(kept: unknown, first: State): State => {
    const { success, data } = schema.safeParse(kept);
    return success ? { ...first, ...data } : first;
  };
}

/** The entries that fit. */
export function persistedRecord<Value>(schema: z.ZodType<Value>) {
  return z
    .record(z.string(), z.unknown())
    .catch({})
    .transform(
      (entries): Record<string, Value> =>
        Object.fromEntries(
          Object.entries(entries).flatMap(([key, value]) => keepFitting(schema, value, key)),
        ),
    );
}

function keepFitting<Value>(schema: z.ZodType<Value>, value: unknown, key: string): [string, Value][] {
  const { success, data } = schema.safeParse(value);
  return success ? [[key, data]] : [];
}

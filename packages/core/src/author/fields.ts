/** Fields of a document as its author wrote them. Pure. */
export type Fields = Readonly<Record<string, unknown>>;

/** A copy with new fields; null removes one, undefined leaves it. */
export function withFields(fields: Fields, changes: Fields): Fields {
  const changed = Object.entries(changes).filter(([, value]) => value !== undefined);
  const after = { ...fields, ...Object.fromEntries(changed) };
  return Object.fromEntries(
    Object.entries(after).filter(([key, value]) => value !== null || changes[key] !== null),
  );
}

/** Texts of a field, by its path in the schema: its label, and what else is said of it. Pure. */
import type { TFunction } from 'i18next';

type Values = Readonly<Record<string, string>>;

/** Undefined if there is no such text. */
export function fieldText(t: TFunction, path: string, name: string, values: Values = {}): string | undefined {
  const plain = t as (key: string, options: object) => string;
  return plain(`fields.${path}.${name}`, { ...values, defaultValue: '' }) || undefined;
}

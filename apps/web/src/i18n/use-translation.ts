/**
 * Translated texts for components. Only a subscription to the language: the rows of a long timeline mount by the hundred, and
 * each uses it.
 */
import type { i18n as I18n, TFunction } from 'i18next';
import { useSyncExternalStore } from 'react';
import { i18n } from './i18n.ts';

export interface Translation {
  /** Changes its identity with the language. */
  readonly t: TFunction;
  readonly i18n: I18n;
}

let { translation: current, forget } = toTranslation();
i18n.on('languageChanged', () => {
  ({ translation: current, forget } = toTranslation());
});
// Some texts are loaded with what shows them.
i18n.store.on('added', () => forget());

export function useTranslation(): Translation {
  return useSyncExternalStore(subscribe, () => current);
}

/** Most texts have no values: they are kept, because each row that mounts looks up a dozen. */
function toTranslation(): { readonly translation: Translation; readonly forget: () => void } {
  const fixed = i18n.getFixedT(i18n.language);
  const kept = new Map<string, string>();
  const translate = (...args: Parameters<TFunction>): string => fixed(...args);
  const t = (...args: Parameters<TFunction>): string => {
    const [key, ...values] = args;
    if (typeof key !== 'string' || values.length > 0) return translate(...args);
    const text = kept.get(key) ?? translate(...args);
    kept.set(key, text);
    return text;
  };
  return { translation: { t: t as TFunction, i18n }, forget: () => kept.clear() };
}

function subscribe(listener: () => void): () => void {
  i18n.on('languageChanged', listener);
  return () => i18n.off('languageChanged', listener);
}

/** A text of a field, by its path in the schema: its label, or what else is said of it. Undefined if there is no such text. */
export function fieldText(t: TFunction, path: string, name: string, values?: object): string | undefined {
  const plain = t as (key: string, options: object) => string;
  return plain(`fields.${path}.${name}`, { ...values, defaultValue: '' }) || undefined;
}

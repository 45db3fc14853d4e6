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

let current = toTranslation();
i18n.on('languageChanged', () => {
  current = toTranslation();
});

export function useTranslation(): Translation {
  return useSyncExternalStore(subscribe, () => current);
}

function toTranslation(): Translation {
  return { t: i18n.getFixedT(i18n.language), i18n };
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

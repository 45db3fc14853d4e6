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

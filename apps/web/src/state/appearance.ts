/**
 * Theme, density, font size, level of detail and language, as chosen by the user and stored in this browser.
 * `public/first-paint.js` reads the same value before the first paint.
 */

import { detectLanguage, LANGUAGES, type Language } from '@crewagent/protocol/languages';
import * as z from '@crewagent/protocol/zod';
import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { setLanguage } from '../i18n/i18n.ts';
import { mergePersisted } from './persisted.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];
export const DENSITIES = ['comfortable', 'compact'] as const;
export type Density = (typeof DENSITIES)[number];

export const FONT_SIZES = ['small', 'medium', 'large'] as const;
export type FontSize = (typeof FONT_SIZES)[number];
/** How much the timeline shows between the messages. */
export const DETAILS = ['quiet', 'normal', 'all'] as const;
export type Detail = (typeof DETAILS)[number];

interface Appearance {
  readonly theme: Theme;
  readonly density: Density;
  readonly fontSize: FontSize;
  readonly detail: Detail;
  /** Undefined: detected from the browser. */
  readonly language: Language | undefined;
}

const DEFAULTS: Appearance = {
  theme: 'system',
  density: 'comfortable',
  fontSize: 'medium',
  detail: 'quiet',
  language: undefined,
};

const persistedSchema = z.object({
  theme: z.catch(z.enum(THEMES), DEFAULTS.theme),
  density: z.catch(z.enum(DENSITIES), DEFAULTS.density),
  fontSize: z.catch(z.enum(FONT_SIZES), DEFAULTS.fontSize),
  detail: z.catch(z.enum(DETAILS), DEFAULTS.detail),
  language: z.catch(z.optional(z.enum(LANGUAGES)), DEFAULTS.language),
});

export const useAppearance = create<Appearance>()(
  persist((): Appearance => DEFAULTS, {
    name: 'crewagent.appearance',
    merge: mergePersisted(persistedSchema),
  }),
);

/** Applies the appearance to the page, and every change of it, until `end` is called. `ready` resolves when the texts are loaded. */
export function followAppearance(): { readonly ready: Promise<void>; readonly end: () => void } {
  const prefersDark = matchMedia('(prefers-color-scheme: dark)');
  const apply = (): Promise<void> => applyAppearance(useAppearance.getState(), prefersDark.matches);
  const ready = apply();
  // If the texts of a language cannot be loaded, the page keeps its current language.
  const reapply = (): void => void apply().catch(() => undefined);
  prefersDark.addEventListener('change', reapply);
  const unsubscribe = useAppearance.subscribe(reapply);
  const end = (): void => {
    prefersDark.removeEventListener('change', reapply);
    unsubscribe();
  };
  return { ready, end };
}

function applyAppearance(
  { theme, density, fontSize, language }: Appearance,
  prefersDark: boolean,
): Promise<void> {
  const { dataset } = document.documentElement;
  dataset.theme = theme === 'system' ? (prefersDark ? 'dark' : 'light') : theme;
  dataset.density = density;
  dataset.fontSize = fontSize;
  return setLanguage(language ?? detectLanguage(navigator.languages));
}

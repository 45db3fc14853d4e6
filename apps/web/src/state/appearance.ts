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

export const appearanceSchema = z.object({
  theme: z.catch(z.enum(THEMES), 'system'),
  density: z.catch(z.enum(['comfortable', 'compact']), 'comfortable'),
  fontSize: z.catch(z.enum(['small', 'medium', 'large']), 'medium'),
  /** How much the timeline shows between the messages. */
  detail: z.catch(z.enum(['quiet', 'normal', 'all']), 'quiet'),
  /** Undefined: detected from the browser. */
  language: z.catch(z.optional(z.enum(LANGUAGES)), undefined),
});
type Appearance = z.infer<typeof appearanceSchema>;

/** Each language has its name in that language, so that people who do not read the current one can find theirs. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', 'zh-CN': '简体中文' };

export const useAppearance = create<Appearance>()(
  persist((): Appearance => appearanceSchema.parse({}), {
    name: 'crewagent.appearance',
    merge: mergePersisted(appearanceSchema),
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

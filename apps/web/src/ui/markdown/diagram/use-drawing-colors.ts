/** The colours of the theme for a drawing; changes with the theme. */
import { useSyncExternalStore } from 'react';
import type { DrawingColors } from './drawing-messages.ts';

export function useDrawingColors(): DrawingColors {
  const theme = useSyncExternalStore(subscribe, () => document.documentElement.dataset.theme);
  return colorsOf(theme);
}

function subscribe(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}

const known = new Map<string | undefined, DrawingColors>();

function colorsOf(theme: string | undefined): DrawingColors {
  const colors = known.get(theme) ?? readColors(theme === 'dark');
  known.set(theme, colors);
  return colors;
}

function readColors(isDark: boolean): DrawingColors {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    isDark,
    ink: color('ink'),
    soft: color('ink-faint'),
    surface: color('surface'),
    sunken: color('sunken'),
    line: color('line-strong'),
    accent: color('accent'),
    accentSoft: color('accent-soft'),
    warnSoft: color('warn-soft'),
    okSoft: color('ok-soft'),
  };
}

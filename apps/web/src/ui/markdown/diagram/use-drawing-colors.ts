/** The colours of the theme for a drawing; change with the theme. On paper they are those of the light one. */
import { createContext, useContext, useSyncExternalStore } from 'react';
import type { DrawingColors } from './drawing-messages.ts';

/** Whether the document is printed. */
export const PaperContext = createContext(false);

export function useDrawingColors(): DrawingColors {
  const isPaper = useContext(PaperContext);
  const theme = useSyncExternalStore(subscribe, () => document.documentElement.dataset.theme ?? 'light');
  return colorsOf(isPaper ? 'light' : theme);
}

function subscribe(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}

const known = new Map<string, DrawingColors>();

function colorsOf(theme: string): DrawingColors {
  const colors = known.get(theme) ?? readColors(theme);
  known.set(theme, colors);
  return colors;
}

/** Of an element with this theme: the page may have another one. */
function readColors(theme: string): DrawingColors {
  const sample = document.createElement('div');
  sample.dataset.theme = theme;
  document.body.append(sample);
  const style = getComputedStyle(sample);
  const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const colors = {
    isDark: theme === 'dark',
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
  sample.remove();
  return colors;
}

/*
 * Runs before anything is painted, so that nobody sees the wrong theme for a moment. The page allows no inline script, hence
 * a file of its own. Keep in step with src/state/appearance.ts.
 */
(() => {
  const root = document.documentElement;
  let chosen = {};
  try {
    chosen = JSON.parse(localStorage.getItem('crewagent.appearance') ?? '{}').state ?? {};
  } catch {
    // Private windows and damaged values: the defaults are fine.
  }
  const isDark =
    chosen.theme === 'dark' ||
    (chosen.theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  root.dataset.theme = isDark ? 'dark' : 'light';
  root.dataset.fontSize = ['small', 'large'].includes(chosen.fontSize) ? chosen.fontSize : 'medium';
  root.dataset.density = chosen.density === 'compact' ? 'compact' : 'comfortable';
})();

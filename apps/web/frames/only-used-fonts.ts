/** Removes the older formats of KaTeX's fonts from its style sheet: every browser that runs the page reads WOFF2. */
import type { Plugin } from 'vite';

export function onlyUsedFonts(): Plugin {
  return {
    name: 'only-used-fonts',
    enforce: 'pre',
    transform: {
      filter: { id: /katex[\\/]dist[\\/]katex\.min\.css/ },
      handler: (code) => code.replace(/,\s*url\([^)]*\.(?:woff|ttf)\)\s*format\("(?:woff|truetype)"\)/g, ''),
    },
  };
}

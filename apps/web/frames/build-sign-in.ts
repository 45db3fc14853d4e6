/** Builds the sign-in page of a team server: a small page of its own, which needs nothing of the app but its colours and its font. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type RolldownPlugin, rolldown } from 'rolldown';
import type { Plugin } from 'vite';

const HTML = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
    <meta name="color-scheme" content="light dark">
    <meta name="referrer" content="no-referrer">
    <title>CrewAgent</title>
    <link rel="icon" type="image/svg+xml" href="/icon.svg">
    <link rel="stylesheet" href="/sign-in.css">
    <script src="/first-paint.js"></script>
    <script type="module" src="/sign-in.js"></script>
  </head>
  <body>
    <div class="card">
      <p class="brand"><img src="/icon.svg" alt="">CrewAgent</p>
      <main id="main"></main>
      <noscript>CrewAgent needs JavaScript.</noscript>
    </div>
  </body>
</html>
`;

export function signInPage(note: RolldownPlugin): Plugin {
  return {
    name: 'sign-in-page',
    apply: 'build',
    async generateBundle(_, bundle) {
      const font = Object.keys(bundle).find((name) => /inter-latin-wght-normal[^/]*\.woff2$/.test(name));
      this.emitFile({ type: 'asset', fileName: 'sign-in.html', source: HTML });
      this.emitFile({ type: 'asset', fileName: 'sign-in.js', source: await buildScript(note) });
      this.emitFile({ type: 'asset', fileName: 'sign-in.css', source: toStyle(font) });
    },
  };
}

async function buildScript(note: RolldownPlugin): Promise<string> {
  const input = fileURLToPath(new URL('sign-in/sign-in.ts', import.meta.url));
  const build = await rolldown({ input, platform: 'browser', plugins: [note] });
  const { output } = await build.generate({ format: 'es', minify: true, codeSplitting: false });
  await build.close();
  return output[0].code;
}

function toStyle(font: string | undefined): string {
  const read = (path: string): string => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8');
  const face = font
    ? `@font-face { font-family: "Inter Variable"; font-weight: 100 900; font-display: swap; src: url("/${font}") format("woff2"); }\n`
    : '';
  return `${face}${read('../src/styles/tokens.css')}\n${read('sign-in/sign-in.css')}`;
}

/**
 * Builds the frame that draws diagrams: one HTML file with its script inside, because a document without an origin and without
 * network can load none. The policy in the file allows this one script by its hash; the server adds the sandbox.
 */
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type RolldownPlugin, rolldown } from 'rolldown';
import type { Plugin } from 'vite';

const NAME = 'diagram-frame.html';

/** `note` also sees what the frame contains. */
export function diagramFrame(note: RolldownPlugin): Plugin {
  let built: Promise<string> | undefined;
  return {
    name: 'diagram-frame',
    async generateBundle() {
      this.emitFile({ type: 'asset', fileName: NAME, source: await buildFrame(note) });
    },
    configureServer({ middlewares }) {
      middlewares.use(`/${NAME}`, (_, response, next) => {
        built ??= buildFrame(note);
        built.then((html) => {
          response.setHeader('content-type', 'text/html; charset=utf-8');
          response.end(html);
        }, next);
      });
    },
  };
}

async function buildFrame(note: RolldownPlugin): Promise<string> {
  const build = await rolldown({
    input: fileURLToPath(new URL('diagram-frame.ts', import.meta.url)),
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    // Two megabytes for a second layout, and formulas in labels, which an image cannot have.
    plugins: [
      note,
      {
        name: 'left-out',
        resolveId: (id) => (LEFT_OUT.test(id) ? EMPTY : undefined),
        load: (id) => (id === EMPTY ? 'export default {}' : undefined),
      },
    ],
    onLog: () => undefined,
  });
  const { output } = await build.generate({ format: 'iife', minify: true, codeSplitting: false });
  await build.close();
  // The end tag would end the script; the escape means the same in a string.
  const script = output[0].code.replaceAll('</script', '<\\/script');
  const hash = createHash('sha256').update(script).digest('base64');
  const policy = `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Diagram</title><meta http-equiv="Content-Security-Policy" content="${policy}"></head><body><script>${script}</script></body></html>`;
}

const EMPTY = '\0left-out';
const LEFT_OUT = /^(?:elkjs(?:\/.*)?|katex)$/;

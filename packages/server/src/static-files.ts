/**
 * The files of the web UI. All file names are listed before a request is read, so that no request path ever reaches the disk. They
 * are listed again when the UI was built again or upgraded meanwhile: its page names new files. Without a built UI there is one
 * built-in page.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { DIAGRAM_FRAME_HEADERS } from './security/security-headers.ts';

export interface StaticFiles {
  answer(request: Request): Response;
}

interface Page {
  readonly type: string;
  read(): Uint8Array | string;
  /** The content as the build compressed it with Brotli, if it did. */
  readCompressed?(): Uint8Array;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
};

/** The one page beside the UI's own. */
const DIAGRAM_FRAME = '/diagram-frame.html';

/** File names with a content hash, as build tools generate them. */
const HASHED = /[.-][\w-]{8,}\.\w+$/;

export function createStaticFiles(webRoot?: string): StaticFiles {
  const listPages =
    webRoot !== undefined && isFile(join(webRoot, 'index.html')) ? followPages(webRoot) : builtIn;
  return {
    answer(request) {
      const { pathname } = new URL(request.url);
      const pages = listPages();
      const found = pages.get(pathname);
      // Routes inside the UI are resolved by the UI itself.
      const isUiRoute = !found && extname(pathname) === '' && acceptsHtml(request);
      const page = found ?? (isUiRoute || pathname === '/' ? pages.get('/index.html') : undefined);
      if (!page) return new Response('Not found.\n', { status: 404, headers: TEXT });
      const isImmutable = found !== undefined && HASHED.test(pathname);
      const readCompressed = acceptsBrotli(request) ? page.readCompressed : undefined;
      const read = readCompressed ?? page.read;
      return new Response(request.method === 'HEAD' ? null : read(), {
        headers: {
          ...(page.readCompressed ? { vary: 'accept-encoding' } : {}),
          ...(readCompressed ? { 'content-encoding': 'br' } : {}),
          'content-type': page.type,
          'cache-control': isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
          ...(pathname === DIAGRAM_FRAME ? DIAGRAM_FRAME_HEADERS : {}),
        },
      });
    },
  };
}

const TEXT = { 'content-type': 'text/plain; charset=utf-8' };

function acceptsHtml(request: Request): boolean {
  return (request.headers.get('accept') ?? '').includes('text/html');
}

function acceptsBrotli(request: Request): boolean {
  return /\bbr\b(?!\s*;\s*q=0(?:\.0*)?(?:,|\s|$))/.test(request.headers.get('accept-encoding') ?? '');
}

/** Lists the files again when the page itself changed; while a build replaces it, the last list stands. */
function followPages(root: string): () => ReadonlyMap<string, Page> {
  const changedAt = (): number | undefined =>
    statSync(join(root, 'index.html'), { throwIfNoEntry: false })?.mtimeMs;
  let listedAt = changedAt();
  let pages = readPages(root);
  return () => {
    const now = changedAt();
    if (now !== undefined && now !== listedAt) {
      listedAt = now;
      pages = readPages(root);
    }
    return pages;
  };
}

function readPages(root: string): Map<string, Page> {
  const pages = new Map<string, Page>();
  const visit = (folder: string, path: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const file = join(folder, entry.name);
      if (entry.isDirectory()) visit(file, `${path}/${entry.name}`);
      const type = TYPES[extname(entry.name).toLowerCase()];
      // Files of other types, such as source maps, are not served.
      if (entry.isFile() && type !== undefined)
        pages.set(encodeURI(`${path}/${entry.name}`), {
          type,
          read: () => readFileSync(file),
          ...(isFile(`${file}.br`) ? { readCompressed: () => readFileSync(`${file}.br`) } : {}),
        });
    }
  };
  visit(root, '');
  return pages;
}

function builtIn(): Map<string, Page> {
  return new Map(
    Object.entries(BUILT_IN_PAGES).map(([path, text]) => [
      path,
      { type: TYPES[extname(path)] ?? 'text/plain', read: () => text },
    ]),
  );
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** The page that is shown where no web UI was built: the server is running, and how to use it. */
const INDEX = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>CrewAgent</title>
    <link rel="stylesheet" href="/page.css">
  </head>
  <body>
    <main>
      <h1>CrewAgent is running</h1>
      <p>This build has no pages of its own. The command line and scripts can use the server at this address.</p>
      <p>The API is under <code>/api/v1</code> and needs the token that was printed when the server started.</p>
    </main>
  </body>
</html>
`;

const STYLE = `:root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; }
body { margin: 0; }
main { max-width: 40rem; margin: 15vh auto; padding: 0 1.5rem; }
code { font-family: ui-monospace, monospace; }
`;

const BUILT_IN_PAGES: Readonly<Record<string, string>> = {
  '/index.html': INDEX,
  '/page.css': STYLE,
};

/**
 * The pages of the web UI. Every file is known by name from the start, so that no path of a request ever meets the disk;
 * without a built UI there is one page that says that the server runs.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { BUILT_IN_PAGES } from './built-in-pages.ts';

export interface StaticFiles {
  answer(request: Request): Response;
}

interface Page {
  readonly type: string;
  read(): Uint8Array | string;
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

/** Names that change with their content, as build tools make them. */
const HASHED = /[.-][\w-]{8,}\.\w+$/;

export function createStaticFiles(webRoot?: string): StaticFiles {
  const pages = webRoot !== undefined && isFile(join(webRoot, 'index.html')) ? readPages(webRoot) : builtIn();
  return {
    answer(request) {
      const { pathname } = new URL(request.url);
      const found = pages.get(pathname);
      // A place inside the UI is found by the UI itself.
      const isPlace = !found && extname(pathname) === '' && wantsPage(request);
      const page = found ?? (isPlace || pathname === '/' ? pages.get('/index.html') : undefined);
      if (!page) return new Response('There is nothing here.\n', { status: 404, headers: TEXT });
      const isLasting = found !== undefined && HASHED.test(pathname);
      return new Response(request.method === 'HEAD' ? null : page.read(), {
        headers: {
          'content-type': page.type,
          'cache-control': isLasting ? 'public, max-age=31536000, immutable' : 'no-cache',
        },
      });
    },
  };
}

const TEXT = { 'content-type': 'text/plain; charset=utf-8' };

function wantsPage(request: Request): boolean {
  return (request.headers.get('accept') ?? '').includes('text/html');
}

function readPages(root: string): Map<string, Page> {
  const pages = new Map<string, Page>();
  const visit = (folder: string, path: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const file = join(folder, entry.name);
      if (entry.isDirectory()) visit(file, `${path}/${entry.name}`);
      const type = TYPES[extname(entry.name).toLowerCase()];
      // What is not meant for a page, a source map say, stays here.
      if (entry.isFile() && type !== undefined)
        pages.set(encodeURI(`${path}/${entry.name}`), { type, read: () => readFileSync(file) });
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

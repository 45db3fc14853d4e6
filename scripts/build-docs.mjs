/**
 * `npm run docs [FOLDER]`: builds the site of the guide for authors from docs/authors, in English and Chinese. Plain pages without
 * scripts, for any web server; by default in .cache/docs. A link that leads nowhere is an error.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { isMain, root, say, setUp } from './set-up.mjs';

const GUIDE = join(root, 'docs/authors');
const IMAGES = join(root, 'docs/images/guide');

const LANGUAGES = [
  { code: 'en', folder: '', title: 'Writing packages', other: '中文', contents: 'Contents' },
  { code: 'zh-CN', folder: 'zh-CN', title: '编写工作包', other: 'English', contents: '目录' },
];

/** Returns the paths of the pages, relative to the folder. Throws for links that lead nowhere. */
export async function buildDocs(target) {
  const { Marked } = await import('marked');
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  if (existsSync(IMAGES)) cpSync(IMAGES, join(target, 'images'), { recursive: true });
  writeFileSync(join(target, 'style.css'), STYLE);
  const pages = new Map();
  for (const language of LANGUAGES)
    for (const page of listPages(language)) {
      const path = toHtmlPath(join(language.folder, page));
      const marked = new Marked({ renderer: createRenderer(language, page) });
      const text = readFileSync(join(GUIDE, language.folder, page), 'utf8');
      const body = marked.parse(text.replace(/^\[(?:中文|English)\]\([^)]*\)\n/m, ''));
      pages.set(path, toPage({ language, page, path, body, title: titleOf(text) }));
    }
  for (const [path, html] of pages) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), html);
  }
  const broken = findBrokenLinks(target, [...pages.keys()]);
  if (broken.length > 0) throw new Error(`These links lead nowhere:\n${broken.join('\n')}`);
  return [...pages.keys()];
}

/** In the order of the list of contents; the test of the guide says that each page is in it. */
function listPages({ folder }) {
  const files = readdirSync(join(GUIDE, folder)).filter((name) => name.endsWith('.md'));
  const contents = readFileSync(join(GUIDE, folder, 'README.md'), 'utf8');
  const rank = (name) => (name === 'README.md' ? -1 : contents.indexOf(`(${name})`));
  return files.sort((one, other) => rank(one) - rank(other));
}

function titleOf(text) {
  return /^# (.+)$/m.exec(text)?.[1] ?? '';
}

function toHtmlPath(path) {
  return path
    .split(sep)
    .join('/')
    .replace(/README\.md$/, 'index.html')
    .replace(/\.md$/, '.html');
}

/** HTML in a text is shown as text; links and pictures are those of the site. */
function createRenderer({ folder }, page) {
  return {
    html: ({ text }) => escapeHtml(text),
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${toAnchor(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    code({ text, lang = '' }) {
      const [, file] = lang.split(' ');
      const name = file?.includes('.') ? `<figcaption>${escapeHtml(file)}</figcaption>` : '';
      return `<figure class="code">${name}<pre><code>${escapeHtml(text)}</code></pre></figure>\n`;
    },
    link({ href, tokens }) {
      const target = toSiteLink(href, folder, page);
      const inside = this.parser.parseInline(tokens);
      return target === undefined ? inside : `<a href="${escapeHtml(target)}">${inside}</a>`;
    },
    image({ href, text }) {
      const source = relativeTo(folder, `images/${basename(href)}`);
      return `<img src="${escapeHtml(source)}" alt="${escapeHtml(text)}" loading="lazy">`;
    },
  };
}

/** Undefined for files of the repository, which the site does not have. Throws if there is no such file. */
function toSiteLink(href, folder, page) {
  if (/^[a-z]+:|^#/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const file = resolve(dirname(join(GUIDE, folder, page)), path);
  const suffix = anchor === undefined ? '' : `#${anchor}`;
  if (path.endsWith('.md') && file.startsWith(GUIDE + sep))
    return relativeTo(folder, toHtmlPath(relative(GUIDE, file))) + suffix;
  if (!existsSync(file)) throw new Error(`${join(folder, page)}: there is no ${href}`);
  return undefined;
}

/** A path of the site as seen from a folder of it. */
function relativeTo(folder, path) {
  return relative(folder, path).split(sep).join('/');
}

function toAnchor(text) {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replace(/\s+/g, '-');
}

function escapeHtml(text) {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function toPage({ language, page, path, body, title }) {
  const { code, folder, contents } = language;
  const entries = listPages(language).map((name) => {
    const label = name === 'README.md' ? contents : titleOf(readFileSync(join(GUIDE, folder, name), 'utf8'));
    const current = name === page ? ' aria-current="page"' : '';
    return `<li><a href="${toHtmlPath(name)}"${current}>${escapeHtml(label)}</a></li>`;
  });
  const other = LANGUAGES.find((one) => one !== language);
  const otherPath = relativeTo(folder, toHtmlPath(join(other.folder, page)));
  return `<!doctype html>
<html lang="${code}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · CrewAgent</title>
<link rel="stylesheet" href="${relativeTo(dirname(path) === '.' ? '' : dirname(path), 'style.css')}">
</head>
<body>
<nav aria-label="${language.title}">
<p><strong>${language.title}</strong> <a lang="${other.code}" hreflang="${other.code}" href="${otherPath}">${language.other}</a></p>
<ul>
${entries.join('\n')}
</ul>
</nav>
<main>
${body}</main>
</body>
</html>
`;
}

/** Local files and anchors that pages link to and that are not there. */
function findBrokenLinks(target, paths) {
  const htmlOf = (path) => readFileSync(join(target, path), 'utf8');
  return paths.flatMap((path) =>
    [...htmlOf(path).matchAll(/(?:href|src)="([^"]*)"/g)].flatMap(([, link = '']) => {
      if (/^[a-z]+:/.test(link)) return [];
      const [file = '', anchor] = link.split('#');
      const found = file === '' ? path : join(dirname(path), file);
      const isThere = existsSync(join(target, found));
      const hasAnchor =
        anchor === undefined || (isThere && htmlOf(found).includes(`id="${decodeURIComponent(anchor)}"`));
      return isThere && hasAnchor ? [] : [`${path}: ${link}`];
    }),
  );
}

const STYLE = `:root { color-scheme: light dark; --line: light-dark(#ddd, #3a3a3a); --soft: light-dark(#f6f6f4, #1f1f1f);
  --link: light-dark(#1d4ed8, #8ab4ff); }
* { box-sizing: border-box; }
body { margin: 0; display: flex; gap: 3rem; max-width: 68rem; margin-inline: auto; padding: 2rem 1.5rem;
  font: 16px/1.6 system-ui, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif; }
nav { position: sticky; top: 2rem; align-self: start; flex: 0 0 14rem; font-size: .9rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: block; padding: .2rem .5rem; border-radius: .4rem; color: inherit; text-decoration: none; }
nav li a:hover, nav [aria-current] { background: var(--soft); }
nav [aria-current] { font-weight: 600; }
main { flex: 1; min-width: 0; max-width: 46rem; }
h1 { line-height: 1.25; margin-top: 0; }
h2 { margin-top: 2.2rem; }
a { color: var(--link); }
img { max-width: 100%; border: 1px solid var(--line); border-radius: .5rem; }
code { font: .875em ui-monospace, Menlo, Consolas, monospace; }
:not(pre) > code { background: var(--soft); padding: .1em .3em; border-radius: .3em; overflow-wrap: anywhere; }
figure.code { margin: 1rem 0; border: 1px solid var(--line); border-radius: .5rem; overflow: hidden; }
figcaption { padding: .3rem .8rem; font-size: .8rem; border-bottom: 1px solid var(--line); background: var(--soft); }
pre { margin: 0; padding: .8rem; overflow-x: auto; }
table { display: block; overflow-x: auto; border-collapse: collapse; font-size: .92rem; }
th, td { padding: .4rem .6rem; border: 1px solid var(--line); text-align: start; vertical-align: top; }
@media (max-width: 48rem) { body { flex-direction: column; gap: 1rem; padding: 1rem; } nav { position: static; flex: none; }
  nav ul { max-height: 9rem; overflow: auto; border: 1px solid var(--line); border-radius: .5rem; } }
`;

if (isMain(import.meta.url)) {
  setUp();
  const target = resolve(process.argv[2] ?? join(root, '.cache/docs'));
  const pages = await buildDocs(target);
  say(`${pages.length} pages in ${target}`);
}

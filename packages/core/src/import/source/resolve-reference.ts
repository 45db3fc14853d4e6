/**
 * Resolves a path in the text of a source: `./x` and `x` relative to the file or its workflow, `{project-root}/_bmad/M/x` in
 * module M, `~/.tool/x` where it was before installation, `{key}` from the frontmatter of the file. Pure.
 */
import { posix } from 'node:path';
import type { SourceTree } from './read-source.ts';
import { folderOf, type SourceModule } from './recognise-source.ts';
import type { Fields } from './source-yaml.ts';

export interface ReferenceScope {
  readonly tree: SourceTree;
  readonly modules: readonly SourceModule[];
  /** The file that contains the reference. */
  readonly file: string;
  /** Folder of the workflow or skill; ends in `/`. */
  readonly folder: string;
  /** Values for `{key}`, from the file and its workflow. */
  readonly keys: Fields;
}

export type Reference =
  | { readonly kind: 'file'; readonly path: string; readonly isExact: boolean }
  /** Created when BMAD is installed; a document with the initial values replaces it. */
  | { readonly kind: 'config' }
  | { readonly kind: 'missing'; readonly message: string }
  /** Not a path into the source: a file of the project, a pattern, an example. */
  | { readonly kind: 'other' };

export function resolveReference(written: string, scope: ReferenceScope): Reference {
  const text = expandKeys(written.trim(), scope.keys);
  const [, code, rest] = /(?:^|\/)_?bmad\/([\w.-]+)(?:\/(.*))?$/.exec(text) ?? [];
  if (code !== undefined) return resolveInstalled(code, rest ?? '', scope);
  const [, root, below] = /^\{(skill-root|installed_path|workflow_path)\}\/?(.*)$/.exec(text) ?? [];
  if (root !== undefined) return find([scope.folder + (below ?? '')], scope, text) ?? missing(text);
  // `{root}/tasks/x.md` and `.bmad-core/tasks/x.md`: the folder with the folders of agents, tasks and templates.
  const [, inRoot] = /^(?:\{root\}|\.bmad-[\w-]+)\/(.+)$/.exec(text) ?? [];
  if (inRoot !== undefined) {
    const above = posix.dirname(folderOf(scope.file).slice(0, -1));
    return find([posix.join(above, inRoot)], { ...scope, folder: '' }, inRoot) ?? missing(text);
  }
  const [, home, inTool] = /^@?(~\/)?\.[a-z][\w-]*\/([\w./-]+)$/.exec(text) ?? [];
  if (inTool !== undefined) return resolveInTool(inTool, home !== undefined, scope);
  if (/[{}*<>$]|^[~/@]|:\/\//.test(text) || text === '') return { kind: 'other' };
  const isRelative = /^\.{1,2}\//.test(text);
  const candidates = [folderOf(scope.file), scope.folder].map((folder) => posix.join(folder, text));
  const found = find(candidates, scope, text);
  if (found) return found;
  const isOwnFolder = /^(?:references|scripts|assets|templates|steps|data|resources)\//.test(text);
  return isRelative || isOwnFolder ? missing(text) : { kind: 'other' };
}

/**
 * `~/.tool/kit/x.md` and `.tool/rules/x.md`: where the tool finds a file after installation, which copies folders of the source.
 * What is in the home folder belongs to the tool; a file in the project may be created by a run.
 */
function resolveInTool(path: string, isHome: boolean, { tree }: ReferenceScope): Reference {
  const same = path.includes('/')
    ? tree.named(posix.basename(path)).filter((known) => `/${known}`.endsWith(`/${path}`))
    : [];
  if (same.length === 1 && same[0] !== undefined) return { kind: 'file', path: same[0], isExact: false };
  return isHome ? missing(path) : { kind: 'other' };
}

/** Replaces `{key}` by its value, up to a few levels; unknown braces are left unchanged. */
export function expandKeys(text: string, keys: Fields): string {
  let expanded = text;
  for (let round = 0; round < 4 && /\{[\w-]+\}/.test(expanded) && expanded.length < 2_000; round++) {
    const next = expanded.replace(/\{\{?([\w-]+)\}?\}/g, (whole, name: string) => {
      const value = Object.hasOwn(keys, name) ? keys[name] : undefined;
      return typeof value === 'string' && value !== '' && !value.includes(`{${name}}`) ? value : whole;
    });
    if (next === expanded) break;
    expanded = next;
  }
  return expanded;
}

const INSTALLED_ONLY: Readonly<Record<string, string>> = {
  _config: 'a list that the BMAD installer creates; the package has agents.json and bmad.json instead',
  _memory: 'the memory folder of an agent, which BMAD creates at installation',
  scripts: 'a script of the BMAD installation, which is never run',
  custom: 'overrides of one installation',
};

function resolveInstalled(code: string, rest: string, scope: ReferenceScope): Reference {
  if (/^config(?:\.user)?\.(?:ya?ml|toml)$/.test(rest) || /^config(?:\.user)?\.(?:ya?ml|toml)$/.test(code))
    return { kind: 'config' };
  const module = scope.modules.find((known) => known.code === code);
  const candidates = module ? [module.root + rest] : [`_bmad/${code}/${rest}`, `${code}/${rest}`];
  // An agent's memory starts as the sidecar folder of the source.
  const sidecar = code === '_memory' ? scope.tree.paths.find((path) => path.endsWith(`/${rest}`)) : undefined;
  const found = find(sidecar === undefined ? candidates : [sidecar], scope, rest);
  if (found) return sidecar === undefined ? found : { ...found, isExact: false };
  const why = Object.hasOwn(INSTALLED_ONLY, code) ? INSTALLED_ONLY[code] : undefined;
  const where = module
    ? `module "${code}" of the source has no such file`
    : `the source has no module "${code}"`;
  return { kind: 'missing', message: why === undefined ? where : `It is ${why}` };
}

/** An exact match, a folder, or the only file of the workflow with this name, and these folders if the reference names some. */
function find(
  candidates: readonly string[],
  { tree, folder }: ReferenceScope,
  written: string,
): Extract<Reference, { kind: 'file' }> | undefined {
  const plain = candidates.map((path) => posix.normalize(path)).filter((path) => !path.startsWith('..'));
  const hit = plain.find((path) => tree.has(path));
  if (hit !== undefined) return { kind: 'file', path: hit, isExact: true };
  const inside = plain.map((path) => `${path.replace(/\/$/, '')}/`).find((path) => tree.hasFolder(path));
  if (inside !== undefined) return { kind: 'file', path: inside, isExact: true };
  const name = posix.basename(written);
  const ending = `/${posix.normalize(written).replace(/^(?:\.\.\/)+/, '')}`;
  const sameName = tree.named(name).filter((path) => path.startsWith(folder) && `/${path}`.endsWith(ending));
  return sameName.length === 1 && sameName[0] !== undefined && /\.\w+$/.test(name)
    ? { kind: 'file', path: sameName[0], isExact: false }
    : undefined;
}

function missing(text: string): Reference {
  return { kind: 'missing', message: `the source has no file "${text}"` };
}

export interface Mention {
  readonly written: string;
  readonly line: number;
  readonly text: string;
}

/** Everything in a text that looks like a file path. */
export function findMentions(body: string, bodyLine: number): Mention[] {
  return body
    .split('\n')
    .flatMap((text, index) =>
      pathTokens(text).map(({ written }) => ({ written, line: bodyLine + index + 1, text })),
    );
}

const EXTENSION = /[\w}]\.(?:md|csv|xml|ya?ml|json|toml|txt|py|js|sh|html|svg)(?![\w/{])/g;
const KEY = /(?<![^\s`'"()<>,;[\]|→*])\{[\w-]{1,80}\}(?=[\s`'"()<>,;[\]|→.:!?*]|$)/g;
const DELIMITERS = new Set(' \t\r`\'"()<>,;[]|→*');
const MAX_PATH = 300;

/** Tokens of a line that end like a file name, or are a single `{key}`. In linear time for any line. */
export function pathTokens(line: string, isKeyToo = false): { written: string; at: number }[] {
  const found: { written: string; at: number }[] = [];
  let last = 0;
  for (const { 0: ending, index } of line.matchAll(EXTENSION)) {
    const least = Math.max(last, index - MAX_PATH);
    let at = index;
    while (at > least && !DELIMITERS.has(line.charAt(at - 1))) at--;
    last = index + ending.length;
    found.push({ written: line.slice(at, last), at });
  }
  if (isKeyToo && line.includes('{'))
    for (const { 0: written, index: at } of line.matchAll(KEY)) found.push({ written, at });
  return found.sort((a, b) => a.at - b.at);
}

/** The first line that contains the text; undefined if there is none. */
export function lineOf(source: string, text: string): number | undefined {
  const at = source.indexOf(text);
  return at === -1 ? undefined : source.slice(0, at).split('\n').length;
}

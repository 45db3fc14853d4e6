/**
 * Finds file names in Markdown: links, paths in prose and in code. Whether such a file exists is up to the caller.
 * Pure, and linear in the length of the text.
 */

export interface NamedFile {
  /** As written, without surrounding quotes and punctuation. */
  readonly path: string;
  readonly line: number;
  /** Refers to the package explicitly: `@pkg/…`, `./…`, `../…`, or a relative link. */
  readonly isExplicit: boolean;
}

export interface MarkdownLine {
  readonly text: string;
  readonly line: number;
  /** Language of the enclosing fenced block; empty if the block names none, undefined outside of blocks. */
  readonly code: string | undefined;
}

/** Lines with their numbers, without the fences. */
export function* markdownLines(text: string, firstLine = 1): Generator<MarkdownLine> {
  let fence: { marker: string; language: string } | undefined;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    // Most lines are not: a search for three characters is cheaper than the expression.
    const mayBeFence = line.includes('```') || line.includes('~~~');
    const [, marker, info = ''] = (mayBeFence ? /^ {0,12}(```+|~~~+)(.*)$/.exec(line) : undefined) ?? [];
    if (marker === undefined) yield { text: line, line: firstLine + index, code: fence?.language };
    else if (!fence) fence = { marker, language: info.trim().toLowerCase() };
    else if (marker.startsWith(fence.marker)) fence = undefined;
  }
}

const HAS_EXTENSION = /\.(?:md|csv|json|ya?ml|xml|txt|html|toml)/i;
const EXTENSION = new RegExp(`${HAS_EXTENSION.source}$`, 'i');
const PACKAGE = /^(?:@pkg|\{package-root\})\//;
/** Separators around a path in prose, Western and Chinese; a colon inside a token may be part of a URL. */
const SEPARATORS = /[\s`"'()[\],;|“”‘’（）「」《》【】，。；：、]+/;

export function findNamedFiles(text: string, firstLine = 1): NamedFile[] {
  return namedFilesIn(markdownLines(text, firstLine));
}

export function namedFilesIn(lines: Iterable<MarkdownLine>): NamedFile[] {
  const found: NamedFile[] = [];
  for (const { text: line, line: number, code } of lines) {
    // Most lines of prose name no file.
    if (!HAS_EXTENSION.test(line)) continue;
    const links = new Set([...line.matchAll(/\]\(([^()\s]{1,300})\)/g)].map(([, target = '']) => target));
    for (const token of line.split(SEPARATORS)) {
      const path = toPath(token);
      if (path === undefined) continue;
      const isExplicit = PACKAGE.test(path) || /^\.{1,2}\//.test(path) || links.has(token);
      // Code samples name files that exist in the sample only.
      if (code === undefined || PACKAGE.test(path)) found.push({ path, line: number, isExplicit });
    }
  }
  return found;
}

/** Files of later steps must not be read in advance. */
const STEP_FILE = /(?:^|\/)steps?(?:-[^/]*)?\/|(?:^|\/)(?:step|end|decide)-[^/]*$/;

/** The paths of files that a package has besides its steps, each once. */
export function toPackageFiles(named: readonly NamedFile[]): string[] {
  const isInPackage = (path: string): boolean => !path.replace('{package-root}', '').includes('{');
  const paths = named
    .filter(({ path, isExplicit }) => (isExplicit || path.startsWith('assets/')) && isInPackage(path))
    .map(({ path }) => path);
  return [...new Set(paths.filter((path) => !STEP_FILE.test(path)))];
}

/** Undefined if the token is not a file path, is a glob, or refers to another location. */
function toPath(token: string): string | undefined {
  if (token.length > 300 || !token.includes('.')) return undefined;
  const path = token
    .replace(/[#?].*$/, '')
    .replace(/^[*_<]+|[*_>.:!?]+$/g, '')
    // Chinese has no space before a path.
    .replace(/^[^\p{ASCII}]+(?=\.{1,2}\/|@|\{)/u, '');
  const isElsewhere = /^(?:[\w+]+:|\/|~|@(?!pkg\/)|\{(?!package-root\}))/.test(path);
  return !EXTENSION.test(path) || /(?:^|\/)\.\w+$|[<>*…|\\]/.test(path) || isElsewhere ? undefined : path;
}

/**
 * The files of the package that a step tells the model to read or to fill in: those in a line that says so, and those under a heading
 * that does. Files of menu options are read when the option is chosen. `keys`: the step's frontmatter, whose values the text names in
 * braces.
 */
export function findFilesToRead(body: string, keys: Readonly<Record<string, unknown>>): string[] {
  const found: string[] = [];
  let isUnderHeading = false;
  for (const { text, code } of markdownLines(body)) {
    if (code !== undefined) continue;
    const [, heading] = /^ {0,3}#{1,6}\s+(.*)$/.exec(text) ?? [];
    if (heading !== undefined) isUnderHeading = READING_HEADING.test(heading);
    else if (!OPTION.test(text) && (isUnderHeading || READING.test(text)))
      found.push(...toPackageFiles(findNamedFiles(fillKeys(text, keys))));
  }
  return [...new Set(found)];
}

const READING =
  /\b(?:read|load|open|use|using|follow|fill|apply|template)\b|读|加载|打开|使用|遵循|填写|模板/i;
const READING_HEADING = /^\W*(?:read|inputs?|load|templates?)\b|^[^\p{L}]*(?:读|阅读|输入|模板)/iu;
/** `- A: …`, `[A] …`, `IF A: …` */
const OPTION = /^[\s>*-]*(?:if\s+\**)?\[?[A-Z]{1,2}\d?(?:\]|\**\s*[:：])/i;

/** Patterns such as `docs/**` and `{planning_artifacts}/*brief*.md` that are list items of their own, or in a line about searching. */
export function findFoldersToSearch(body: string, keys: Readonly<Record<string, unknown>>): string[] {
  const found = new Set<string>();
  for (const { text, code } of markdownLines(body)) {
    if (code !== undefined || !text.includes('*') || OPTION.test(text)) continue;
    const [, item] = /^\s*(?:[-*+]|\d+\.)\s+`?([^\s`]+)`?\s*$/.exec(text) ?? [];
    const tokens =
      item === undefined && SEARCHING.test(text) ? text.split(/[\s`"'(),;，、；]+/) : [item ?? ''];
    for (const token of tokens) {
      const pattern = fillKeys(token, keys);
      if (FOLDER_PATTERN.test(pattern)) found.add(pattern);
    }
  }
  return [...found];
}

const SEARCHING = /\b(?:search|find|discover|look|scan)|查找|搜索|寻找/i;
/** Begins with a folder: a pattern for any folder would search the whole project. */
const FOLDER_PATTERN = /^(?:@project\/)?(?:\{[A-Za-z_][\w-]*\}|[\w-]+)\/[\w./{}-]*\*[\w./{}*-]*$/;

function fillKeys(text: string, keys: Readonly<Record<string, unknown>>): string {
  return text.replace(/\{([A-Za-z_][\w-]*)\}/g, (braces, name: string) => {
    const value = Object.hasOwn(keys, name) ? keys[name] : undefined;
    return typeof value === 'string' ? value : braces;
  });
}

/**
 * The files that a Markdown text names: links, paths in prose and in code. Finds names only; whether such a file exists, and
 * where, is for the caller to say. Pure, and linear in the length of the text.
 */
export interface NamedFile {
  /** As written, without quotes and punctuation around it. */
  readonly path: string;
  readonly line: number;
  /** It says that it belongs to the package: `@pkg/…`, `./…`, `../…`, or a relative link. */
  readonly isExplicit: boolean;
}

export interface MarkdownLine {
  readonly text: string;
  readonly line: number;
  /** Language of the fenced block that the line is in; empty where the block names none; undefined outside of blocks. */
  readonly code: string | undefined;
}

/** Lines with their numbers; the fences themselves are left out. */
export function* markdownLines(text: string, firstLine = 1): Generator<MarkdownLine> {
  let fence: { mark: string; language: string } | undefined;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const [, mark, info = ''] = /^ {0,12}(```+|~~~+)(.*)$/.exec(line) ?? [];
    if (mark === undefined) yield { text: line, line: firstLine + index, code: fence?.language };
    else if (!fence) fence = { mark, language: info.trim().toLowerCase() };
    else if (mark.startsWith(fence.mark)) fence = undefined;
  }
}

const EXTENSION = /\.(?:md|csv|json|ya?ml|xml|txt|html|toml)$/i;
const PACKAGE = /^(?:@pkg|\{package-root\})\//;
/** What surrounds a path in prose, in either script; a colon inside a word may belong to an address. */
const AROUND = /[\s`"'()[\],;|“”‘’（）「」《》【】，。；：、]+/;

export function findNamedFiles(text: string, firstLine = 1): NamedFile[] {
  const found: NamedFile[] = [];
  for (const { text: line, line: number, code } of markdownLines(text, firstLine)) {
    const links = new Set([...line.matchAll(/\]\(([^()\s]{1,300})\)/g)].map(([, target = '']) => target));
    for (const word of line.split(AROUND)) {
      const path = toPath(word);
      if (path === undefined) continue;
      const isExplicit = PACKAGE.test(path) || /^\.{1,2}\//.test(path) || links.has(word);
      // Samples in code name files that exist in the sample only.
      if (code === undefined || PACKAGE.test(path)) found.push({ path, line: number, isExplicit });
    }
  }
  return found;
}

/** Undefined for what is no path of a file, or names many files or another place. */
function toPath(word: string): string | undefined {
  if (word.length > 300 || !word.includes('.')) return undefined;
  const path = word
    .replace(/[#?].*$/, '')
    .replace(/^[*_<]+|[*_>.:!?]+$/g, '')
    // Chinese has no space before a path.
    .replace(/^[^\p{ASCII}]+(?=\.{1,2}\/|@|\{)/u, '');
  const isElsewhere = /^(?:[\w+]+:|\/|~|@(?!pkg\/)|\{(?!package-root\}))/.test(path);
  return !EXTENSION.test(path) || /(?:^|\/)\.\w+$|[<>*…|\\]/.test(path) || isElsewhere ? undefined : path;
}

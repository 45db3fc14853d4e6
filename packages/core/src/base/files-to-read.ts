/**
 * Finds what a step tells the model to look at. Files of the package: those in a line that says to read or fill in, and those
 * under a heading that does; files of menu options are read when the option is chosen. Folders of the project: those that the
 * step gives as places to search. Pure.
 */
import { findNamedFiles, markdownLines, toPackageFiles } from './named-files.ts';

/** `keys`: the step's frontmatter, whose values the text names in braces. */
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
const OPTION = /^[\s>*-]*(?:if\s+)?\**\[?[A-Z]{1,2}\d?(?:\]|\**\s*[:：])/i;

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
const FOLDER_PATTERN = /^(?:@project\/)?(?:\{[A-Za-z_][\w-]*\}|[\w-]+)\/[\w./{}*-]*\*[\w./{}*-]*$/;

function fillKeys(text: string, keys: Readonly<Record<string, unknown>>): string {
  return text.replace(/\{([A-Za-z_][\w-]*)\}/g, (braces, name: string) => {
    const value = Object.hasOwn(keys, name) ? keys[name] : undefined;
    return typeof value === 'string' ? value : braces;
  });
}

/**
 * Finds the files of the package that a step tells the model to read or to fill in: those in a line that says so, and those
 * under a heading that does. Files of menu options are read when the option is chosen. Pure.
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

function fillKeys(text: string, keys: Readonly<Record<string, unknown>>): string {
  return text.replace(/\{([A-Za-z_][\w-]*)\}/g, (braces, name: string) => {
    const value = Object.hasOwn(keys, name) ? keys[name] : undefined;
    return typeof value === 'string' ? value : braces;
  });
}

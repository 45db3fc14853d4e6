/**
 * The text files of a package folder while an edit is made: what was read, and what the edit has changed so far. Pure.
 */
import { isObject } from '@crewagent/protocol/json-object';
import { CrewError } from '../base/crew-error.ts';
import { editFrontmatter } from '../workflow/edit-frontmatter.ts';
import { readFrontmatter } from '../workflow/frontmatter.ts';
import { frontmatterLength } from '../workflow/update-frontmatter.ts';
import { type Fields, withFields } from './fields.ts';
import { parseJson, patchJson } from './patch-json.ts';

/** New texts by path; undefined for a file that is removed. */
export type TextChanges = ReadonlyMap<string, string | undefined>;

export type PackageTexts = ReturnType<typeof createPackageTexts>;

/** `texts`: the text files by path. `paths`: of all files. */
export function createPackageTexts(texts: ReadonlyMap<string, string>, paths: ReadonlySet<string>) {
  const changes = new Map<string, string | undefined>();
  const find = (path: string): string | undefined =>
    changes.has(path) ? changes.get(path) : texts.get(path);
  const read = (path: string): string => {
    const text = find(path);
    if (text !== undefined) return text;
    throw refused(`"${path}" is not a text file of this package.`);
  };
  const write = (path: string, text: string | undefined): void => {
    if (text === find(path)) return;
    if (text === texts.get(path)) changes.delete(path);
    else changes.set(path, text);
  };
  const readJson = (path: string): Fields => {
    const value = parseJson(read(path))?.value;
    if (isObject(value)) return value;
    throw refused(`"${path}" cannot be read. Correct its text first; the findings say where.`);
  };
  const readStep = async (path: string): Promise<Fields | undefined> => {
    const text = find(path);
    const parsed = text === undefined ? undefined : await readFrontmatter(text);
    return parsed?.ok ? parsed.value : undefined;
  };
  return {
    find,
    read,
    write,
    readJson,
    writeJson: (path: string, value: Fields) => write(path, patchJson(read(path), value)),
    /** The frontmatter of a Markdown file; undefined if it cannot be read. */
    readStep,
    /** Sets keys of frontmatter; null removes one, undefined leaves it. A file without readable frontmatter is left as it is. */
    async writeStep(path: string, keys: Fields): Promise<void> {
      const before = await readStep(path);
      if (!before) return;
      const after = withFields(before, keys);
      const text = read(path);
      const length = frontmatterLength(text);
      const edited = await editFrontmatter(text.slice(0, length), before, after);
      if (!edited.ok)
        throw refused(`The frontmatter of "${path}" cannot be changed in place. Edit its text instead.`);
      write(path, edited.head + text.slice(length));
    },
    /** Whether the package has the file, also if it is not text. */
    has: (path: string) => (changes.has(path) ? changes.get(path) !== undefined : paths.has(path)),
    /** Of all files, with those that the edit adds. */
    paths: (): string[] => [...new Set([...paths, ...changes.keys()])],
    changes: (): TextChanges => changes,
  };
}

/** An edit that cannot be made; the message says what to do. */
export function refused(message: string): CrewError {
  return new CrewError('USAGE', message);
}

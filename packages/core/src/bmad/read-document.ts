/**
 * One file of a package as a validated value: bytes → text → JSON or frontmatter → schema.
 * Whatever is wrong becomes findings; the result is then undefined.
 */
import type * as z from 'zod';
import { type Frontmatter, parseFrontmatter } from '../workflow/frontmatter.ts';
import { type Findings, toPointer } from './findings.ts';
import { DamagedFile, type PackageFiles } from './package-files.ts';
import { addSchemaFindings, locate } from './schema-findings.ts';

const MAX_DEPTH = 64;

export async function readJson(
  files: PackageFiles,
  file: string,
  findings: Findings,
): Promise<{ value: unknown } | undefined> {
  const text = await readText(files, file, findings);
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = (error as SyntaxError).message;
    findings.add('BAD_JSON', {
      file,
      line: lineOfJsonError(text, reason),
      message: `this is not valid JSON: ${reason.replace(/ in JSON at position.*| is not valid JSON$/s, '').slice(0, 120)}`,
      fix: 'Correct the JSON at this line; a missing comma, quote or bracket is the usual cause.',
    });
    return undefined;
  }
  return checkShape(value, { file }, findings) ? { value } : undefined;
}

export function checkSchema<S extends z.ZodType>(
  schema: S,
  document: { file: string; value: unknown; lineOf?(path: readonly PropertyKey[]): number },
  findings: Findings,
): z.output<S> | undefined {
  const parsed = schema.safeParse(document.value);
  if (parsed.success) return parsed.data;
  addSchemaFindings(parsed.error, document, findings);
  return undefined;
}

export function toFrontmatter(
  text: string,
  file: string,
  dateFields: ReadonlySet<string>,
  findings: Findings,
): Frontmatter | undefined {
  const frontmatter = parseFrontmatter(text, dateFields);
  if (!frontmatter.ok) {
    findings.add('BAD_FRONTMATTER', {
      file,
      line: frontmatter.line,
      message: `the frontmatter cannot be read: ${frontmatter.reason}`,
      fix: 'Begin the file with a line "---", then YAML keys, then a line "---".',
    });
    return undefined;
  }
  const { value, lineOf } = frontmatter;
  return checkShape(value, { file, lineOf }, findings) ? frontmatter : undefined;
}

export async function readText(
  files: PackageFiles,
  file: string,
  findings: Findings,
): Promise<string | undefined> {
  return toText(await readBytes(files, file), file, findings);
}

/** A file's bytes; what is wrong with the container comes back as a value, to be told in its turn. */
export async function readBytes(files: PackageFiles, file: string): Promise<Buffer | DamagedFile> {
  try {
    return await files.read(file);
  } catch (error) {
    if (error instanceof DamagedFile) return error;
    throw error;
  }
}

/** A file as text; undefined, with a finding, when it is damaged or not UTF-8. */
export function toText(bytes: Buffer | DamagedFile, file: string, findings: Findings): string | undefined {
  if (bytes instanceof DamagedFile) {
    addDamaged(bytes, file, findings);
    return undefined;
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    findings.add('NOT_UTF8', {
      file,
      message: 'this is not UTF-8 text',
      fix: 'Save the file as UTF-8.',
    });
    return undefined;
  }
}

export function addDamaged(damage: DamagedFile, file: string, findings: Findings): void {
  findings.add('ARCHIVE_DAMAGED', {
    file,
    message: damage.message,
    fix: 'Get the package again, or pack it again from its folder.',
  });
}

/** Refuses what would surprise code further in: `__proto__` as a key, and nesting that overflows a stack. */
function checkShape(
  root: unknown,
  place: { file: string; lineOf?(path: readonly PropertyKey[]): number },
  findings: Findings,
): boolean {
  const pending: { value: unknown; path: readonly PropertyKey[] }[] = [{ value: root, path: [] }];
  for (let item = pending.pop(); item; item = pending.pop()) {
    const { value, path } = item;
    if (typeof value !== 'object' || value === null) continue;
    if (Object.hasOwn(value, '__proto__') || path.length > MAX_DEPTH) {
      const isDeep = path.length > MAX_DEPTH;
      findings.add('UNSAFE_VALUE', {
        ...(isDeep ? { file: place.file, pointer: `${toPointer(path.slice(0, 4))}/…` } : locate(place, path)),
        message: isDeep
          ? `values are nested more than ${MAX_DEPTH} levels deep`
          : 'a key is named "__proto__"',
        fix: isDeep ? 'Flatten the document.' : 'Remove that key.',
      });
      return false;
    }
    for (const [key, child] of Object.entries(value)) {
      if (typeof child === 'object')
        pending.push({ value: child, path: [...path, Array.isArray(value) ? Number(key) : key] });
    }
  }
  return true;
}

function lineOfJsonError(text: string, reason: string): number {
  const position = /at position (\d+)/.exec(reason)?.[1];
  const end = position === undefined ? text.trimEnd().length : Number(position);
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/**
 * Finds the files a step writes: paths in frontmatter and prose that start in a configured folder, where the text says to write
 * them. A step that says it writes nothing has no outputs. Pure.
 */
import { expandKeys } from '../source/resolve-reference.ts';
import type { Fields } from '../source/source-yaml.ts';
import { type ScopedLine, toScopedLines } from './line-conditions.ts';

export interface StepOutput {
  /** Relative to the project; `{name}` is a variable. */
  readonly path: string;
  readonly isExact: boolean;
  readonly line: number;
  readonly text: string;
  /** All lines that say to write it. */
  readonly mentions: readonly ScopedLine[];
  /** The step gives the file another name, or deletes it. */
  readonly isRemoved: boolean;
}

const WRITES =
  /\b(?:append|save|write|create|created|copy|update|generate|initiali[sz]e|add|store|record|produce)\b/i;
const WRITES_NOTHING = /\b(?:does|do|must) not write\b|\bwrites nothing\b|\bONLY discovers\b/i;

export function findOutputs(
  { fields, body, bodyLine }: { fields: Fields; body: string; bodyLine: number },
  configured: (name: string) => boolean,
  leads?: readonly string[],
): StepOutput[] {
  if (WRITES_NOTHING.test(body)) return [];
  const found = new Map<string, StepOutput>();
  const removed = new Set<string>();
  for (const line of toScopedLines(body, leads)) {
    const { text, index } = line;
    if (text.length > 4_000) continue;
    for (const { 0: written, index: at } of text.matchAll(/\{[\w-]{1,80}\}[\w./{}-]{0,200}/g)) {
      const path = toOutputPath(expandKeys(written, fields), configured);
      if (path === undefined) continue;
      if (line.applies !== 'sometimes' && isGone(text, at)) removed.add(path);
      if (!isWritten(text, at)) continue;
      const key = /^\{([\w-]+)\}$/.exec(written)?.[1];
      const isExact = key !== undefined && /output/i.test(key);
      const known = found.get(path);
      const mentions = [...(known?.mentions ?? []), line];
      const first = known && (known.isExact || !isExact) ? known : undefined;
      found.set(path, {
        ...(first ?? { path, isExact, line: bodyLine + index + 1, text: text.trim(), isRemoved: false }),
        mentions,
      });
    }
  }
  return [...found.values()].map((output) => ({ ...output, isRemoved: removed.has(output.path) }));
}

/** Lines that say to write a file in a folder that nothing configures. */
export function findPlaceless(
  text: string,
  keys: Fields,
  configured: (name: string) => boolean,
): { path: string; line: number; text: string }[] {
  const found = new Map<string, { path: string; line: number; text: string }>();
  text.split('\n').forEach((line, index) => {
    if (line.length > 4_000) return;
    for (const { 0: written, index: at } of line.matchAll(/\{[\w-]{1,80}\}\/[\w./{}-]{1,200}/g)) {
      const path = toOutputPath(expandKeys(written, keys), () => true);
      const first = /^\{([\w-]+)\}/.exec(path ?? '')?.[1];
      if (path === undefined || first === undefined || configured(first) || !isWritten(line, at)) continue;
      if (!found.has(path)) found.set(path, { path, line: index + 1, text: line.trim() });
    }
  });
  return [...found.values()];
}

function isGone(text: string, at: number): boolean {
  return (
    /\b(?:rename|move|delete|remove)\b[^.]{0,40}$/i.test(text.slice(0, at)) &&
    !/\bto\b|→/.test(text.slice(0, at))
  );
}

/** The verb is before the path, or right after it: "`{file}` created". Of a rename only the new name counts. */
function isWritten(text: string, at: number): boolean {
  const before = text.slice(0, at);
  if (/\brename\b/i.test(before)) return /\bto\b|→/.test(before);
  return WRITES.test(before) || /^\S+[`*]* (?:is )?created\b/i.test(text.slice(at));
}

/** A file in a configured folder, as the runtime writes such paths; else undefined. */
export function toOutputPath(text: string, configured: (name: string) => boolean): string | undefined {
  const path = text
    .replace(/\{\{([\w-]+)\}\}/g, '{$1}')
    .replace(/^\{project-root\}\//, '')
    .replace(/[.,:;]+$/, '');
  const first = /^\{([\w-]+)\}\//.exec(path)?.[1];
  const isFile = /\.\w{1,5}$/.test(path) && !/[*<>|]/.test(path);
  return isFile && first !== undefined && configured(first) ? path : undefined;
}

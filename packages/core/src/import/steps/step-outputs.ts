/**
 * Finds the files a step writes: paths in frontmatter and prose that start in a configured folder, where the text says to write
 * them. A step that says it writes nothing has no outputs. Pure.
 */
import { expandKeys } from '../resolve-reference.ts';
import type { Fields } from '../source-yaml.ts';

export interface StepOutput {
  /** Relative to the project; `{name}` is a variable. */
  readonly path: string;
  readonly isExact: boolean;
  readonly line: number;
  readonly text: string;
}

const WRITES =
  /\b(?:append|save|write|create|created|copy|update|generate|initiali[sz]e|add|store|record|produce)\b/i;
const WRITES_NOTHING = /\b(?:does|do|must) not write\b|\bwrites nothing\b|\bONLY discovers\b/i;

export function findOutputs(
  { fields, body, bodyLine }: { fields: Fields; body: string; bodyLine: number },
  configured: (name: string) => boolean,
): StepOutput[] {
  if (WRITES_NOTHING.test(body)) return [];
  const found = new Map<string, StepOutput>();
  body.split('\n').forEach((text, index) => {
    if (text.length > 4_000) return;
    for (const { 0: written, index: at } of text.matchAll(/\{[\w-]{1,80}\}[\w./{}-]{0,200}/g)) {
      if (!isWritten(text, at)) continue;
      const key = /^\{([\w-]+)\}$/.exec(written)?.[1];
      const path = toOutputPath(expandKeys(written, fields), configured);
      if (path === undefined || found.get(path)?.isExact) continue;
      const isExact = key !== undefined && /output/i.test(key);
      found.set(path, { path, isExact, line: bodyLine + index + 1, text: text.trim() });
    }
  });
  return [...found.values()];
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

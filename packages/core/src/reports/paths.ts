/**
 * Removes paths of this machine from an export: known folders get their mount names. Pure.
 */
export interface RealFolder {
  readonly path: string;
  readonly shown: string;
}

/** Replaces real paths in every text of the value, including keys. */
export function hidePaths<T>(value: T, folders: readonly RealFolder[]): T {
  const hide = createHider(folders);
  const walk = (part: unknown): unknown => {
    if (typeof part === 'string') return hide(part);
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, field]) => [hide(key), walk(field)]));
  };
  // Only texts are replaced, and only by texts.
  return walk(value) as T;
}

function createHider(folders: readonly RealFolder[]): (text: string) => string {
  const byLength = folders
    .map(({ path, shown }) => ({ parts: path.split(/[\\/]+/).filter(Boolean), path, shown }))
    // A root alone would match everywhere.
    .filter(({ parts }) => parts.length > 0 && !/^[A-Za-z]:$/.test(parts.join('')))
    .sort((a, b) => b.path.length - a.path.length);
  if (byLength.length === 0) return (text) => text;
  const patterns = byLength.map(({ parts, path }) => {
    const lead = /^[\\/]/.test(path) ? SEPARATOR : '';
    return `(${lead}${parts.map(escapePattern).join(SEPARATOR)})`;
  });
  const pattern = new RegExp(`(?<![\\w.-])(?:${patterns.join('|')})(?![\\w-])`, 'gi');
  return (text) =>
    text.replace(pattern, (whole, ...groups: unknown[]) => {
      const index = groups.slice(0, byLength.length).findIndex((group) => group !== undefined);
      return byLength[index]?.shown ?? whole;
    });
}

/** In JSON inside a text, a backslash is doubled. */
const SEPARATOR = '[\\\\/]+';

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

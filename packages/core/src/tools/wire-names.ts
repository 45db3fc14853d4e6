/**
 * Tool names on the wire. Providers allow at most 64 letters, digits, `_` and `-`, so `fs.read` is sent as `fs_read`. Models write
 * other spellings too, which are accepted where exactly one tool can be meant.
 */
export type WireNames = ReturnType<typeof createWireNames>;

const MAX_LENGTH = 64;

export function createWireNames(names: readonly string[]) {
  const wireByName = new Map<string, string>();
  const nameByWire = new Map<string, string>();
  for (const name of names) {
    const wire = uniqueName(name.replace(/[^A-Za-z0-9_-]/g, '_'), nameByWire);
    wireByName.set(name, wire);
    nameByWire.set(wire, name);
  }
  return {
    toWire: (name: string): string => wireByName.get(name) ?? name,
    /** Canonical name for any spelling; undefined if no tool, or more than one, can be meant. */
    // Wire names win: a tool's canonical name may equal another tool's wire name.
    fromWire: (name: string): string | undefined =>
      nameByWire.get(name) ?? (wireByName.has(name) ? name : findMeant(name, names)),
  };
}

function uniqueName(wanted: string, used: ReadonlyMap<string, string>): string {
  const base = wanted.slice(0, MAX_LENGTH);
  if (!used.has(base)) return base;
  for (let number = 2; ; number++) {
    const candidate = `${base.slice(0, MAX_LENGTH - String(number).length - 1)}-${number}`;
    if (!used.has(candidate)) return candidate;
  }
}

/** `fs-read`, `fsRead`, `functions.fs_read`, `complete_node`, `read_file`. */
function findMeant(spelling: string, names: readonly string[]): string | undefined {
  const wanted = toKey(spelling.slice(0, 2 * MAX_LENGTH)).replace(NAMESPACE, '');
  if (wanted === '') return undefined;
  const same = names.filter((name) => toKey(name) === wanted);
  const meant = same.length > 0 ? same : names.filter((name) => shortKeysOf(name).includes(wanted));
  return meant.length === 1 ? meant[0] : undefined;
}

/** What some models put before every name. */
const NAMESPACE = /^(?:(?:functions?|tools?|default_api)_)+/;

/** The same for all ways to separate words. */
function toKey(name: string): string {
  return name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1_$2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .join('_');
}

/** The name without its family or server; file tools also with what they work on. */
function shortKeysOf(name: string): readonly string[] {
  const [family, ...rest] = name.split('.');
  const short = rest.map((_, index) => toKey(rest.slice(index).join('.')));
  return family === 'fs'
    ? short.flatMap((key) => [key, ...FILE_WORDS.map((word) => `${key}_${word}`)])
    : short;
}

const FILE_WORDS = ['file', 'files', 'folder', 'dir', 'directory'] as const;

/**
 * Tool names on the wire. Providers allow letters, digits, `_` and `-`, at most 64 of them, so `fs.read` travels as
 * `fs_read`; the map is made per request and read both ways. Pure.
 */
export interface WireNames {
  toWire(name: string): string;
  /** The tool meant by a name in either spelling; undefined for one that was not offered. */
  fromWire(name: string): string | undefined;
}

const MAX_LENGTH = 64;

export function createWireNames(names: readonly string[]): WireNames {
  const wireByName = new Map<string, string>();
  const nameByWire = new Map<string, string>();
  for (const name of names) {
    const wire = freeName(name.replace(/[^A-Za-z0-9_-]/g, '_'), nameByWire);
    wireByName.set(name, wire);
    nameByWire.set(wire, name);
  }
  return {
    toWire: (name) => wireByName.get(name) ?? name,
    // The wire spelling first: a tool may be called what another is called on the wire.
    fromWire: (name) => nameByWire.get(name) ?? (wireByName.has(name) ? name : undefined),
  };
}

function freeName(wanted: string, taken: ReadonlyMap<string, string>): string {
  const base = wanted.slice(0, MAX_LENGTH);
  if (!taken.has(base)) return base;
  for (let number = 2; ; number++) {
    const candidate = `${base.slice(0, MAX_LENGTH - String(number).length - 1)}-${number}`;
    if (!taken.has(candidate)) return candidate;
  }
}

/**
 * Tool names on the wire. Providers allow at most 64 letters, digits, `_` and `-`, so `fs.read` is sent as `fs_read`.
 * Pure.
 */
export interface WireNames {
  toWire(name: string): string;
  /** Canonical name for either spelling; undefined if the tool was not offered. */
  fromWire(name: string): string | undefined;
}

const MAX_LENGTH = 64;

export function createWireNames(names: readonly string[]): WireNames {
  const wireByName = new Map<string, string>();
  const nameByWire = new Map<string, string>();
  for (const name of names) {
    const wire = uniqueName(name.replace(/[^A-Za-z0-9_-]/g, '_'), nameByWire);
    wireByName.set(name, wire);
    nameByWire.set(wire, name);
  }
  return {
    toWire: (name) => wireByName.get(name) ?? name,
    // Wire names win: a tool's canonical name may equal another tool's wire name.
    fromWire: (name) => nameByWire.get(name) ?? (wireByName.has(name) ? name : undefined),
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

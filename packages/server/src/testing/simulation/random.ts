/** Pseudo-random numbers of a seed. */
export interface Random {
  /** At least 0, less than 1. */
  next(): number;
  below(limit: number): number;
  chance(probability: number): boolean;
  /** Undefined only for an empty list. */
  pick<T>(from: readonly T[]): T | undefined;
}

/** mulberry32: 32 bits of state are enough for a simulation and easy to fork. */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (from) => from[below(from.length)],
  };
}

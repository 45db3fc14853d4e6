/**
 * Several models behind one: most turns go to the main one, those of named agents or nodes to another, often a cheaper
 * one. Which one it is is decided before a turn is put together, so that its rules, context and prices are those of the
 * model that is asked.
 */
import type { KeyGuard } from './key-guard.ts';
import type { LLMAdapter, TurnPlace } from './llm-adapter.ts';

/** `find` says which model a turn is for; undefined for the main one. */
export function routeModels(
  main: LLMAdapter,
  others: readonly LLMAdapter[],
  find: (turn: TurnPlace) => LLMAdapter | undefined,
): LLMAdapter {
  let current = main;
  const all = [main, ...others];
  return {
    get traits() {
      return current.traits;
    },
    keysOf: (scope) => joinGuards(all.flatMap((adapter) => adapter.keysOf?.(scope) ?? [])),
    recorded: main.recorded,
    select(turn) {
      current = find(turn) ?? main;
    },
    chat: (request, watch) => current.chat(request, watch),
    close() {
      for (const adapter of all) adapter.close();
    },
  };
}

/** Hides the keys of all of them. */
function joinGuards(guards: readonly KeyGuard[]): KeyGuard {
  return {
    hide: (value) => guards.reduce((safe, guard) => guard.hide(safe), value),
    restore(text) {
      let restored = text;
      // A guard that knows one of the markers only gives up at the others; the last one has the say.
      for (const guard of guards) restored = guard.restoreKnown(restored);
      return guards.at(-1)?.restore(restored) ?? (guards.length === 0 ? restored : undefined);
    },
    restoreKnown: (text) => guards.reduce((whole, guard) => guard.restoreKnown(whole), text),
    createStream() {
      const streams = guards.map((guard) => guard.createStream());
      const through = (piece: string, from: number): string =>
        streams.slice(from).reduce((text, stream) => stream.push(text), piece);
      return {
        push: (piece) => through(piece, 0),
        end: () => streams.map((stream, at) => through(stream.end(), at + 1)).join(''),
      };
    },
  };
}

/**
 * Routes turns to several models: most go to the main one, those of certain agents or nodes to another, often a
 * cheaper one. The model is selected before a request is composed, so that rules, context and prices are those of the
 * model that receives it.
 */
import type { KeyGuard } from './key-guard.ts';
import type { LLMAdapter, TurnContext } from './llm-adapter.ts';

/** `find` returns the model of a turn; undefined for the main one. */
export function routeModels(
  main: LLMAdapter,
  others: readonly LLMAdapter[],
  find: (turn: TurnContext) => LLMAdapter | undefined,
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

/** Hides the keys of all models. */
function joinGuards(guards: readonly KeyGuard[]): KeyGuard {
  return {
    hide: (value) => guards.reduce((safe, guard) => guard.hide(safe), value),
    restore(text) {
      let restored = text;
      // `restore` fails on markers of other keys, so all guards restore their own first and the last one decides.
      for (const guard of guards) restored = guard.restoreKnown(restored);
      return guards.at(-1)?.restore(restored) ?? (guards.length === 0 ? restored : undefined);
    },
    restoreKnown: (text) => guards.reduce((whole, guard) => guard.restoreKnown(whole), text),
    createStream() {
      const streams = guards.map((guard) => guard.createStream());
      const pushFrom = (piece: string, from: number): string =>
        streams.slice(from).reduce((text, stream) => stream.push(text), piece);
      return {
        push: (piece) => pushFrom(piece, 0),
        end: () => streams.map((stream, at) => pushFrom(stream.end(), at + 1)).join(''),
      };
    },
  };
}

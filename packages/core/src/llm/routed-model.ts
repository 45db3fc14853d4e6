/**
 * Routes turns to several models: most go to the main one, those of certain agents or nodes to another, often a
 * cheaper one. The model is selected before a request is composed, so that rules, context and prices are those of the
 * model that receives it.
 */
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
    apiKeys: all.flatMap(({ apiKeys = [] }) => apiKeys),
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

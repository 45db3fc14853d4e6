/**
 * A model with several API keys: when a key is refused or has no quota left, the same request is sent with the next one,
 * and the following requests, too. Every change of the key is reported as progress.
 */
import type { MessageRules } from '@crewagent/protocol/model';
import type { ChatOutcome, LLMAdapter } from './llm-adapter.ts';

export interface NamedKey {
  /** Given by the person. */
  readonly name: string;
  readonly key: string;
}

/** A wait that a provider asks for is waited out up to this length; for a longer one another key is used. */
const LONG_WAIT_MS = 60_000;

/** `open` gets the message rules that were learned with the key before. */
export function tryKeysInOrder(
  keys: readonly NamedKey[],
  open: (key: string, learnedRules: MessageRules | undefined) => LLMAdapter,
): LLMAdapter {
  const opened = new Map<NamedKey, LLMAdapter>();
  let at = 0;
  let current = openKey(at, undefined);

  function openKey(index: number, rules: MessageRules | undefined): LLMAdapter {
    const named = keys[index];
    if (!named) throw new Error('There is no such key.');
    const adapter = opened.get(named) ?? open(named.key, rules);
    opened.set(named, adapter);
    return adapter;
  }

  function useKey(index: number): void {
    current = openKey(index, current.traits.rules);
    at = index;
  }

  return {
    get traits() {
      return current.traits;
    },
    async chat(request, watch): Promise<ChatOutcome> {
      for (let tried = 1; ; tried++) {
        const isLast = tried === keys.length;
        const outcome = await current.chat(request, isLast ? watch : { ...watch, maxWaitMs: LONG_WAIT_MS });
        if (outcome.kind !== 'failed' || !outcome.error.isAboutKey) return outcome;
        const from = keys[at]?.name ?? '';
        if (isLast) {
          useKey(0);
          const message = `${outcome.error.message} This was key "${from}"; no other key of this model is left to try.`;
          return { kind: 'failed', error: { ...outcome.error, message } };
        }
        useKey((at + 1) % keys.length);
        watch.onProgress({ type: 'key', from, to: keys[at]?.name ?? '', error: outcome.error });
      }
    },
    close() {
      for (const adapter of opened.values()) adapter.close();
    },
  };
}

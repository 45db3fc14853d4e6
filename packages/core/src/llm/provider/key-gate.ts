/**
 * A model whose API key is used by several processes: each request asks a gate that they share before it is sent, and a wait that the
 * provider asks for holds for all of them.
 */
import type { ModelSettings } from '@crewagent/protocol/model';
import { sha256Of } from '../../base/sha256.ts';
import type { ChatOutcome, ChatWatch, LLMAdapter } from '../llm-adapter.ts';
import { MAX_ASKED_WAIT_MS, pause } from './retry.ts';

export type KeyLimits = NonNullable<ModelSettings['limits']>;

export interface KeyGate {
  /** `leave` must be called after the request; `waitMs`: it must not be sent yet. Never rejects. */
  enter(keyId: string, limits: KeyLimits): Promise<{ leave(): void } | { readonly waitMs: number }>;
  /** Nobody uses the key for so long. */
  pause(keyId: string, ms: number): void;
}

/** Names a key without telling it. Without a key, as for a server of the team, it is the address. */
export function toKeyId(address: string, apiKey = ''): string {
  return sha256Of(`${address}\0${apiKey}`).slice(0, 24);
}

interface GateOptions {
  readonly gate: KeyGate;
  readonly keyId: string;
  readonly limits?: KeyLimits | undefined;
}

export function withKeyGate(adapter: LLMAdapter, { gate, keyId, limits = {} }: GateOptions): LLMAdapter {
  const pauseFor = (retryAfterMs: number | undefined): void => {
    if (retryAfterMs !== undefined && retryAfterMs > 0) gate.pause(keyId, retryAfterMs);
  };
  const send = async (request: Parameters<LLMAdapter['chat']>[0], watch: ChatWatch): Promise<ChatOutcome> => {
    const outcome = await adapter.chat(request, {
      ...watch,
      onProgress(progress) {
        if (progress.type === 'retry') pauseFor(progress.error.retryAfterMs);
        watch.onProgress(progress);
      },
    });
    if (outcome.kind === 'failed') pauseFor(outcome.error.retryAfterMs);
    return outcome;
  };
  return {
    get traits() {
      return adapter.traits;
    },
    apiKeys: adapter.apiKeys,
    async chat(request, watch) {
      const { signal, maxWaitMs = MAX_ASKED_WAIT_MS } = watch;
      const since = performance.now();
      for (;;) {
        const entry = await gate.enter(keyId, limits);
        if ('leave' in entry)
          try {
            return await send(request, watch);
          } finally {
            entry.leave();
          }
        const { waitMs } = entry;
        if (performance.now() - since + waitMs > maxWaitMs)
          return toTooLong(adapter.traits.name, waitMs, maxWaitMs);
        await pause(waitMs, signal);
        if (signal.aborted) return { kind: 'aborted' };
        await watch.settle?.();
      }
    },
    close: () => adapter.close(),
  };
}

/** As if the provider had asked for it: whoever waits does so without a slot. */
function toTooLong(name: string, waitMs: number, maxWaitMs: number): ChatOutcome {
  const message = `The key of ${name} is in use by others up to its limits.`;
  // Together the short waits were too long; the next one alone may not be.
  const retryAfterMs = Math.max(waitMs, maxWaitMs + 1);
  return { kind: 'failed', error: { code: 'LLM_RATE_LIMITED', message, isRetryable: true, retryAfterMs } };
}

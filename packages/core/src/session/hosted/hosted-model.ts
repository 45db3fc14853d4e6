/**
 * The model of a run whose calls another agent makes, the host. A request waits until the host makes its next call, which becomes
 * the reply: everything else in the engine is as with any model.
 */
import { NO_USAGE } from '@crewagent/protocol/model';
import type { ChatOutcome, LLMAdapter, ReplyToolCall } from '../../llm/llm-adapter.ts';
import type { ChatRequest } from '../../llm/wire.ts';

export interface HostedModel extends LLMAdapter {
  /** The request that waits for a call; undefined while the run does something else. */
  readonly waiting: ChatRequest | undefined;
  /** Resolves when a request waits. */
  asked(): Promise<void>;
  /** Answers the request that waits. */
  reply(call: Pick<ReplyToolCall, 'id' | 'name' | 'arguments'>): void;
}

interface Waiting {
  readonly request: ChatRequest;
  settle(outcome: ChatOutcome): void;
}

export function createHostedModel(name: string): HostedModel {
  let waiting: Waiting | undefined;
  let listeners: (() => void)[] = [];
  return {
    traits: {
      name,
      contextTokens: ANY_SIZE,
      takesSeveralSystemMessages: true,
      wantsReasoningBack: false,
      isHost: true,
      prices: { input: 0, output: 0 },
      size: 'full',
    },
    get waiting() {
      return waiting?.request;
    },
    async asked() {
      if (!waiting) await new Promise<void>((resolve) => listeners.push(resolve));
    },
    reply(call) {
      waiting?.settle({
        kind: 'reply',
        reply: {
          content: '',
          toolCalls: [{ ...call, isCutOff: false }],
          finishReason: 'tool_calls',
          // What it costs is counted where the model is.
          usage: NO_USAGE,
        },
      });
    },
    chat(request, { signal }) {
      if (signal.aborted) return Promise.resolve({ kind: 'aborted' });
      return new Promise((resolve) => {
        const settle = (outcome: ChatOutcome): void => {
          waiting = undefined;
          signal.removeEventListener('abort', onAbort);
          resolve(outcome);
        };
        const onAbort = (): void => settle({ kind: 'aborted' });
        signal.addEventListener('abort', onAbort, { once: true });
        waiting = { request, settle };
        const waked = listeners;
        listeners = [];
        for (const wake of waked) wake();
      });
    },
    close: () => undefined,
  };
}

/** The host takes care of its own context. */
const ANY_SIZE = 100_000_000;

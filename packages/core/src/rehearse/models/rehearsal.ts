/**
 * Rehearsal: a stand-in for a model that drives any valid package through the same engine and tools, without a
 * network. A reply depends on the request alone, so any history can be continued. No memory, clock or randomness.
 */

import {
  type ChatOutcome,
  type LLMAdapter,
  type ModelReply,
  type ModelTraits,
  streamText,
} from '../../llm/llm-adapter.ts';
import { requestBytes } from '../../llm/serialise.ts';
import type { ChatRequest } from '../../llm/wire.ts';
import { nextTurn } from '../../mounts/open-path.ts';
import type { PlannedMove, RehearsalOptions } from './leave.ts';
import { decideMove } from './moves.ts';

export function createRehearsal(options: RehearsalOptions = {}): LLMAdapter {
  return createStandIn('rehearsal', async (request) => decideMove(request, await request.facts?.(), options));
}

/** A model without a provider, whose replies are a function of the request. */
export function createStandIn(
  name: string,
  decide: (request: ChatRequest) => PlannedMove | Promise<PlannedMove>,
): LLMAdapter {
  return {
    traits: { ...TRAITS, name },
    async chat(request, watch): Promise<ChatOutcome> {
      // A run whose files are not synced waits for nothing: a stop could not reach it.
      await nextTurn();
      if (watch.signal.aborted) return { kind: 'aborted' };
      const move = await decide(request);
      streamText('text', move.say, watch);
      return watch.signal.aborted ? { kind: 'aborted' } : { kind: 'reply', reply: toReply(move, request) };
    },
    close: () => undefined,
  };
}

const TRAITS: Omit<ModelTraits, 'name'> = {
  contextTokens: 128_000,
  takesSeveralSystemMessages: false,
  wantsReasoningBack: false,
  prices: { input: 0, output: 0 },
  stopsOnPurpose: true,
};

const BYTES_PER_TOKEN = 4;

function toReply({ say, calls }: PlannedMove, request: ChatRequest): ModelReply {
  const toolCalls = calls.map(({ name, args }) => ({
    // The engine assigns ids that are unique in a run.
    id: '',
    name,
    arguments: JSON.stringify(args),
    isCutOff: false,
  }));
  const output = [say, ...toolCalls.flatMap((call) => [call.name, call.arguments])];
  return {
    content: say,
    toolCalls,
    finishReason: calls.length > 0 ? 'tool_calls' : 'stop',
    usage: {
      promptTokens: Math.ceil(requestBytes(request) / BYTES_PER_TOKEN),
      completionTokens: Math.ceil(Buffer.byteLength(output.join('')) / BYTES_PER_TOKEN),
      cachedTokens: 0,
      costUsd: 0,
    },
  };
}

/**
 * Whether a model can drive a run: one real conversation of two turns with one tool call, and a sentence for each step that
 * fails.
 */
import type { ChatOutcome, LLMAdapter, ModelError, ModelReply, ReplyToolCall } from './llm-adapter.ts';
import type { AssistantMessage, ChatMessage, WireTool } from './wire.ts';

export interface ConnectionReport {
  readonly ok: boolean;
  readonly steps: readonly ConnectionStep[];
  readonly model: string;
  /** How long the first turn took. */
  readonly latencyMs: number;
  readonly streams: boolean;
  readonly tools: boolean;
}

export interface ConnectionStep {
  readonly name: 'reached' | 'reply' | 'tool call' | 'second turn';
  readonly ok: boolean;
  readonly detail: string;
  readonly ms: number;
}

const MAGIC_NUMBER = '7421';
const TOOL: WireTool = {
  type: 'function',
  function: {
    name: 'get_magic_number',
    description: 'Gives the magic number of the day.',
    parameters: { type: 'object', properties: {}, additionalProperties: false },
  },
};
const OPENING: readonly ChatMessage[] = [
  { role: 'system', content: 'You test a connection. Use the tool you are given. Be brief.' },
  { role: 'user', content: 'Call get_magic_number, then tell me the number it gave you.' },
];

export async function testConnection(
  adapter: LLMAdapter,
  signal: AbortSignal = new AbortController().signal,
): Promise<ConnectionReport> {
  const steps: ConnectionStep[] = [];
  const first = await ask(adapter, OPENING, signal);
  const report = (): ConnectionReport => ({
    ok: steps.length === 4 && steps.every((step) => step.ok),
    steps,
    model: adapter.traits.name,
    latencyMs: first.ms,
    streams: first.outcome.kind === 'reply' && first.outcome.isStreamed === true,
    tools: steps.some((step) => step.name === 'tool call' && step.ok),
  });

  steps.push(toReached(first));
  if (first.outcome.kind !== 'reply') {
    if (steps[0]?.ok)
      steps.push({ name: 'reply', ok: false, detail: sentenceOf(first.outcome), ms: first.ms });
    return report();
  }
  const { reply } = first.outcome;
  steps.push({ name: 'reply', ok: true, detail: 'The model answered.', ms: first.ms });
  const call = reply.toolCalls[0];
  steps.push({ name: 'tool call', ...judgeCall(call), ms: first.ms });
  if (call === undefined || !steps.every((step) => step.ok)) return report();

  const wantsReasoning = adapter.traits.wantsReasoningBack;
  const second = await ask(adapter, [...OPENING, ...answered(reply, call, wantsReasoning)], signal);
  steps.push({ name: 'second turn', ...judgeEnd(second.outcome), ms: second.ms });
  return report();
}

interface Asked {
  readonly outcome: ChatOutcome;
  readonly ms: number;
}

async function ask(
  adapter: LLMAdapter,
  messages: readonly ChatMessage[],
  signal: AbortSignal,
): Promise<Asked> {
  const start = performance.now();
  const outcome = await adapter.chat({ messages, tools: [TOOL] }, { signal, onProgress: () => undefined });
  return { outcome, ms: Math.round(performance.now() - start) };
}

/** A server that refuses was reached; one that is silent or not there was not. */
function toReached({ outcome, ms }: Asked): ConnectionStep {
  const isReached = outcome.kind === 'reply' || (outcome.kind === 'failed' && wasReached(outcome.error));
  return {
    name: 'reached',
    ok: isReached,
    detail: isReached ? 'The server answered.' : sentenceOf(outcome),
    ms,
  };
}

function wasReached({ code, details }: ModelError): boolean {
  return code === 'LLM_BAD_RESPONSE' || (details !== undefined && details.errno === undefined);
}

function sentenceOf(outcome: ChatOutcome): string {
  if (outcome.kind === 'failed') return outcome.error.message;
  return outcome.kind === 'aborted' ? 'The test was stopped.' : '';
}

type Judgement = Pick<ConnectionStep, 'ok' | 'detail'>;

function judgeCall(call: ReplyToolCall | undefined): Judgement {
  if (call === undefined) {
    return {
      ok: false,
      detail:
        'The model answered with words and did not call the tool; choose a model that supports tool calls.',
    };
  }
  if (call.name !== TOOL.function.name || call.isCutOff) {
    return {
      ok: false,
      detail: 'The model tried to call the tool and got it wrong; choose a more capable one.',
    };
  }
  return { ok: true, detail: 'The model called the tool.' };
}

/** The turn and its answer, as the strictest provider wants them; of several calls one is enough. */
function answered(reply: ModelReply, call: ReplyToolCall, wantsReasoning: boolean): ChatMessage[] {
  const id = call.id || 'call_1';
  const assistant: AssistantMessage = {
    ...reply.extra,
    role: 'assistant',
    content: reply.content || null,
    tool_calls: [{ ...call.extra, id, type: 'function', function: { name: call.name, arguments: '{}' } }],
    ...(wantsReasoning && reply.reasoning !== undefined ? { reasoning_content: reply.reasoning } : {}),
  };
  return [assistant, { role: 'tool', tool_call_id: id, content: `{"ok":true,"number":${MAGIC_NUMBER}}` }];
}

function judgeEnd(outcome: ChatOutcome): Judgement {
  if (outcome.kind !== 'reply') return { ok: false, detail: sentenceOf(outcome) };
  // Some write 7,421.
  const isCorrect = outcome.reply.content.replace(/[^0-9]/g, '').includes(MAGIC_NUMBER);
  return isCorrect
    ? { ok: true, detail: "The model used the tool's result." }
    : { ok: false, detail: "The model did not use the tool's result; choose a more capable one." };
}

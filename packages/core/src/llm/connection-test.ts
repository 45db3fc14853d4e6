/**
 * Tests whether a model can drive a run: a conversation of two turns with one tool call, and a message for each step
 * that fails.
 */

import type { modelTestSchema } from '@crewagent/protocol/api/settings';
import { parseObject } from '@crewagent/protocol/json-object';
import type * as z from '@crewagent/protocol/zod';
import type { ChatOutcome, LLMAdapter, ModelError, ModelReply, ReplyToolCall } from './llm-adapter.ts';
import { plainRules, toProviderMessages, toProviderTools } from './provider-messages.ts';
import type { AssistantMessage, ChatMessage, WireTool } from './wire.ts';

export type ConnectionReport = NonNullable<z.infer<typeof modelTestSchema>['report']>;
type ConnectionStep = ConnectionReport['steps'][number];

/** Rules, tools and the brief of a step have about 3,500 tokens; files and replies need about as many. */
const NEEDED_TOKENS = 8_000;

const MAGIC_NUMBER = '7421';
const TOOL: WireTool = {
  type: 'function',
  function: {
    name: 'get_magic_number',
    description: 'Gives the magic number of the day.',
    parameters: { type: 'object', properties: {}, additionalProperties: false },
  },
};
const SYSTEM: ChatMessage = {
  role: 'system',
  content: 'You test a connection. Use the tool you are given. Be brief.',
};
const FIRST_MESSAGES: readonly ChatMessage[] = [
  SYSTEM,
  { role: 'user', content: 'Call get_magic_number, then tell me the number it gave you.' },
];

export async function testConnection(
  adapter: LLMAdapter,
  signal: AbortSignal = new AbortController().signal,
): Promise<ConnectionReport> {
  const steps: ConnectionStep[] = [];
  const first = await ask(adapter, FIRST_MESSAGES, signal);
  const report = (): ConnectionReport => ({
    ok: steps.length === 4 && steps.every((step) => step.ok),
    steps,
    model: adapter.traits.name,
    latencyMs: first.ms,
    streams: first.outcome.kind === 'reply' && first.outcome.isStreamed === true,
    tools: steps.some((step) => step.name === 'tool call' && step.ok),
    context: contextOf(adapter),
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
  steps.push({ name: 'tool call', ...checkCall(call), ms: first.ms });
  if (call === undefined || !steps.every((step) => step.ok)) return report();

  const origin = adapter.traits.rules?.origin;
  const second = await ask(adapter, [...FIRST_MESSAGES, ...toAnsweredTurn(reply, call, origin)], signal);
  steps.push({ name: 'second turn', ...checkSecondTurn(second.outcome), ms: second.ms });
  const { ok } = report();
  return ok ? { ...report(), abilities: await findAbilities(adapter, signal) } : report();
}

function contextOf({ traits: { contextTokens: tokens } }: LLMAdapter): ConnectionReport['context'] {
  return { tokens, neededTokens: NEEDED_TOKENS, fits: tokens >= NEEDED_TOKENS };
}

const COLOUR_TOOL: WireTool = {
  type: 'function',
  function: {
    name: 'get_number_of',
    description: 'Gives the number of one colour.',
    parameters: {
      type: 'object',
      properties: { colour: { type: 'string', enum: ['red', 'blue'] } },
      required: ['colour'],
    },
  },
};
const COLOURS: readonly ChatMessage[] = [
  SYSTEM,
  { role: 'user', content: 'Call get_number_of twice in one reply: once for red and once for blue.' },
];

/** Abilities that a run does not require but benefits from. */
async function findAbilities(
  adapter: LLMAdapter,
  signal: AbortSignal,
): Promise<ConnectionReport['abilities']> {
  const { outcome } = await ask(adapter, COLOURS, signal, COLOUR_TOOL);
  const calls = outcome.kind === 'reply' ? outcome.reply.toolCalls : [];
  const colours = calls.map((call) => parseObject(call.arguments)?.colour);
  return {
    parallelCalls: calls.length > 1,
    jsonArguments: calls.length > 0 && colours.every((colour) => colour === 'red' || colour === 'blue'),
  };
}

async function ask(
  adapter: LLMAdapter,
  messages: readonly ChatMessage[],
  signal: AbortSignal,
  tool: WireTool = TOOL,
): Promise<{ readonly outcome: ChatOutcome; readonly ms: number }> {
  const start = performance.now();
  const send = (): Promise<ChatOutcome> => {
    const { rules = plainRules(adapter.traits.wantsReasoningBack) } = adapter.traits;
    const request = {
      messages: toProviderMessages(messages, rules),
      tools: toProviderTools([tool], rules),
    };
    return adapter.chat(request, { signal, onProgress: () => undefined });
  };
  let outcome = await send();
  // Retry once if the error changed the message rules.
  if (outcome.kind === 'failed' && outcome.error.details?.messageRules) outcome = await send();
  return { outcome, ms: Math.round(performance.now() - start) };
}

/** A server that sends an error was reached; one that is silent or not listening was not. */
function toReached({ outcome, ms }: Awaited<ReturnType<typeof ask>>): ConnectionStep {
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

type Verdict = Pick<ConnectionStep, 'ok' | 'detail'>;

function checkCall(call: ReplyToolCall | undefined): Verdict {
  if (call === undefined)
    return failed(
      'The model answered with text and did not call the tool. Choose a model that supports tool calls.',
    );
  if (call.name !== TOOL.function.name || call.isCutOff)
    return failed('The model sent an invalid tool call. Choose a more capable one.');
  return { ok: true, detail: 'The model called the tool.' };
}

/** The messages of the first turn with the tool result; of several calls the first is answered. */
function toAnsweredTurn(reply: ModelReply, call: ReplyToolCall, origin: string | undefined): ChatMessage[] {
  const id = call.id || 'call_1';
  const assistant: AssistantMessage = {
    role: 'assistant',
    content: reply.content || null,
    tool_calls: [{ id, type: 'function', function: { name: call.name, arguments: '{}' } }],
    stored: { origin, reasoning: reply.reasoning, fields: reply.extra, callFields: [call.extra] },
  };
  return [assistant, { role: 'tool', tool_call_id: id, content: `{"ok":true,"number":${MAGIC_NUMBER}}` }];
}

function checkSecondTurn(outcome: ChatOutcome): Verdict {
  if (outcome.kind !== 'reply') return failed(sentenceOf(outcome));
  // Some models write 7,421.
  const isCorrect = outcome.reply.content.replace(/[^0-9]/g, '').includes(MAGIC_NUMBER);
  return isCorrect
    ? { ok: true, detail: "The model used the tool's result." }
    : failed("The model did not use the tool's result. Choose a more capable one.");
}

function failed(detail: string): Verdict {
  return { ok: false, detail };
}

/**
 * Replays the replies of a recording. Each request must be equivalent to the recorded one; the first that is not
 * fails with an error that shows the difference. For tests of a package it is enough that a request comes at the same point of the run.
 */
import type { CassetteExchange } from '@crewagent/protocol/cassette';
import { messageRulesSchema } from '@crewagent/protocol/model';
import {
  type ChatOutcome,
  type LLMAdapter,
  type ModelError,
  type ModelTraits,
  type RecordedTools,
  streamText,
} from '../llm-adapter.ts';
import type { ChatRequest, WireTool } from '../wire.ts';
import {
  type ComparableRequest,
  type Difference,
  findDifference,
  toComparable,
  toOutline,
} from './cassette-compare.ts';
import { loadCassette } from './cassette-file.ts';

export interface ReplayOptions {
  /** Called for a request whose texts differ and that is answered because it comes at the same point of the run. */
  readonly onDrift?: (drift: Difference) => void;
}

export async function createReplay(file: string, { onDrift }: ReplayOptions = {}): Promise<LLMAdapter> {
  const { header, exchanges } = await loadCassette(file);
  const recorded = exchanges.map(toRecorded);
  let traits: ModelTraits = header.model;
  /** Index of the exchange expected next. */
  let cursor = 0;

  /** A resumed run repeats earlier requests; a shortened one skips some. */
  const find = (now: ComparableRequest): number | undefined => {
    const later = recorded.findIndex((exchange, index) => index >= cursor && exchange.matches(now));
    const found = later === -1 ? recorded.findIndex((exchange) => exchange.matches(now)) : later;
    return found === -1 ? undefined : found;
  };
  const findFitting = (
    request: ChatRequest,
    now: ComparableRequest,
    report: (drift: Difference) => void,
  ): number => {
    const outline = toOutline(request);
    const index = exchanges.findIndex(
      (exchange, at) => at >= cursor && toOutline(exchange.request) === outline,
    );
    const fitting = recorded[index];
    if (fitting) report(findDifference(fitting.comparable(), now));
    return index;
  };

  return {
    get traits() {
      return traits;
    },
    recorded: toRecordedTools(exchanges.map(({ request }) => request)),
    async chat(request, watch): Promise<ChatOutcome> {
      if (watch.signal.aborted) return { kind: 'aborted' };
      const now = toComparable(request);
      const index = find(now) ?? (onDrift ? findFitting(request, now, onDrift) : -1);
      const exchange = exchanges[index];
      if (!exchange) {
        return { kind: 'failed', error: toMismatch(cursor, recorded[cursor]?.comparable(), now) };
      }
      cursor = index + 1;
      const { outcome } = exchange;
      if (outcome.kind === 'failed') traits = { ...traits, ...rulesIn(outcome.error) };
      if (outcome.kind === 'reply') {
        streamText('reasoning', outcome.reply.reasoning ?? '', watch);
        streamText('text', outcome.reply.content, watch);
      }
      return watch.signal.aborted ? { kind: 'aborted' } : outcome;
    },
    close: () => undefined,
  };
}

/** The stored hash avoids recomputing it; a line that was edited by hand is hashed again. */
function toRecorded({ request, requestHash }: CassetteExchange) {
  let known: ComparableRequest | undefined;
  const comparable = (): ComparableRequest => {
    known ??= toComparable(request);
    return known;
  };
  return {
    matches: ({ hash }: ComparableRequest): boolean => hash === requestHash || hash === comparable().hash,
    comparable,
  };
}

/** Rules that the recorded adapter learned from an error apply to the following requests. */
function rulesIn({ details }: ModelError): Pick<ModelTraits, 'rules'> {
  const parsed = messageRulesSchema.safeParse(details?.messageRules);
  return parsed.success ? { rules: parsed.data } : {};
}

const ADVICE =
  'Replay it with the package, project and settings it was recorded with, or record the run again.';

function toMismatch(
  cursor: number,
  recorded: ComparableRequest | undefined,
  now: ComparableRequest,
): ModelError {
  const exchange = cursor + 1;
  const mismatch = { code: 'CASSETTE_MISMATCH', isRetryable: false } as const;
  if (!recorded) {
    const message = `The recording has only ${cursor} exchanges, and the run sent another request. ${ADVICE}`;
    return { ...mismatch, message, details: { exchange } };
  }
  const { message, role, sentence, diff } = findDifference(recorded, now);
  return {
    ...mismatch,
    message: `Request ${exchange} differs from the recorded one: ${sentence}. ${ADVICE}`,
    details: { exchange, message, role, diff },
  };
}

/** Tools of MCP servers, and commands. */
const NOT_BUILT_IN = /^(?:mcp_|shell_run$)/;

function toRecordedTools(requests: readonly ChatRequest[]): RecordedTools {
  const tools = new Map<string, WireTool>();
  const answers = new Map<string, string>();
  for (const request of requests) {
    for (const tool of request.tools) {
      const { name } = tool.function;
      if (NOT_BUILT_IN.test(name) && !tools.has(name)) tools.set(name, tool);
    }
    // The first result is complete; later requests may contain a shortened one.
    for (const message of request.messages)
      if (message.role === 'tool' && !answers.has(message.tool_call_id))
        answers.set(message.tool_call_id, message.content);
  }
  return { tools: [...tools.values()], answers };
}

/**
 * Replays the replies of a recording. Each request must be equivalent to the recorded one; the first that is not
 * fails with an error that shows the difference.
 */
import type { CassetteExchange, CassetteHeader, CassetteOutcome } from '@crewagent/protocol/cassette';
import { messageRulesSchema } from '@crewagent/protocol/model';
import type { ChatOutcome, LLMAdapter, ModelError, ModelTraits } from '../llm-adapter.ts';
import { type ComparableRequest, findDifference, toComparable } from './cassette-compare.ts';
import { loadCassette } from './cassette-file.ts';
import { toRecordedTools } from './recorded-tools.ts';
import { streamText } from './replay-deltas.ts';

export async function createReplay(file: string): Promise<LLMAdapter> {
  const { header, exchanges } = await loadCassette(file);
  const recorded = exchanges.map(toRecorded);
  let traits = toTraits(header);
  /** Index of the exchange expected next. */
  let cursor = 0;

  /** A resumed run repeats earlier requests; a shortened one skips some. */
  const find = (now: ComparableRequest): number => {
    const later = recorded.findIndex((exchange, index) => index >= cursor && exchange.matches(now));
    return later === -1 ? recorded.findIndex((exchange) => exchange.matches(now)) : later;
  };

  return {
    get traits() {
      return traits;
    },
    recorded: toRecordedTools(exchanges.map(({ request }) => request)),
    async chat(request, watch): Promise<ChatOutcome> {
      if (watch.signal.aborted) return { kind: 'aborted' };
      const now = toComparable(request);
      const index = find(now);
      const exchange = exchanges[index];
      if (!exchange) {
        return { kind: 'failed', error: toMismatch(cursor, recorded[cursor]?.comparable(), now) };
      }
      cursor = index + 1;
      const outcome = toOutcome(exchange.outcome);
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

interface RecordedExchange {
  matches(now: ComparableRequest): boolean;
  comparable(): ComparableRequest;
}

/** The stored hash avoids recomputing it; a line that was edited by hand is hashed again. */
function toRecorded({ request, requestHash }: CassetteExchange): RecordedExchange {
  let known: ComparableRequest | undefined;
  const comparable = (): ComparableRequest => {
    known ??= toComparable(request);
    return known;
  };
  return {
    matches: ({ hash }) => hash === requestHash || hash === comparable().hash,
    comparable,
  };
}

function toTraits({ model: { prices, ...traits } }: CassetteHeader): ModelTraits {
  return { ...traits, prices };
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
    details: { exchange, ...(message === undefined ? {} : { message, role }), diff },
  };
}

function toOutcome(outcome: CassetteOutcome): ChatOutcome {
  if (outcome.kind === 'failed') return outcome;
  const { reasoning, extra, usage, toolCalls, ...reply } = outcome.reply;
  const calls = toolCalls.map((call) => ({ ...call, extra: call.extra }));
  return { kind: 'reply', reply: { ...reply, toolCalls: calls, reasoning, extra, usage } };
}

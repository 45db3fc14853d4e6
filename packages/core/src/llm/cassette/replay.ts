/**
 * Plays a recorded run's replies back. Each request must mean the same as the one that was recorded; the first that does
 * not ends in an error that says where they part.
 */
import type { CassetteExchange, CassetteHeader, CassetteOutcome } from '@crewagent/protocol/cassette';
import { messageRulesSchema } from '@crewagent/protocol/model';
import type { ChatOutcome, LLMAdapter, ModelError, ModelTraits } from '../llm-adapter.ts';
import { type ComparableRequest, findDifference, toComparable } from './cassette-compare.ts';
import { loadCassette } from './cassette-file.ts';
import { toRecordedTools } from './recorded-tools.ts';
import { sayInPieces } from './replay-deltas.ts';

export async function createReplay(file: string): Promise<LLMAdapter> {
  const { header, exchanges } = await loadCassette(file);
  const recorded = exchanges.map(remember);
  let traits = toTraits(header);
  /** The exchange that is expected next. */
  let cursor = 0;

  /** A resumed run repeats what was asked before; a shortened one leaves something out. */
  const find = (now: ComparableRequest): number => {
    const later = recorded.findIndex((exchange, index) => index >= cursor && exchange.isFor(now));
    return later === -1 ? recorded.findIndex((exchange) => exchange.isFor(now)) : later;
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
        sayInPieces('reasoning', outcome.reply.reasoning ?? '', watch);
        sayInPieces('text', outcome.reply.content, watch);
      }
      return watch.signal.aborted ? { kind: 'aborted' } : outcome;
    },
    close: () => undefined,
  };
}

interface RecordedExchange {
  isFor(now: ComparableRequest): boolean;
  comparable(): ComparableRequest;
}

/** The hash in the file spares the work; a line that was edited by hand is read anew. */
function remember({ request, requestHash }: CassetteExchange): RecordedExchange {
  let known: ComparableRequest | undefined;
  const comparable = (): ComparableRequest => {
    known ??= toComparable(request);
    return known;
  };
  return {
    isFor: ({ hash }) => hash === requestHash || hash === comparable().hash,
    comparable,
  };
}

function toTraits({ model: { prices, ...traits } }: CassetteHeader): ModelTraits {
  return { ...traits, prices };
}

/** What the recorded adapter learned from a complaint holds for the requests after it. */
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
    const message = `The recording ends here: it holds ${cursor} exchanges and this is another one. ${ADVICE}`;
    return { ...mismatch, message, details: { exchange } };
  }
  const { message, role, sentence, diff } = findDifference(recorded, now);
  return {
    ...mismatch,
    message: `Request ${exchange} is not the recorded one: ${sentence}. ${ADVICE}`,
    details: { exchange, ...(message === undefined ? {} : { message, role }), diff },
  };
}

function toOutcome(outcome: CassetteOutcome): ChatOutcome {
  if (outcome.kind === 'failed') return outcome;
  const { reasoning, extra, usage, toolCalls, ...reply } = outcome.reply;
  const calls = toolCalls.map((call) => ({ ...call, extra: call.extra }));
  return { kind: 'reply', reply: { ...reply, toolCalls: calls, reasoning, extra, usage } };
}

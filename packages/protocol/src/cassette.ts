/**
 * A cassette: a recorded conversation with a model, to be replayed without one. JSON lines: a header, then one exchange per
 * line. Requests are stored in full, so that two recordings can be compared by eye. The format has no field for a key.
 */

import { ERRORS, type ErrorCode } from './errors.ts';
import { messageRulesSchema, modelSizeSchema, pricesSchema, usageSchema } from './model.ts';
import { pictureSchema } from './pictures.ts';
import { nonEmptySchema, positiveCountSchema, sha256Schema } from './scalars.ts';
import * as z from './zod.ts';

export const CASSETTE_KIND = 'crewagent.cassette';

const freeObject = z.record(z.string(), z.unknown());

export const cassetteHeaderSchema = z.strictObject({
  schemaVersion: z.literal(1),
  kind: z.literal(CASSETTE_KIND),
  createdAt: z.iso.datetime(),
  /** The recorded model, as needed to compose requests for it. */
  model: z.strictObject({
    name: nonEmptySchema,
    contextTokens: positiveCountSchema,
    takesSeveralSystemMessages: z.boolean(),
    wantsReasoningBack: z.boolean(),
    /** Recordings of earlier versions have none. */
    rules: z.optional(messageRulesSchema),
    prices: z.optional(pricesSchema),
    size: z.optional(modelSizeSchema),
    stopsOnPurpose: z.optional(z.boolean()),
  }),
});

/** Providers add fields of their own to assistant messages; they are preserved. */
const messageSchema = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: z.string() }),
  z.strictObject({
    role: z.literal('user'),
    content: z.string(),
    pictures: z.exactOptional(z.array(pictureSchema)),
  }),
  z.looseObject({
    role: z.literal('assistant'),
    content: z.nullable(z.string()),
    reasoning_content: z.exactOptional(z.string()),
    tool_calls: z.exactOptional(
      z.array(
        z.looseObject({
          id: z.string(),
          type: z.literal('function'),
          function: z.strictObject({ name: z.string(), arguments: z.string() }),
        }),
      ),
    ),
  }),
  z.strictObject({ role: z.literal('tool'), tool_call_id: z.string(), content: z.string() }),
]);

const requestSchema = z.strictObject({
  messages: z.array(messageSchema),
  tools: z.array(
    z.strictObject({
      type: z.literal('function'),
      function: z.strictObject({ name: z.string(), description: z.string(), parameters: freeObject }),
    }),
  ),
});

const replySchema = z.strictObject({
  content: z.string(),
  toolCalls: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      arguments: z.string(),
      isCutOff: z.boolean(),
      extra: z.optional(freeObject),
    }),
  ),
  reasoning: z.optional(z.string()),
  finishReason: z.string(),
  extra: z.optional(freeObject),
  usage: z.optional(usageSchema),
});

type ModelErrorCode = Extract<ErrorCode, `LLM_${string}` | `CASSETTE_${string}`>;

const modelErrorSchema = z.strictObject({
  code: z.custom<ModelErrorCode>(
    (code) => typeof code === 'string' && /^(?:LLM|CASSETTE)_/.test(code) && Object.hasOwn(ERRORS, code),
    'expected an error code of a model',
  ),
  message: z.string(),
  isRetryable: z.boolean(),
  retryAfterMs: z.exactOptional(z.number()),
  details: z.exactOptional(freeObject),
});

/** How a request ended. An aborted request leaves no exchange. */
export const cassetteOutcomeSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('reply'), reply: replySchema }),
  z.strictObject({ kind: z.literal('failed'), error: modelErrorSchema }),
]);

export const cassetteExchangeSchema = z.strictObject({
  request: requestSchema,
  /** Equal for equivalent requests, regardless of ids and times in them. */
  requestHash: sha256Schema,
  outcome: cassetteOutcomeSchema,
});

export type CassetteHeader = z.infer<typeof cassetteHeaderSchema>;
export type CassetteExchange = z.infer<typeof cassetteExchangeSchema>;
export type CassetteOutcome = z.infer<typeof cassetteOutcomeSchema>;

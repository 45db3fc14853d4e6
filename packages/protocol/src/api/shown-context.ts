/** The context of a model, part by part, with the token count of each. */
import { countSchema, positiveCountSchema } from '../scalars.ts';
import * as z from '../zod.ts';

/** In the order they are sent: stable parts first, changing parts last. */
export const contextLayerSchema = z.enum([
  'rules',
  'policy',
  'background',
  'persona',
  'menu',
  'tools',
  'earlier',
  'anchor',
  'messages',
  'input',
]);
export type ContextLayer = z.infer<typeof contextLayerSchema>;

const shownPartSchema = z.strictObject({
  layer: contextLayerSchema,
  role: z.optional(z.enum(['system', 'user', 'assistant', 'tool'])),
  /** As sent: text, and calls as JSON. */
  text: z.string(),
  tokens: countSchema,
  /** Of a tool of an MCP server. */
  tool: z.optional(
    z.strictObject({
      /** As the model knows it. */
      name: z.string(),
      bytes: countSchema,
      /** Sent with a name and one line; the model asks for the rest. */
      isBrief: z.boolean(),
    }),
  ),
});
export type ShownPart = z.infer<typeof shownPartSchema>;

const shownRequestSchema = z.strictObject({
  /** Estimated; only a provider has exact counts. */
  tokens: countSchema,
  parts: z.array(shownPartSchema),
});
export type ShownRequest = z.infer<typeof shownRequestSchema>;

/** What a model is sent first at a node of a package. */
export const shownPromptSchema = z.strictObject({
  workflow: z.string(),
  nodeId: z.string(),
  title: z.string(),
  agentId: z.string(),
  contextTokens: positiveCountSchema,
  ...shownRequestSchema.shape,
});
export type ShownPrompt = z.infer<typeof shownPromptSchema>;

/** The request of a turn, rebuilt from the log. */
export const rebuiltRequestSchema = z.strictObject({
  ...shownRequestSchema.shape,
  turn: positiveCountSchema,
  /** Number of turns so far. */
  turns: positiveCountSchema,
  at: z.string(),
  nodeId: z.optional(z.string()),
  agentId: z.optional(z.string()),
  bytes: countSchema,
  /** SHA-256 of the request that was sent; missing in logs of the first versions. */
  sha256: z.optional(z.string()),
  /** Whether the rebuilt request is the one that was sent, by its hash; undefined if that was not recorded. */
  isProved: z.optional(z.boolean()),
});
export type RebuiltRequest = z.infer<typeof rebuiltRequestSchema>;

export const shownContextSchema = z.strictObject({
  /** Size of the model's context window. */
  contextTokens: positiveCountSchema,
  /** The last request and its turn; missing before the first. */
  last: z.optional(
    z.strictObject({
      ...shownRequestSchema.shape,
      turn: positiveCountSchema,
      /** Reconstructed by another version or for another model, so it may differ from the bytes that were sent. */
      isApproximate: z.optional(z.literal(true)),
    }),
  ),
  next: shownRequestSchema,
  /** All compactions, newest last. */
  compactions: z.array(
    z.strictObject({
      at: z.string(),
      outcome: z.enum(['effective', 'noop', 'failed']),
      tokensBefore: z.int(),
      tokensAfter: z.int(),
    }),
  ),
});
export type ShownContext = z.infer<typeof shownContextSchema>;

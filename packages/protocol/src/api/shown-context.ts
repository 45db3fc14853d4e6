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

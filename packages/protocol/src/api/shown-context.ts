/** What a model is sent, part by part, with the share of each: for people who want to know what it knows. */
import * as z from '../zod.ts';

/** In the order they are sent: what stays the same first, what changes last. */
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
  role: z.enum(['system', 'user', 'assistant', 'tool']).optional(),
  /** As it is sent: words, and calls as JSON. */
  text: z.string(),
  tokens: z.int().min(0),
});
export type ShownPart = z.infer<typeof shownPartSchema>;

const shownRequestSchema = z.strictObject({
  /** Estimated, as everywhere before a provider counts. */
  tokens: z.int().min(0),
  parts: z.array(shownPartSchema),
});
export type ShownRequest = z.infer<typeof shownRequestSchema>;

export const shownContextSchema = z.strictObject({
  /** How much the model takes. */
  contextTokens: z.int().min(1),
  /** With the turn it was sent in; missing before the first. */
  last: z
    .strictObject({
      ...shownRequestSchema.shape,
      turn: z.int().min(1),
      /** Not byte for byte what was sent: another version or another model spoke then. */
      isApproximate: z.literal(true).optional(),
    })
    .optional(),
  next: shownRequestSchema,
  /** Each time room was made, the latest last. */
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

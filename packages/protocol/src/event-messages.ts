/**
 * What events record of the messages of a run: frames of requests, calls, anchors, and texts on behalf of a person.
 */
import { messageRulesSchema } from './model.ts';
import * as z from './zod.ts';

const freeObject = z.record(z.string(), z.unknown());

const frameLayerSchema = z.enum(['rules', 'policy', 'background', 'persona', 'menu']);

/** What requests repeat, as it was sent: with it, a request can be rebuilt from the log byte for byte. */
export const requestFrameSchema = z.strictObject({
  system: z.array(z.string()),
  /** Layers of the system messages, in order, with their lengths. Missing in logs of earlier versions. */
  layers: z.optional(z.array(z.strictObject({ layer: frameLayerSchema, length: z.number() }))),
  tools: z.array(freeObject),
  /** For the form of the messages. */
  rules: messageRulesSchema,
});
export type RequestFrame = z.infer<typeof requestFrameSchema>;

export const toolCallSchema = z.strictObject({
  id: z.string(),
  /** As shown to people (`fs.read`); as the model wrote it if there is no such tool. */
  name: z.string(),
  /** JSON as the model wrote it, valid or not. */
  arguments: z.string(),
  /** The reply ended in the middle of this call. */
  isCutOff: z.optional(z.literal(true)),
  /** The model wrote the call in the text of its reply instead of making it. */
  isFromText: z.optional(z.literal(true)),
  /** Provider fields we do not know, to be sent back unchanged. */
  extra: z.optional(freeObject),
});
export type LoggedToolCall = z.infer<typeof toolCallSchema>;

/** Text the runtime sends to the model on behalf of a person: a document of a command, or an instruction of the package. */
const directiveSchema = z.enum(['data', 'directive']);

/** The subject of such a text, for readers other than the model. Logs of earlier versions have none. */
export const promptSubjectSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('data'), path: z.string(), summary: z.string() }),
  z.strictObject({ kind: z.literal('script'), path: z.string() }),
  /** `name`: `#id` of a prompt; an inline prompt of the menu has a text instead. */
  z.strictObject({ kind: z.literal('action'), name: z.optional(z.string()), text: z.optional(z.string()) }),
  /** The outcome of a run of the conversation. */
  z.strictObject({ kind: z.literal('run'), workflow: z.string() }),
  z.strictObject({ kind: z.literal('rewind') }),
  /** Pictures that an answer mentions: the result of a call has only text. */
  z.strictObject({ kind: z.literal('pictures') }),
  /** What was said in the conversation before a run was started from it. `said`: by the person. */
  z.strictObject({ kind: z.literal('conversation'), said: z.array(z.string()) }),
]);
export type PromptSubject = z.infer<typeof promptSubjectSchema>;

/** The blocks of an anchor at a node: directive and brief up to `briefEnd`, then the text of the step, if it was sent. */
export const anchorBlocksSchema = z.strictObject({
  stepFile: z.string(),
  briefEnd: z.int(),
  stepEnd: z.optional(z.int()),
  /** Files that were sent whole with the step, by full mount path. */
  prefetched: z.optional(z.array(z.strictObject({ path: z.string(), sha256: z.string() }))),
});
export type AnchorBlocks = z.infer<typeof anchorBlocksSchema>;

export const queuedInputShape = {
  content: z.string(),
  purpose: z.optional(directiveSchema),
  /** Shown to people instead of the content: the path of a document, the name of a prompt; nothing if omitted. */
  label: z.optional(z.string()),
  subject: z.optional(promptSubjectSchema),
};
export const queuedInputSchema = z.strictObject(queuedInputShape);
export type QueuedInput = z.infer<typeof queuedInputSchema>;

/** Author and purpose of a message: people see replies and inputs; the others are for the model only. */
export const messagePurposeSchema = z.enum(['reply', 'input', 'anchor', 'nudge', ...directiveSchema.options]);
export type MessagePurpose = z.infer<typeof messagePurposeSchema>;

/**
 * Everything that happens in a run or a conversation, as one union: a line of its log, a message to a screen, a line of
 * `--json`. Deltas are sent and never stored; all else is stored before it is sent.
 */

import { approvalDecisionSchema, approvalReachSchema } from './approvals.ts';
import { commandEventShape, menuShownShape, offeredChoiceShape } from './command-events.ts';
import { conversationKindSchema, enteredAgentSchema } from './conversation.ts';
import { changeSelectionSchema, undoneFileSchema } from './journal.ts';
import { runModelSchema, usageSchema } from './model.ts';
import { phaseReasonSchema, runPhaseSchema } from './run.ts';
import { describedActionSchema, questionSchema, runsLaterSchema, toolEffectSchema } from './tools.ts';
import { decisionSchema, nodeTypeSchema } from './workflow.ts';
import * as z from './zod.ts';

const stampShape = {
  v: z.literal(1),
  /** Rises by one with each stored event; a delta bears the number of the stored event before it. */
  seq: z.int().min(1),
  ts: z.iso.datetime(),
  /** Whose log it is: a run's, or a conversation's. */
  runId: z.string(),
};

const event = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.strictObject({ ...stampShape, type: z.literal(type), ...shape });

const nodeId = z.string().optional();
const freeObject = z.record(z.string(), z.unknown());

export const toolCallSchema = z.strictObject({
  id: z.string(),
  /** As people see it (`fs.read`); as the model said it where there is no such tool. */
  name: z.string(),
  /** JSON as the model wrote it, valid or not. */
  arguments: z.string(),
  /** The reply ended in the middle of this call. */
  isCutOff: z.literal(true).optional(),
  /** Fields of the provider's that are unknown to us, to be sent back as they came. */
  extra: freeObject.optional(),
});

/** Said to the model by the runtime for a person: a document that goes with a command, or an instruction of the package. */
const directiveSchema = z.enum(['data', 'directive']);

/** What such a text is about, for readers other than the model. Logs of earlier versions do not say. */
const promptSubjectSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('data'), path: z.string(), summary: z.string() }),
  z.strictObject({ kind: z.literal('script'), path: z.string() }),
  /** `name`: `#id` of a prompt; words of the menu have a text instead. */
  z.strictObject({ kind: z.literal('action'), name: z.string().optional(), text: z.string().optional() }),
]);
export type PromptSubject = z.infer<typeof promptSubjectSchema>;

const queuedInputShape = {
  content: z.string(),
  purpose: directiveSchema.optional(),
  /** What a person sees of it instead of its content: the path of a document, the name of a prompt; else nothing. */
  label: z.string().optional(),
  subject: promptSubjectSchema.optional(),
};
const queuedInputSchema = z.strictObject(queuedInputShape);
export type QueuedInput = z.infer<typeof queuedInputSchema>;

/** Who a message is from and what for: a person sees replies and inputs; all else is for the model. */
export const messagePurposeSchema = z.enum(['reply', 'input', 'anchor', 'nudge', ...directiveSchema.options]);

export const runEventSchema = z.discriminatedUnion('type', [
  event('run.created', {
    package: z.strictObject({ name: z.string(), version: z.string(), hash: z.string() }),
    workflow: z.strictObject({ ref: z.string(), title: z.string() }),
    nodes: z.array(z.strictObject({ id: z.string(), title: z.string(), type: nodeTypeSchema })),
    entryNodeId: z.string(),
    activeAgentId: z.string(),
    model: runModelSchema,
    /** What the author of the workflow set from the start. */
    variables: freeObject,
  }),
  event('run.resumed', { nodeId }),
  event('phase.changed', { phase: runPhaseSchema, reason: phaseReasonSchema.optional() }),
  event('turn.started', {
    turn: z.int().min(1),
    nodeId,
    agentId: z.string().optional(),
    requestBytes: z.int(),
    estimatedTokens: z.int(),
  }),
  event('message.delta', { turn: z.int(), text: z.string() }),
  event('reasoning.delta', { turn: z.int(), text: z.string() }),
  event('message.completed', {
    turn: z.int().optional(),
    role: z.enum(['assistant', 'user']),
    purpose: messagePurposeSchema,
    nodeId,
    content: z.string(),
    /** Of a document or an instruction. */
    subject: promptSubjectSchema.optional(),
    /** Of an anchor: stands for all it says but its intent. What the model was told already is not told again. */
    anchorKey: z.string().optional(),
    toolCalls: z.array(toolCallSchema).optional(),
    finishReason: z.string().optional(),
    /** What the model thought, where the provider tells. */
    reasoning: z.string().optional(),
    /** Fields of the provider's that are unknown to us, to be sent back as they came. */
    extra: freeObject.optional(),
  }),
  /** A person said something, or chose something the model must be told; it is told with its next turn. */
  event('input.queued', queuedInputShape),
  /** The same for several things that belong together. */
  event('errands.queued', { inputs: z.array(queuedInputSchema) }),
  event('tool.started', { callId: z.string(), name: z.string(), nodeId, path: z.string().optional() }),
  event('tool.ended', {
    callId: z.string(),
    name: z.string(),
    nodeId,
    outcome: z.enum(['ok', 'failed', 'refused']),
    code: z.string().optional(),
    /** Why it did not work. */
    message: z.string().optional(),
    durationMs: z.int().min(0),
    /** The answer, exactly as the model is told it. */
    content: z.string(),
    /** Logs of earlier versions have none; read it with `effectOf`. */
    effect: toolEffectSchema.optional(),
  }),
  event('state.changed', {
    from: z.string(),
    to: z.string(),
    label: z.string().optional(),
    /** What was set, and the names of what was taken away. */
    variables: freeObject,
    unset: z.array(z.string()).optional(),
    stepsAdded: z.array(z.string()),
    decisionsAdded: z.array(decisionSchema),
    /** What the model noted for later nodes. */
    carry: z.string().optional(),
    artifactsAdded: z.array(z.string()).optional(),
    /** What stands here is everything, not what was added: the document was changed behind the runtime's back. */
    isWhole: z.literal(true).optional(),
    /** A person took the run back to a node where it was before, or to the beginning of the one it is at. */
    isRewind: z.literal(true).optional(),
    /** Ends that no longer count as completed, because the run was taken back. */
    stepsRemoved: z.array(z.string()).optional(),
    /** Declared outputs of the node that was left, which are not there. */
    outputsMissing: z.array(z.string()).optional(),
    notes: z.array(z.string()),
    sha256: z.string(),
    /** What changed in the document, unified; cut off where it is long. Logs of earlier versions have none. */
    diff: z.string().optional(),
  }),
  /** `code`: why, where it is not the graph that forbids it. */
  event('transition.refused', {
    from: z.string(),
    to: z.string(),
    message: z.string(),
    code: z.string().optional(),
  }),
  event('artifact.written', { path: z.string(), nodeId }),
  event('question.asked', { callId: z.string(), nodeId, questions: z.array(questionSchema) }),
  event('question.answered', { callId: z.string(), answers: freeObject }),
  event('approval.requested', {
    callId: z.string(),
    nodeId,
    tool: z.string(),
    /** Read it with `actionOf`: logs of earlier versions have `path` and `diff` instead. */
    action: describedActionSchema.optional(),
    path: z.string().optional(),
    diff: z.string().optional(),
    /** What would run the file; consent to it is for this change alone. */
    runsLater: runsLaterSchema.optional(),
  }),
  event('approval.resolved', {
    callId: z.string(),
    tool: z.string(),
    /** The target of the action. */
    path: z.string(),
    decision: approvalDecisionSchema,
    /** For how many files consent holds that is for longer than this call; the file alone if left out. */
    reach: approvalReachSchema.optional(),
    note: z.string().optional(),
  }),
  event('context.compacted', {
    outcome: z.enum(['effective', 'noop', 'failed']),
    /** How many of the oldest tool groups were put into words. */
    groups: z.int().min(0),
    /** How many of the oldest exchanges were put into words, before the tool groups. */
    exchanges: z.int().min(1).optional(),
    /** Texts longer than this were shortened, where nothing else helped. */
    textChars: z.int().min(1).optional(),
    tokensBefore: z.int(),
    tokensAfter: z.int(),
  }),
  /** The messages of the node could not be sent as they were; it is told from its beginning. */
  event('context.reset', { message: z.string() }),
  event('llm.retry', {
    turn: z.int(),
    attempt: z.int(),
    delayMs: z.int(),
    code: z.string(),
    message: z.string(),
  }),
  event('usage.updated', { turn: z.int(), usage: usageSchema, total: usageSchema }),
  event('changes.undone', {
    direction: z.enum(['undo', 'redo']),
    selection: changeSelectionSchema,
    files: z.array(undoneFileSchema),
  }),
  /** A person allowed one change of the state of a workflow that is complete. */
  event('consent.given', {}),
  event('conversation.created', { kind: conversationKindSchema, model: runModelSchema }),
  event('agent.entered', { agent: enteredAgentSchema }),
  event('agent.dismissed', { agentId: z.string() }),
  event('command.resolved', commandEventShape),
  event('menu.shown', menuShownShape),
  event('choice.offered', offeredChoiceShape),
  /** Something was said to a run while a menu was open: it is no longer chosen from. */
  event('menu.closed', {}),
  event('model.changed', { model: runModelSchema }),
  event('info.shown', { topic: z.enum(['help', 'model', 'context']), details: freeObject }),
  /** What is said from here on is for this run; it has this many events already. */
  event('run.entered', { enteredRunId: z.string(), afterSeq: z.int().min(0), title: z.string() }),
  /** The note is for the agent: what came of the run. */
  event('run.left', { leftRunId: z.string(), note: z.string().optional() }),
  event('script.entered', { path: z.string(), inputs: z.array(queuedInputSchema) }),
  event('script.left', { path: z.string() }),
  event('warning', { code: z.string().optional(), message: z.string() }),
  event('error', { code: z.string(), message: z.string(), details: freeObject.optional() }),
]);

export type RunEvent = z.infer<typeof runEventSchema>;
export type RunEventType = RunEvent['type'];
export type EventOf<Type extends RunEventType> = Extract<RunEvent, { type: Type }>;

type WithoutStamp<Event> = Event extends RunEvent ? Omit<Event, keyof typeof stampShape> : never;
/** An event as it is said, before it is numbered and dated. */
export type RunFact = WithoutStamp<RunEvent>;

export type LoggedToolCall = z.infer<typeof toolCallSchema>;
export type MessagePurpose = z.infer<typeof messagePurposeSchema>;

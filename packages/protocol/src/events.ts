/**
 * The events of a run or a conversation, as one union: a line of its log, a message to a screen, a line of `--json`. Deltas are
 * sent and never stored; every other event is stored before it is sent.
 */

import { approvalDecisionSchema, approvalReachSchema } from './approvals.ts';
import { commandEventShape, menuShownShape, offeredChoiceShape } from './command-events.ts';
import { conversationKindSchema, enteredAgentSchema } from './conversation.ts';
import {
  anchorBlocksSchema,
  messagePurposeSchema,
  promptSubjectSchema,
  queuedInputSchema,
  queuedInputShape,
  requestFrameSchema,
  toolCallSchema,
} from './event-messages.ts';
import { hookEventSchema } from './hooks.ts';
import { changeSelectionSchema, undoneFileSchema } from './journal.ts';
import { runModelSchema, usageSchema } from './model.ts';
import { nodeChangesSchema } from './package-changes.ts';
import { pictureSchema } from './pictures.ts';
import { baselineShape, carriedFileSchema, checkResultSchema, speakerSchema } from './proof.ts';
import { phaseReasonSchema, runPhaseSchema } from './run.ts';
import { countSchema, positiveCountSchema } from './scalars.ts';
import {
  describedActionSchema,
  followingChangeSchema,
  questionSchema,
  runsLaterSchema,
  toolEffectSchema,
  toolProgressSchema,
} from './tools.ts';
import { decisionSchema, nodeTypeSchema } from './workflow.ts';
import * as z from './zod.ts';

const stampShape = {
  v: z.literal(1),
  /** Increases by one with each stored event; a delta has the number of the stored event before it. */
  seq: positiveCountSchema,
  ts: z.iso.datetime(),
  /** Id of the run or conversation whose log this is. */
  runId: z.string(),
};

const event = <Type extends string, Shape extends z.core.$ZodShape>(type: Type, shape: Shape) =>
  z.strictObject({ ...stampShape, type: z.literal(type), ...shape });

const nodeId = z.optional(z.string());
const freeObject = z.record(z.string(), z.unknown());

const packageShape = {
  package: z.strictObject({ name: z.string(), version: z.string(), hash: z.string() }),
  /** `result`: the file that its author names as the main result; {variables} are not filled in. */
  workflow: z.strictObject({ ref: z.string(), title: z.string(), result: z.optional(z.string()) }),
};
const listedNodeSchema = z.strictObject({ id: z.string(), title: z.string(), type: nodeTypeSchema });

export const runEventSchema = z.discriminatedUnion('type', [
  event('run.created', {
    ...packageShape,
    nodes: z.array(listedNodeSchema),
    entryNodeId: z.string(),
    activeAgentId: z.string(),
    model: runModelSchema,
    /** Initial values from the author of the workflow, and those that a calling workflow passed on. */
    variables: freeObject,
    /** Artifacts that a calling workflow passed on. */
    artifacts: z.optional(z.array(z.string())),
    /** Of a sub-workflow: the run that called it, from which node, and how many calls are above it, this one included. */
    call: z.optional(
      z.strictObject({ parentId: z.string(), nodeId: z.string(), depth: positiveCountSchema }),
    ),
  }),
  event('run.resumed', { nodeId }),
  /** A person moved the run to another version of its package. */
  event('run.upgraded', {
    from: z.strictObject({ version: z.string(), hash: z.string() }),
    ...packageShape,
    nodes: z.array(listedNodeSchema),
    changes: nodeChangesSchema,
    /** Files that steps wrote which have changed since. */
    stale: z.array(z.string()),
  }),
  /**
   * The Work came from another store, by a person of a team or from an address. What was decided before for longer than a call is not
   * decided here.
   */
  event('work.moved', { by: z.optional(z.string()), from: z.optional(z.string()) }),
  /**
   * The events before this one are those of another Work, up to its event `afterSeq`, with the ids of this one: with the original ids
   * (`ids`, by own id) the chain of hashes ends in `sha256`. Consent was given there, not here.
   */
  event('work.forked', {
    from: z.string(),
    afterSeq: countSchema,
    sha256: z.string(),
    ids: z.record(z.string(), z.string()),
    nodeId,
    visit: z.optional(positiveCountSchema),
    /** Project files that could not be rebuilt, and are as they were when the run was forked. */
    lost: z.optional(z.array(z.string())),
  }),
  /** A person of a team gave the Work to another one, both by name. */
  event('work.handed', { by: z.string(), to: z.string() }),
  event('phase.changed', { phase: runPhaseSchema, reason: z.optional(phaseReasonSchema) }),
  event('turn.started', {
    turn: positiveCountSchema,
    nodeId,
    agentId: z.optional(z.string()),
    requestBytes: z.int(),
    /** SHA-256 of the JSON text `{"tools":…,"messages":…}` of the request, as it is serialised for the model. */
    requestSha256: z.optional(z.string()),
    /** The frame of the request: that of this event, or of the earlier one with this id. Missing in logs of earlier versions. */
    frameId: z.optional(z.string()),
    frame: z.optional(requestFrameSchema),
    estimatedTokens: z.int(),
    /** Which model is asked, where the run has several, or was resumed with another one than it was created with. */
    model: z.optional(z.string()),
    /** How long the first data may take; local servers evaluate the prompt until then. */
    firstByteSeconds: z.optional(z.number()),
  }),
  event('message.delta', { turn: z.int(), text: z.string() }),
  event('reasoning.delta', { turn: z.int(), text: z.string() }),
  /** Text of a reply since the last of these. It counts only where the turn ends without a complete reply. */
  event('message.partial', { turn: z.int(), nodeId, text: z.string() }),
  event('message.completed', {
    turn: z.optional(z.int()),
    role: z.enum(['assistant', 'user']),
    purpose: messagePurposeSchema,
    nodeId,
    content: z.string(),
    /** That the person's words mention, and that are shown to the model. */
    pictures: z.optional(z.array(pictureSchema)),
    /** Of a document or an instruction. */
    subject: z.optional(promptSubjectSchema),
    /** Of an anchor: identifies its content except for the intent. An anchor the model already has is not sent again. */
    anchorKey: z.optional(z.string()),
    /** Logs of earlier versions have none. */
    anchorBlocks: z.optional(anchorBlocksSchema),
    /** Of an anchor: full mount paths of the files whose content it includes, whole. They count as read in this visit. */
    delivered: z.optional(z.array(z.string())),
    toolCalls: z.optional(z.array(toolCallSchema)),
    finishReason: z.optional(z.string()),
    /** The model's reasoning, if the provider returns it. */
    reasoning: z.optional(z.string()),
    /** Provider fields we do not know, to be sent back unchanged. */
    extra: z.optional(freeObject),
    /** Host and name of the model that replied, which alone gets its unknown fields back. */
    origin: z.optional(z.string()),
  }),
  /** Input of a person, or text for the model that follows from a choice; sent with the next turn. */
  event('input.queued', { ...queuedInputShape, speaker: z.optional(speakerSchema) }),
  /** A person took back what was queued with the event of this number. */
  event('input.withdrawn', { inputSeq: positiveCountSchema }),
  /** Several texts that belong together. */
  event('errands.queued', { inputs: z.array(queuedInputSchema) }),
  event('tool.started', { callId: z.string(), name: z.string(), nodeId, path: z.optional(z.string()) }),
  /** Sent while a call is in progress, and not stored. */
  event('tool.progress', { callId: z.string(), name: z.string(), ...toolProgressSchema.shape }),
  event('tool.ended', {
    callId: z.string(),
    name: z.string(),
    nodeId,
    outcome: z.enum(['ok', 'failed', 'refused']),
    code: z.optional(z.string()),
    /** Why the call failed. */
    message: z.optional(z.string()),
    durationMs: countSchema,
    /** The result, exactly as it is sent to the model. */
    content: z.string(),
    /** Missing in logs of earlier versions; read it with `effectOf`. */
    effect: z.optional(toolEffectSchema),
    /** The process ended during the call: whether it took effect is unknown. Earlier versions only say so in the message. */
    isInterrupted: z.optional(z.literal(true)),
  }),
  event('state.changed', {
    from: z.string(),
    to: z.string(),
    label: z.optional(z.string()),
    /** The variables that were set, and the names of those that were removed. */
    variables: freeObject,
    unset: z.optional(z.array(z.string())),
    stepsAdded: z.array(z.string()),
    decisionsAdded: z.array(decisionSchema),
    /** The model's notes for later nodes. */
    carry: z.optional(z.string()),
    artifactsAdded: z.optional(z.array(z.string())),
    /** The event contains the whole state, not a difference: the document was changed outside of the runtime. */
    isWhole: z.optional(z.literal(true)),
    /** A person rewound the run to an earlier node, or to the beginning of the current one. */
    isRewind: z.optional(z.literal(true)),
    /** End nodes that no longer count as completed after a rewind. */
    stepsRemoved: z.optional(z.array(z.string())),
    /** Declared outputs of the node that was left, which do not exist. */
    outputsMissing: z.optional(z.array(z.string())),
    /** Declared outputs that existed before this run, which left them unchanged. */
    outputsKept: z.optional(z.array(z.string())),
    /** Who decided to leave a node that waits for a person. */
    decidedBy: z.optional(z.enum(['person', ...speakerSchema.options, 'waiver'])),
    notes: z.array(z.string()),
    sha256: z.string(),
    /** Unified diff of the document, truncated if it is long. Missing in logs of earlier versions. */
    diff: z.optional(z.string()),
  }),
  /** Emitted once per visit of a node that must change files, before the first request of the visit. */
  event('visit.started', { nodeId: z.string(), visit: positiveCountSchema, ...baselineShape }),
  /**
   * The visit is not made again in this rerun: what the other run read and wrote in its visit is still there. Says nothing new about
   * the node; `outcome` is what the other run proved.
   */
  event('visit.carried', {
    nodeId: z.string(),
    visit: positiveCountSchema,
    from: z.strictObject({ runId: z.string(), visit: positiveCountSchema }),
    outcome: z.string(),
    files: z.array(carriedFileSchema),
  }),
  /** The checks of a node, judged right before it is left. */
  event('checks.judged', {
    nodeId: z.string(),
    visit: positiveCountSchema,
    checks: z.array(checkResultSchema),
    /** Produced files as they were then. */
    files: z.array(
      z.strictObject({
        path: z.string(),
        sha256: z.string(),
        bytes: countSchema,
        /** The journal of this run has this content of the file. */
        isOwn: z.optional(z.literal(true)),
      }),
    ),
  }),
  /** A person decided that the run may leave the node although this check is not met. */
  event('check.waived', {
    nodeId: z.string(),
    visit: positiveCountSchema,
    check: z.string(),
    reason: z.string(),
  }),
  /** The run arrived at a node that calls a workflow; the called workflow's own run continues from here. */
  event('call.started', {
    nodeId: z.string(),
    childId: z.string(),
    workflow: z.strictObject({ ref: z.string(), title: z.string() }),
  }),
  /** `abandoned`: a person moved the run away from the node before the called workflow was complete. */
  event('call.ended', {
    nodeId: z.string(),
    childId: z.string(),
    outcome: z.enum(['completed', 'skipped', 'abandoned']),
    title: z.string(),
    /** What the called run wrote, and what it returned by name. */
    artifacts: z.array(z.string()),
    /** Full mount paths of the project files that it wrote, up to a limit. */
    written: z.optional(z.array(z.string())),
    returned: freeObject,
    /** Usage of the called run, and how much of that before the run was last resumed. */
    usage: usageSchema,
    usageBefore: usageSchema,
    /** Its requests, with those of the workflows that it called. Logs of earlier versions do not say. */
    turns: z.optional(countSchema),
  }),
  /** `code`: the reason, if it is not the graph that forbids the transition. */
  event('transition.refused', {
    from: z.string(),
    to: z.string(),
    message: z.string(),
    code: z.optional(z.string()),
    /** The checks that were not met. */
    checks: z.optional(z.array(checkResultSchema)),
  }),
  event('artifact.written', { path: z.string(), nodeId }),
  /** An undo removed the files of these artifacts, or a redo brought them back: they left the state document, or are in it again. */
  event('artifacts.changed', { removed: z.array(z.string()), restored: z.array(z.string()) }),
  /**
   * Declared files that the host of the run changed with its own tools since the visit began, or since this was last noted: found by
   * their hashes when the node was to be left.
   */
  event('files.found', {
    nodeId: z.string(),
    visit: positiveCountSchema,
    callId: z.string(),
    files: z.array(
      z.strictObject({
        path: z.string(),
        kind: z.enum(['created', 'changed', 'deleted']),
        /** Of a text, shortened if it is long. */
        diff: z.optional(z.string()),
      }),
    ),
  }),
  event('question.asked', { callId: z.string(), nodeId, questions: z.array(questionSchema) }),
  event('question.answered', {
    callId: z.string(),
    answers: freeObject,
    speaker: z.optional(speakerSchema),
  }),
  event('approval.requested', {
    callId: z.string(),
    nodeId,
    tool: z.string(),
    /** Read it with `actionOf`: logs of earlier versions have `path` and `diff` instead. */
    action: z.optional(describedActionSchema),
    path: z.optional(z.string()),
    diff: z.optional(z.string()),
    /** What would run the file; consent covers this change only. */
    runsLater: z.optional(runsLaterSchema),
    /** The call has run already, and this is consent to what it changed. */
    isHeld: z.optional(z.literal(true)),
    /** Later changes of the same reply that need approval, too. */
    following: z.optional(z.array(followingChangeSchema)),
  }),
  event('approval.resolved', {
    callId: z.string(),
    tool: z.string(),
    /** The target of the action. */
    path: z.string(),
    decision: approvalDecisionSchema,
    /** Scope of a consent that outlives this call; default: the file only. */
    reach: z.optional(approvalReachSchema),
    note: z.optional(z.string()),
    /** Number of lines that were approved without having been on screen. */
    unseen: z.optional(positiveCountSchema),
    speaker: z.optional(speakerSchema),
    /** Name of the person of a team who decided. */
    by: z.optional(z.string()),
  }),
  event('context.compacted', {
    outcome: z.enum(['effective', 'noop', 'failed']),
    /** Number of oldest tool groups that were summarized. */
    groups: countSchema,
    /** Number of oldest exchanges that were summarized, before the tool groups. */
    exchanges: z.optional(positiveCountSchema),
    /** Number of oldest exchanges of the node that were replaced by an outline; nothing else was summarized then. */
    outlined: z.optional(positiveCountSchema),
    /** Texts longer than this were shortened, as a last resort. */
    textChars: z.optional(positiveCountSchema),
    tokensBefore: z.int(),
    tokensAfter: z.int(),
  }),
  /** The messages of the node could not be sent; the node starts again from its beginning. */
  event('context.reset', { message: z.string() }),
  event('llm.retry', {
    turn: z.int(),
    attempt: z.int(),
    delayMs: z.int(),
    code: z.string(),
    message: z.string(),
    /** Host and name of the model that asked to wait, where the wait is long: it counts on after a restart. */
    origin: z.optional(z.string()),
    details: z.optional(freeObject),
  }),
  event('usage.updated', { turn: z.int(), usage: usageSchema, total: usageSchema }),
  event('changes.undone', {
    direction: z.enum(['undo', 'redo']),
    selection: changeSelectionSchema,
    files: z.array(undoneFileSchema),
  }),
  /** A person allowed one change of the state of a completed workflow. */
  event('consent.given', {}),
  event('conversation.created', { kind: conversationKindSchema, model: runModelSchema }),
  event('agent.entered', { agent: enteredAgentSchema }),
  event('agent.dismissed', { agentId: z.string() }),
  event('command.resolved', commandEventShape),
  event('menu.shown', menuShownShape),
  event('choice.offered', offeredChoiceShape),
  /** Input was sent to a run while a menu was open, which closes the menu. */
  event('menu.closed', {}),
  event('model.changed', { model: runModelSchema }),
  event('info.shown', { topic: z.enum(['help', 'model', 'context']), details: freeObject }),
  /** From here on input goes to this run, which has `afterSeq` events already. */
  event('run.entered', {
    enteredRunId: z.string(),
    afterSeq: countSchema,
    title: z.string(),
  }),
  /** `note`: the outcome of the run, for the agent. */
  event('run.left', { leftRunId: z.string(), note: z.optional(z.string()) }),
  event('script.entered', { path: z.string(), inputs: z.array(queuedInputSchema) }),
  event('script.left', { path: z.string() }),
  /** A hook was called. `denied`: what it was asked about did not happen. */
  event('hook.ran', {
    hook: z.string(),
    on: hookEventSchema,
    outcome: z.enum(['ok', 'denied', 'failed']),
    /** What it said, or why it failed. */
    message: z.optional(z.string()),
    nodeId,
    /** By the policy of an organisation. */
    isRequired: z.optional(z.literal(true)),
  }),
  event('warning', { code: z.optional(z.string()), message: z.string(), details: z.optional(freeObject) }),
  event('error', { code: z.string(), message: z.string(), details: z.optional(freeObject) }),
]);

export type RunEvent = z.infer<typeof runEventSchema>;
export type RunEventType = RunEvent['type'];
export type EventOf<Type extends RunEventType> = Extract<RunEvent, { type: Type }>;

type WithoutStamp<Event> = Event extends RunEvent ? Omit<Event, keyof typeof stampShape> : never;
/** An event before it is numbered and dated. */
export type RunFact = WithoutStamp<RunEvent>;

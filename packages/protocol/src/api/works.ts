/**
 * Works over HTTP: create, command, watch and inspect conversations and runs. A command is answered when it is accepted, not
 * when its turn ends; its outcome is reported by events.
 */
import {
  approvalDecisionSchema,
  approvalReachSchema,
  followingDecisionSchema,
  isOfWhatWasShown,
  seenShape,
} from '../approvals.ts';
import { runModelSchema } from '../model.ts';
import { runPhaseSchema } from '../run.ts';
import { nonEmptySchema, positiveCountSchema } from '../scalars.ts';
import { runLimitsSchema } from '../settings.ts';
import { approvalPresetSchema, systemToolPolicySchema } from '../tools.ts';
import * as z from '../zod.ts';
import { defineEndpoint } from './define-endpoint.ts';
import { flagSchema, packageHashSchema, storeIdSchema } from './ids.ts';
import { documentsSchema, limitsSchema, modelSchema, textSchema } from './run-options.ts';
import { inspection } from './work-inspection.ts';
import {
  conversationStateSchema,
  runViewSchema,
  workListSchema,
  workStatusSchema,
  workSummarySchema,
} from './work-messages.ts';

const params = z.strictObject({ workId: storeIdSchema });

/** An agent of an installed package; default: the package's only or entry agent. */
const agentShape = {
  packageHash: z.optional(packageHashSchema),
  agent: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
};

const workflowShape = {
  ...agentShape,
  workflow: z.optional(z.string().check(z.minLength(1), z.maxLength(500))),
};

/** A command to a Work that may begin a turn. */
function command<Body extends z.ZodMiniType | undefined = undefined>(
  path: string,
  summary: string,
  body?: Body,
) {
  return { ...change(path, summary, body), status: 202 } as const;
}

function change<Body extends z.ZodMiniType | undefined = undefined>(
  path: string,
  summary: string,
  body?: Body,
) {
  return defineEndpoint({
    method: 'POST',
    path: `/works/:workId/${path}`,
    summary,
    params,
    body: body as Body,
    response: workStatusSchema,
  });
}

export const works = {
  list: defineEndpoint({
    method: 'GET',
    path: '/works',
    summary:
      'Lists conversations and runs, most recently changed first; archived conversations on request only.',
    query: z.strictObject({
      project: z.optional(storeIdSchema),
      archived: z.optional(flagSchema),
      phase: z.optional(runPhaseSchema),
    }),
    response: workListSchema,
  }),
  create: defineEndpoint({
    method: 'POST',
    path: '/works',
    summary: 'Starts a conversation with an agent, without an agent or with a workflow, or a standalone run.',
    body: z.strictObject({
      projectId: storeIdSchema,
      /** `workflow`: in a conversation of its own; `run`: standalone. */
      kind: z.enum(['agent', 'workflow', 'chat', 'run']),
      ...workflowShape,
      model: z.optional(modelSchema),
      approval: z.optional(approvalPresetSchema),
      limits: z.optional(limitsSchema),
      /** The first input. */
      input: z.optional(textSchema),
      documents: documentsSchema,
      /** Creates a run without starting it; `resume` starts it. */
      isHeldBack: z._default(z.boolean(), false),
    }),
    response: workStatusSchema,
    status: 201,
  }),
  show: defineEndpoint({
    method: 'GET',
    path: '/works/:workId',
    summary: 'Shows a Work and its runs.',
    params,
    response: z.strictObject({
      work: workSummarySchema,
      /** The view of its own log. */
      view: runViewSchema,
      state: conversationStateSchema,
      runs: z.record(z.string(), runViewSchema),
      model: runModelSchema,
      tools: systemToolPolicySchema,
      limits: runLimitsSchema,
      /** This or another process works on it. */
      isOpen: z.boolean(),
    }),
  }),
  change: defineEndpoint({
    method: 'PATCH',
    path: '/works/:workId',
    summary: 'Renames, archives or restores a conversation; sets what a Work may do without asking.',
    params,
    body: z.strictObject({
      title: z.optional(z.string().check(z.maxLength(2_000))),
      isArchived: z.optional(z.boolean()),
      /** Refused while a turn is under way. */
      approval: z.optional(approvalPresetSchema),
    }),
    response: workSummarySchema,
  }),
  remove: defineEndpoint({
    method: 'DELETE',
    path: '/works/:workId',
    summary: 'Deletes a Work and its runs permanently; files they wrote in the project are not changed.',
    params,
  }),
  input: command(
    'input',
    'Sends input: a menu choice, a command, or a message to the agent, the run or the model.',
    z.strictObject({ text: z.string().check(z.maxLength(200_000)) }),
  ),
  withdraw: command(
    'withdraw',
    'Takes back a message that waits for the next turn, by the number of the event that queued it.',
    z.strictObject({ inputSeq: positiveCountSchema }),
  ),
  answer: command(
    'answer',
    'Answers the question of the call `callId`; only once.',
    z.strictObject({
      callId: nonEmptySchema,
      answers: z.record(z.string(), z.unknown()),
    }),
  ),
  approve: command(
    'approve',
    'Approves or denies the action of the call `callId`; only once. An approval has the SHA-256 of the preview that was shown.',
    z
      .strictObject({
        callId: nonEmptySchema,
        decision: approvalDecisionSchema,
        /** Scope of a consent that outlives this call; default: the file only. */
        reach: z.optional(approvalReachSchema),
        note: z.optional(z.string().check(z.maxLength(20_000))),
        /** Decisions on later changes of the same reply that were shown with it. */
        following: z.optional(z.array(followingDecisionSchema).check(z.maxLength(64))),
        ...seenShape,
      })
      .check(
        z.refine((body) => [body, ...(body.following ?? [])].every(isOfWhatWasShown), {
          path: ['shown'],
          error: 'is required for an approval: the SHA-256 of the text of the preview that was shown',
        }),
      ),
  ),
  stop: command('stop', 'Stops the turn in progress within a second; it can be resumed.'),
  resume: command(
    'resume',
    'Resumes the active run or the thread without input; optionally another run of the project, or with another model.',
    z.strictObject({ model: z.optional(modelSchema), runId: z.optional(storeIdSchema) }),
  ),
  waive: command(
    'waive',
    'Lets the run leave its current step although a check is not met: the named one, or all that are missing. The reason is recorded.',
    z.strictObject({
      check: z.optional(nonEmptySchema),
      reason: nonEmptySchema.check(z.maxLength(2_000)),
    }),
  ),
  skip: command(
    'skip',
    'Goes on without the sub-workflow that is called: the innermost one, or that of the node that is named, along the edge to a node, or the only one.',
    z.strictObject({ to: z.optional(z.string()), nodeId: z.optional(z.string()) }),
  ),
  enterAgent: change(
    'agent',
    'Switches the conversation to an agent; leaves the active run.',
    z.strictObject(agentShape),
  ),
  dismissAgent: change('dismiss', 'Dismisses the agent of the conversation.'),
  startWorkflow: command(
    'workflow',
    'Starts a run of a workflow, which receives the input from here on.',
    z.strictObject({ ...workflowShape, input: z.optional(textSchema), documents: documentsSchema }),
  ),
  setModel: change(
    'model',
    'Switches the model of a conversation; not while a turn is in progress.',
    z.strictObject({ model: modelSchema }),
  ),
  allowChange: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/allow-change',
    summary: 'Allows one change of the state of a completed run.',
    params,
  }),
  ...inspection,
};

/** Commands to a Work. Each is answered when it is accepted, not when its turn ends; its outcome is reported by events. */
import {
  approvalDecisionSchema,
  approvalReachSchema,
  followingDecisionSchema,
  isOfWhatWasShown,
  seenShape,
} from '../approvals.ts';
import { nonEmptySchema, positiveCountSchema } from '../scalars.ts';
import * as z from '../zod.ts';
import { defineEndpoint } from './define-endpoint.ts';
import { storeIdSchema } from './ids.ts';
import { documentsSchema, modelSchema, textSchema } from './run-options.ts';
import { workStatusSchema } from './work-messages.ts';
import { agentShape, workflowShape } from './work-shapes.ts';

export const workCommands = {
  input: defineEndpoint(
    'POST /works/:workId/input',
    'Sends input: a menu choice, a command, or a message to the agent, the run or the model.',
    {
      body: z.strictObject({ text: z.string().check(z.maxLength(200_000)) }),
      response: workStatusSchema,
      status: 202,
    },
  ),
  withdraw: defineEndpoint(
    'POST /works/:workId/withdraw',
    'Takes back a message that waits for the next turn, by the number of the event that queued it.',
    { body: z.strictObject({ inputSeq: positiveCountSchema }), response: workStatusSchema, status: 202 },
  ),
  answer: defineEndpoint(
    'POST /works/:workId/answer',
    'Answers the question of the call `callId`; only once.',
    {
      body: z.strictObject({
        callId: nonEmptySchema,
        answers: z.record(z.string(), z.unknown()),
      }),
      response: workStatusSchema,
      status: 202,
    },
  ),
  approve: defineEndpoint(
    'POST /works/:workId/approve',
    'Approves or denies the action of the call `callId`; only once. An approval has the SHA-256 of the preview that was shown.',
    {
      body: z
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
      response: workStatusSchema,
      status: 202,
    },
  ),
  stop: defineEndpoint(
    'POST /works/:workId/stop',
    'Stops the turn in progress within a second; it can be resumed.',
    { response: workStatusSchema, status: 202 },
  ),
  stopQuestion: defineEndpoint(
    'POST /works/:workId/stop-question',
    'Skips the question of the call `callId` and stops, without a turn; stops the turn in progress if it was answered meanwhile.',
    { body: z.strictObject({ callId: nonEmptySchema }), response: workStatusSchema, status: 202 },
  ),
  resume: defineEndpoint(
    'POST /works/:workId/resume',
    'Resumes the active run or the thread without input; optionally another run of the project, or with another model.',
    {
      body: z.strictObject({ model: z.optional(modelSchema), runId: z.optional(storeIdSchema) }),
      response: workStatusSchema,
      status: 202,
    },
  ),
  waive: defineEndpoint(
    'POST /works/:workId/waive',
    'Lets the run leave its current step although a check is not met: the named one, or all that are missing. The reason is recorded.',
    {
      body: z.strictObject({
        check: z.optional(nonEmptySchema),
        reason: nonEmptySchema.check(z.maxLength(2_000)),
      }),
      response: workStatusSchema,
      status: 202,
    },
  ),
  skip: defineEndpoint(
    'POST /works/:workId/skip',
    'Goes on without the sub-workflow that is called: the innermost one, or that of the node that is named, along the edge to a node, or the only one.',
    {
      body: z.strictObject({ to: z.optional(z.string()), nodeId: z.optional(z.string()) }),
      response: workStatusSchema,
      status: 202,
    },
  ),
  enterAgent: defineEndpoint(
    'POST /works/:workId/agent',
    'Switches the conversation to an agent; leaves the active run.',
    { body: z.strictObject(agentShape), response: workStatusSchema },
  ),
  dismissAgent: defineEndpoint('POST /works/:workId/dismiss', 'Dismisses the agent of the conversation.', {
    response: workStatusSchema,
  }),
  startWorkflow: defineEndpoint(
    'POST /works/:workId/workflow',
    'Starts a run of a workflow, which receives the input from here on.',
    {
      body: z.strictObject({ ...workflowShape, input: z.optional(textSchema), documents: documentsSchema }),
      response: workStatusSchema,
      status: 202,
    },
  ),
  setModel: defineEndpoint(
    'POST /works/:workId/model',
    'Switches the model of a conversation; not while a turn is in progress.',
    { body: z.strictObject({ model: modelSchema }), response: workStatusSchema },
  ),
};

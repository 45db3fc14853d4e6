/**
 * Works over HTTP: list, create, watch, change, remove and export conversations and runs; with the commands to them (`works-commands`) and
 * what the inspector shows (`works-inspector`).
 */
import { menuShownShape } from '../command-events.ts';
import { runEventSchema } from '../events.ts';
import { evidenceSchema } from '../evidence-schema.ts';
import { LANGUAGES } from '../languages.ts';
import { runModelSchema } from '../model.ts';
import { runPhaseSchema } from '../run.ts';
import { runLimitsSchema } from '../settings.ts';
import { approvalPresetSchema, systemToolPolicySchema } from '../tools.ts';
import { workGroupSchema } from '../work-position.ts';
import * as z from '../zod.ts';
import { defineEndpoint } from './define-endpoint.ts';
import { flagSchema, queryCountSchema, storeIdSchema } from './ids.ts';
import { documentsSchema, labelsSchema, limitsSchema, modelSchema, textSchema } from './run-options.ts';
import {
  conversationStateSchema,
  itemPageSchema,
  storySchema,
  workListSchema,
  workMessageSchema,
  workStatusSchema,
  workSummarySchema,
} from './work-messages.ts';
import { workflowShape } from './work-shapes.ts';
import { workCommands } from './works-commands.ts';
import { workInspector } from './works-inspector.ts';

const stopPositionSchema = z.strictObject({
  /** Title of the step, or its id. */
  title: z.string(),
  files: z.int(),
  /** There is a step to return to. */
  canGoBack: z.boolean(),
});
export type StopPosition = z.infer<typeof stopPositionSchema>;

export const works = {
  list: defineEndpoint(
    'GET /works',
    'Lists conversations and runs by page, most recently changed first; archived conversations on request only.',
    {
      query: z.strictObject({
        project: z.optional(storeIdSchema),
        /** `any`: archived conversations as well as others. */
        archived: z.optional(z.union([flagSchema, z.literal('any')])),
        phase: z.optional(runPhaseSchema),
        /** `roots`: Works without a parent; `inbox`: those that wait for the user, and left runs. Default: all. */
        list: z.optional(z.enum(['roots', 'inbox'])),
        status: z.optional(workGroupSchema),
        /** Words that its title contains. */
        text: z.optional(z.string().check(z.maxLength(500))),
        /** Kinds that are found whatever their title is, separated by commas. */
        kinds: z.optional(z.string().check(z.maxLength(100))),
        /** Only this Work. */
        id: z.optional(storeIdSchema),
        limit: z.optional(queryCountSchema),
        /** `next` of the page before. */
        after: z.optional(z.string().check(z.maxLength(100))),
      }),
      response: workListSchema,
    },
  ),
  create: defineEndpoint(
    'POST /works',
    'Starts a conversation with an agent, without an agent or with a workflow, or a standalone run.',
    {
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
        /** Of a team: only a worker with these labels executes it. */
        labels: z.optional(labelsSchema),
        /** Creates a run without starting it; `resume` starts it. */
        isHeldBack: z._default(z.boolean(), false),
      }),
      response: workStatusSchema,
      status: 201,
    },
  ),
  show: defineEndpoint(
    'GET /works/:workId',
    'Shows a Work and its runs, each with its last items; `items` has the earlier ones.',
    {
      response: z.strictObject({
        work: workSummarySchema,
        /** The view of its own log. */
        view: storySchema,
        state: conversationStateSchema,
        runs: z.record(z.string(), storySchema),
        model: runModelSchema,
        tools: systemToolPolicySchema,
        limits: runLimitsSchema,
        /** This or another process works on it. */
        isOpen: z.boolean(),
      }),
    },
  ),
  position: defineEndpoint(
    'GET /works/:workId/position',
    'Shows at which step a run is and how many files it has written, without its story.',
    {
      response: z.strictObject({
        /** Undefined if its state or its package cannot be read. */
        position: z.optional(stopPositionSchema),
      }),
    },
  ),
  change: defineEndpoint(
    'PATCH /works/:workId',
    'Renames, archives or restores a conversation; sets what a Work may do without asking.',
    {
      body: z.strictObject({
        title: z.optional(z.string().check(z.maxLength(2_000))),
        isArchived: z.optional(z.boolean()),
        /** Refused while a turn is under way. */
        approval: z.optional(approvalPresetSchema),
      }),
      response: workSummarySchema,
    },
  ),
  remove: defineEndpoint(
    'DELETE /works/:workId',
    'Deletes a Work and its runs permanently; files they wrote in the project are not changed.',
  ),
  menu: defineEndpoint(
    'GET /works/:workId/menu',
    'Lists the menu of its agent on the surface of the client; empty without an agent.',
    { response: z.strictObject({ entries: menuShownShape.entries }) },
  ),
  checkLog: defineEndpoint(
    'GET /works/:workId/log-check',
    'Reads its own log and tells whether it was changed by others.',
    { response: z.strictObject({ lastSeq: z.int(), isIntact: z.boolean(), brokenAt: z.optional(z.int()) }) },
  ),
  evidence: defineEndpoint(
    'GET /works/:workId/evidence',
    'Shows what happened in each visit of each step of a run, and how far it is proved.',
    { response: evidenceSchema },
  ),
  items: defineEndpoint(
    'GET /works/:workId/items',
    'Reads the items of its own log before a sequence number; without one, the last ones.',
    {
      query: z.strictObject({ before: z.optional(queryCountSchema), limit: z.optional(queryCountSchema) }),
      response: itemPageSchema,
    },
  ),
  log: defineEndpoint(
    'GET /works/:workId/log',
    'Reads stored events of its own log in order, after a sequence number.',
    {
      query: z.strictObject({ after: z.optional(queryCountSchema), limit: z.optional(queryCountSchema) }),
      response: z.strictObject({ events: z.array(runEventSchema), lastSeq: z.int() }),
    },
  ),
  exportFile: defineEndpoint('GET /works/:workId/export', 'Exports the run as one file.', {
    query: z.strictObject({
      format: z._default(z.enum(['md', 'json', 'html', 'docx', 'pdf', 'handover']), 'md'),
      language: z._default(z.enum(LANGUAGES), 'en'),
    }),
    returnsFile: true,
  }),
  exportArtifact: defineEndpoint(
    'GET /works/:workId/export-file',
    'Exports one text file of its project as a document.',
    {
      query: z.strictObject({
        path: z.string().check(z.maxLength(4_096)),
        format: z._default(z.enum(['html', 'docx', 'pdf']), 'docx'),
      }),
      returnsFile: true,
    },
  ),
  events: defineEndpoint(
    'GET /works/:workId/events',
    'Streams the events of its own log, after `Last-Event-ID` (or `after`).',
    { query: z.strictObject({ after: z.optional(queryCountSchema) }), message: workMessageSchema },
  ),
  ...workCommands,
  ...workInspector,
};

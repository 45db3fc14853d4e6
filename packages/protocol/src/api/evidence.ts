/** The evidence sheet of a run, as the server sends it; what called runs waived and lack is included. */
import { usageSchema } from '../model.ts';
import { checkResultSchema, speakerSchema } from '../proof.ts';
import * as z from '../zod.ts';

const countSchema = z.int();
const waiverShape = { check: z.string(), reason: z.string() };

const visitSchema = z.strictObject({
  nodeId: z.string(),
  title: z.string(),
  visit: countSchema,
  outcome: z.enum(['proved', 'waived', 'missing', 'nothing', 'open']),
  firstTurn: z.optional(countSchema),
  requestSha256: z.optional(z.string()),
  turns: countSchema,
  usage: usageSchema,
  startedAt: z.string(),
  endedAt: z.string(),
  spoken: z.array(
    z.strictObject({
      kind: z.enum(['message', 'answer', 'approval']),
      text: z.string(),
      by: z.optional(speakerSchema),
      seq: countSchema,
    }),
  ),
  files: z.array(
    z.strictObject({
      path: z.string(),
      before: z.optional(z.string()),
      after: z.string(),
      bytes: countSchema,
      isOutsideEdit: z.optional(z.literal(true)),
    }),
  ),
  checks: z.array(checkResultSchema),
  waivers: z.array(z.strictObject(waiverShape)),
  refusals: z.record(z.string(), countSchema),
  decision: z.optional(
    z.strictObject({
      to: z.string(),
      label: z.optional(z.string()),
      reason: z.optional(z.string()),
      by: z.optional(z.enum(['person', ...speakerSchema.options, 'waiver'])),
    }),
  ),
  outputsMissing: z.array(z.string()),
  calledRunId: z.optional(z.string()),
});

export const evidenceSchema = z.strictObject({
  runId: z.string(),
  visits: z.array(visitSchema),
  totals: z.strictObject({
    nodes: countSchema,
    proved: countSchema,
    waived: countSchema,
    missing: countSchema,
    nothing: countSchema,
    open: countSchema,
  }),
  isProved: z.boolean(),
  waivers: z.array(z.strictObject({ ...waiverShape, nodeId: z.string() })),
  missing: z.array(z.string()),
});
export type ShownEvidence = z.infer<typeof evidenceSchema>;
export type ShownVisit = ShownEvidence['visits'][number];

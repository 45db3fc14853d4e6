/**
 * The evidence sheet of a run on the wire. Schemas only: programs that fold a sheet do not load them.
 */
import { usageSchema } from './model.ts';
import { carriedFileSchema, checkResultSchema, speakerSchema } from './proof.ts';
import * as z from './zod.ts';

/** Words or a decision of a person; `by` is absent if the person gave them when asked. */
const spokenSchema = z.strictObject({
  kind: z.enum(['message', 'answer', 'approval']),
  text: z.string(),
  by: z.optional(speakerSchema),
  seq: z.int(),
});
export type Spoken = z.infer<typeof spokenSchema>;

const waiverShape = { check: z.string(), reason: z.string() };

const visitSchema = z.strictObject({
  nodeId: z.string(),
  title: z.string(),
  visit: z.int(),
  /**
   * `claimed`: all checks are met, and that the person was heard is only what another agent says. `nothing`: the node was left, and
   * its step declares no checks. `open`: the run has not left it, or was rewound. `carried`: taken over from another run, and not made
   * again.
   */
  outcome: z.enum(['proved', 'claimed', 'waived', 'missing', 'nothing', 'open', 'carried']),
  /** Number of the request that had the brief of the node first. */
  firstTurn: z.optional(z.int()),
  /** Hash of that request; logs of earlier versions do not have it. */
  requestSha256: z.optional(z.string()),
  turns: z.int(),
  usage: usageSchema,
  startedAt: z.string(),
  endedAt: z.string(),
  /** Without the time in which the run was stopped: what the page, the terminal and exports show as the time of the visit. */
  durationMs: z.int(),
  spoken: z.array(spokenSchema),
  files: z.array(
    z.strictObject({
      path: z.string(),
      /** Hash when the visit began; absent for a new file, and where only existence was asked for. */
      before: z.optional(z.string()),
      after: z.string(),
      bytes: z.int(),
      /** It changed, and neither this run nor one that it called wrote it. */
      isOutsideEdit: z.optional(z.literal(true)),
    }),
  ),
  checks: z.array(checkResultSchema),
  waivers: z.array(z.strictObject(waiverShape)),
  /** Code → how often an attempt to leave was refused. */
  refusals: z.record(z.string(), z.int()),
  decision: z.optional(
    z.strictObject({
      to: z.string(),
      label: z.optional(z.string()),
      reason: z.optional(z.string()),
      /** Who decided, in a node that waits for a person; absent: the model. */
      by: z.optional(z.enum(['person', ...speakerSchema.options, 'waiver'])),
    }),
  ),
  outputsMissing: z.array(z.string()),
  /** The run was moved to a version of the package in which the step is another one or gone. */
  isStale: z.optional(z.literal(true)),
  /** The run of the workflow that the node called. */
  calledRunId: z.optional(z.string()),
  /** Where it was taken over from, and its outcome there; the files have the hashes of then. */
  carriedFrom: z.optional(z.strictObject({ runId: z.string(), visit: z.int(), outcome: z.string() })),
  carriedFiles: z.optional(z.array(carriedFileSchema)),
});
export type EvidenceVisit = z.infer<typeof visitSchema>;

/** The server includes what called runs waived and lack. */
export const evidenceSchema = z.strictObject({
  runId: z.string(),
  visits: z.array(visitSchema),
  /** Nodes by the outcome of their last visit. */
  totals: z.strictObject({
    nodes: z.int(),
    proved: z.int(),
    claimed: z.int(),
    waived: z.int(),
    missing: z.int(),
    nothing: z.int(),
    open: z.int(),
    /** Only in a rerun. */
    carried: z.optional(z.int()),
  }),
  /** The run is complete, nothing was waived, only claimed or carried over, and nothing is missing. */
  isProved: z.boolean(),
  waivers: z.array(z.strictObject({ ...waiverShape, nodeId: z.string() })),
  missing: z.array(z.string()),
});
export type EvidenceSheet = z.infer<typeof evidenceSchema>;

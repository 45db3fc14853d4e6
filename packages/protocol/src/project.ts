/**
 * `projects.json`: the folders a person has worked in. A project is identified by the real path of its folder and keeps its id
 * when the folder moves.
 */
import { approvalReachSchema } from './approvals.ts';
import { approvedServerSchema } from './mcp.ts';
import { nonEmptySchema } from './scalars.ts';
import { shellSettingsSchema } from './shell.ts';
import * as z from './zod.ts';

/** An "always" decision: changes of this kind to this file, or within its reach, need no further approval. */
export const standingApprovalSchema = z.strictObject({
  tool: nonEmptySchema,
  path: nonEmptySchema,
  /** Default: the file only. */
  reach: z.optional(approvalReachSchema),
});
export type StandingApproval = z.infer<typeof standingApprovalSchema>;

export const projectSchema = z.strictObject({
  projectId: z.uuid(),
  /** The real path of the folder when it was last opened or relinked. */
  path: nonEmptySchema,
  name: nonEmptySchema,
  createdAt: z.iso.datetime(),
  lastOpenedAt: z.iso.datetime(),
  approvals: z.array(standingApprovalSchema),
  /** Servers of the project's `.mcp.json` that may be started. */
  servers: z.optional(z.array(approvedServerSchema)),
  /** Commands that models may run; none if left out. */
  shell: z.optional(shellSettingsSchema),
  /** Another project was linked to the same folder; the runs are kept until this project is linked again. */
  isDetached: z.optional(z.literal(true)),
});
export type Project = z.infer<typeof projectSchema>;

export const projectListSchema = z.strictObject({
  schemaVersion: z.literal(1),
  projects: z.array(projectSchema),
});
export type ProjectList = z.infer<typeof projectListSchema>;

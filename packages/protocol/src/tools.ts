/**
 * Tool results, and the policy that restricts tools. A result is either a success, or an error code with a sentence that says
 * what to do instead.
 */

import type { ErrorCode } from './errors.ts';
import { limitSchema } from './format.ts';
import * as z from './zod.ts';

export interface ToolError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface ToolFailure {
  readonly ok: false;
  readonly error: ToolError;
}

export type ToolResult = ({ readonly ok: true } & Readonly<Record<string, unknown>>) | ToolFailure;

/**
 * The kind of effect a tool has. `external`: an action outside of the project, by a tool that is not built in; `none`: no
 * effect known to the runtime.
 */
const effectKindSchema = z.enum([
  'read',
  'listed',
  'searched',
  'written',
  'patched',
  'state',
  'asked',
  'external',
  'none',
]);
export type EffectKind = z.infer<typeof effectKindSchema>;

/** The effect of a call, or its intended effect if it was rejected or failed: see the outcome of the call. */
export const toolEffectSchema = z.strictObject({
  kind: effectKindSchema,
  /** Full mount path of the file or folder. */
  path: z.string().optional(),
  /** The search text. */
  query: z.string().optional(),
  /** The file did not exist before. */
  isNew: z.literal(true).optional(),
  /** Nothing of the old content is left in a file that existed before. */
  isReplaced: z.literal(true).optional(),
  /** The file had this content already. */
  isUnchanged: z.literal(true).optional(),
  /** Of a text, where that could be counted. */
  lines: z.strictObject({ added: z.int().min(0), removed: z.int().min(0) }).optional(),
  /** Unified diff of a change to a file that existed before, truncated if it is long. */
  diff: z.string().optional(),
});
export type ToolEffect = z.infer<typeof toolEffectSchema>;

/** The action a person is asked to approve. */
export const describedActionSchema = z.strictObject({
  /** The action as a sentence without a full stop. */
  title: z.string(),
  /** The object of the action: the full mount path of a file, or the server of a tool that is not built in. */
  target: z.string(),
  effect: effectKindSchema,
  /** The exact action: consent is for this text. `diff`: unified diff of a file; `json`: the arguments of the call. */
  preview: z.strictObject({ kind: z.enum(['diff', 'json']), text: z.string() }),
  /** Consent can only be given for this call, not for longer. */
  isOnceOnly: z.literal(true).optional(),
});
export type DescribedAction = z.infer<typeof describedActionSchema>;

/** A file change of a later call of the same reply, described before the call is made. */
export const followingChangeSchema = z.strictObject({
  callId: z.string(),
  tool: z.string(),
  action: describedActionSchema,
});
export type FollowingChange = z.infer<typeof followingChangeSchema>;

export const approvalPresetSchema = z.enum(['read-only', 'ask', 'autopilot']);
export type ApprovalPreset = z.infer<typeof approvalPresetSchema>;

/** A person's general policy (settings); an agent can only restrict it. */
export const systemToolPolicySchema = z.strictObject({
  fs: z
    .strictObject({
      enabled: z.boolean().default(true),
      maxReadBytes: limitSchema.default(524_288),
      maxWriteBytes: limitSchema.default(2_097_152),
      inlineReadBytes: limitSchema.default(65_536),
      secretPatterns: z.array(z.string()).default([]),
    })
    .prefault({}),
  mcp: z
    .strictObject({
      enabled: z.boolean().default(true),
      /** Enabled servers, read from the settings whenever a Work is opened. */
      allowedServers: z.array(z.string()).default([]),
    })
    .prefault({}),
  approval: approvalPresetSchema.default('autopilot'),
  artifactsDir: z.string().min(1).default('artifacts'),
  strictState: z.boolean().default(false),
  strictOutputs: z.boolean().default(false),
  /** Whether steps of nodes the run has not reached may be read. */
  readAhead: z.boolean().default(false),
  toolTimeoutMs: limitSchema.default(300_000),
});

export type SystemToolPolicy = z.infer<typeof systemToolPolicySchema>;

/** As in the settings: without `approval`, the default depends on where a Work is started. */
export const toolSettingsSchema = systemToolPolicySchema.extend({
  approval: approvalPresetSchema.optional(),
});
export type ToolSettings = z.infer<typeof toolSettingsSchema>;

/** On the page somebody is there to be asked. Elsewhere the default of the policy, `autopilot`, applies. */
export const PAGE_APPROVAL: ApprovalPreset = 'ask';

/** Mechanisms that run a file later without anybody opening it. */
export const runsLaterSchema = z.enum([
  'hook',
  'editor',
  'assistant',
  'ci',
  'shell',
  'build',
  'scripts',
  'lockfile',
  'executable',
]);

export type RunsLater = z.infer<typeof runsLaterSchema>;

/** A question of `ui.ask_user`. */
/** How far a call in progress is, as its tool says. */
export const toolProgressSchema = z.strictObject({
  progress: z.number(),
  total: z.number().optional(),
  message: z.string().optional(),
});
export type ToolProgress = z.infer<typeof toolProgressSchema>;

export const questionSchema = z.strictObject({
  id: z.string().min(1),
  prompt: z.string().min(1),
  type: z.enum(['text', 'choice', 'multi', 'confirm', 'form']),
  options: z.array(z.string().min(1)).optional(),
  schema: z.record(z.string(), z.unknown()).optional(),
});

export type Question = z.infer<typeof questionSchema>;

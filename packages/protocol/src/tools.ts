/**
 * What tools answer, and how a person's policy bounds them. Every result is one of two shapes: it worked, or a code from
 * the error table with a sentence that says what to do instead.
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
 * What a call of a tool is for. `external`: an action outside of the project, by a tool that is not built in; `none`: nothing
 * that the runtime knows of.
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

/** What a call did, or would have done where it was refused or failed: the outcome of the call says which. */
export const toolEffectSchema = z.strictObject({
  kind: effectKindSchema,
  /** Full mount path of the file or folder. */
  path: z.string().optional(),
  /** What a search looked for. */
  query: z.string().optional(),
  /** The file did not exist before. */
  isNew: z.literal(true).optional(),
  /** Unified diff of a patch, cut off where it is long. */
  diff: z.string().optional(),
});
export type ToolEffect = z.infer<typeof toolEffectSchema>;

/** What a person is asked to allow. */
export const describedActionSchema = z.strictObject({
  /** What would be done, as a sentence without its end. */
  title: z.string(),
  /** What it would be done to: the full mount path of a file, the server of a tool that is not built in. */
  target: z.string(),
  effect: effectKindSchema,
  /** Exactly what would be done: consent is for this text. `diff`: of a file, unified; `json`: the arguments of the call. */
  preview: z.strictObject({ kind: z.enum(['diff', 'json']), text: z.string() }),
});
export type DescribedAction = z.infer<typeof describedActionSchema>;

export const approvalPresetSchema = z.enum(['read-only', 'ask', 'autopilot']);
export type ApprovalPreset = z.infer<typeof approvalPresetSchema>;

/** What a person allows in general (settings); an agent can only tighten it. */
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
      /** Servers that are switched on: read from the settings whenever a Work is opened. */
      allowedServers: z.array(z.string()).default([]),
    })
    .prefault({}),
  approval: approvalPresetSchema.default('autopilot'),
  artifactsDir: z.string().min(1).default('artifacts'),
  strictState: z.boolean().default(false),
  strictOutputs: z.boolean().default(false),
  /** Whether steps of nodes that a run has not come to may be read. */
  readAhead: z.boolean().default(false),
  toolTimeoutMs: limitSchema.default(300_000),
});

export type SystemToolPolicy = z.infer<typeof systemToolPolicySchema>;

/** As in the settings: where nothing is said about approval, it depends on where something is begun. */
export const toolSettingsSchema = systemToolPolicySchema.extend({
  approval: approvalPresetSchema.optional(),
});
export type ToolSettings = z.infer<typeof toolSettingsSchema>;

/** On the page somebody is there to be asked. Elsewhere nobody may be: `autopilot`, the default of a policy. */
export const PAGE_APPROVAL: ApprovalPreset = 'ask';

/** What runs a file later, without anybody opening it. */
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

/** Questions of `ui.ask_user`. */
export const questionSchema = z.strictObject({
  id: z.string().min(1),
  prompt: z.string().min(1),
  type: z.enum(['text', 'choice', 'multi', 'confirm', 'form']),
  options: z.array(z.string().min(1)).optional(),
  schema: z.record(z.string(), z.unknown()).optional(),
});

export type Question = z.infer<typeof questionSchema>;

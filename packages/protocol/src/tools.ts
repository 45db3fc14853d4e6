/**
 * Tool results, and the policy that restricts tools. A result is either a success, or an error code with a sentence that says
 * what to do instead.
 */

import type { ErrorCode } from './errors.ts';
import { limitSchema } from './format.ts';
import { countSchema, nonEmptySchema } from './scalars.ts';
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
  path: z.optional(z.string()),
  /** The search text. */
  query: z.optional(z.string()),
  /** The command line. */
  command: z.optional(z.string()),
  /** The file did not exist before. */
  isNew: z.optional(z.literal(true)),
  /** Nothing of the old content is left in a file that existed before. */
  isReplaced: z.optional(z.literal(true)),
  /** The file had this content already. */
  isUnchanged: z.optional(z.literal(true)),
  /** Of a text, where that could be counted. */
  lines: z.optional(z.strictObject({ added: countSchema, removed: countSchema })),
  /** Unified diff of a change to a file that existed before, truncated if it is long. */
  diff: z.optional(z.string()),
});
export type ToolEffect = z.infer<typeof toolEffectSchema>;

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

const entryKindSchema = z.enum(['absent', 'file', 'link', 'folder']);

/** What consent to a change of a file is bound to. */
export const fileFactSchema = z.strictObject({
  /** Resolved full mount path. */
  path: z.string(),
  before: z.strictObject({
    kind: entryKindSchema,
    /** `device:inode`. */
    identity: z.optional(z.string()),
    mode: z.optional(z.number()),
    /** Of the content of a file, or of the target of a link. */
    sha256: z.optional(z.string()),
  }),
  after: z.strictObject({
    kind: entryKindSchema,
    mode: z.optional(z.number()),
    sha256: z.optional(z.string()),
  }),
  runsLater: z.optional(runsLaterSchema),
});
export type FileFact = z.infer<typeof fileFactSchema>;

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
  isOnceOnly: z.optional(z.literal(true)),
  /** Creates the file. Logs of earlier versions do not say it. */
  isNew: z.optional(z.literal(true)),
  /** The files that the action changes; consent is bound to them besides the preview. */
  files: z.optional(z.array(fileFactSchema)),
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
  fs: z.prefault(
    z.strictObject({
      enabled: z._default(z.boolean(), true),
      maxReadBytes: z._default(limitSchema, 524_288),
      maxWriteBytes: z._default(limitSchema, 2_097_152),
      inlineReadBytes: z._default(limitSchema, 65_536),
      secretPatterns: z._default(z.array(z.string()), []),
    }),
    {},
  ),
  mcp: z.prefault(
    z.strictObject({
      enabled: z._default(z.boolean(), true),
      /** Enabled servers, read from the settings whenever a Work is opened. */
      allowedServers: z._default(z.array(z.string()), []),
    }),
    {},
  ),
  approval: z._default(approvalPresetSchema, 'autopilot'),
  artifactsDir: z._default(nonEmptySchema, 'artifacts'),
  strictState: z._default(z.boolean(), false),
  strictOutputs: z._default(z.boolean(), false),
  /** Whether steps of nodes the run has not reached may be read. */
  readAhead: z._default(z.boolean(), false),
  toolTimeoutMs: z._default(limitSchema, 300_000),
});

export type SystemToolPolicy = z.infer<typeof systemToolPolicySchema>;

/** As in the settings: without `approval`, the default depends on where a Work is started. */
export const toolSettingsSchema = z.extend(systemToolPolicySchema, {
  approval: z.optional(approvalPresetSchema),
});
export type ToolSettings = z.infer<typeof toolSettingsSchema>;

/** On the page somebody is there to be asked. Elsewhere the default of the policy, `autopilot`, applies. */
export const PAGE_APPROVAL: ApprovalPreset = 'ask';

/** A question of `ui.ask_user`. */
/** How far a call in progress is, as its tool says. */
export const toolProgressSchema = z.strictObject({
  progress: z.number(),
  total: z.optional(z.number()),
  message: z.optional(z.string()),
});
export type ToolProgress = z.infer<typeof toolProgressSchema>;

export const questionSchema = z.strictObject({
  id: nonEmptySchema,
  prompt: nonEmptySchema,
  type: z.enum(['text', 'choice', 'multi', 'confirm', 'form']),
  options: z.optional(z.array(nonEmptySchema)),
  schema: z.optional(z.record(z.string(), z.unknown())),
});

export type Question = z.infer<typeof questionSchema>;

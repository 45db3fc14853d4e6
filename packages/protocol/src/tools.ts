/**
 * Tool results, and the policy that restricts tools. A result is either a success, or an error code with a sentence that says
 * what to do instead.
 */

import type { ErrorCode } from './errors.ts';
import { limitSchema } from './format.ts';
import { countSchema, nonEmptySchema, sha256Schema } from './scalars.ts';
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
  /** The other files of a call that changed several. */
  also: z.optional(z.array(z.string())),
  /** Of an external or an interrupted call: full mount paths of the project files that it changed, up to a limit. */
  changed: z.optional(z.array(z.string())),
  /** Of files that were read whole or in part, or written: their SHA-256 then. Logs of earlier versions do not have it. */
  hashes: z.optional(z.array(z.strictObject({ path: z.string(), sha256: sha256Schema }))),
  /** The search text. */
  query: z.optional(z.string()),
  /** The command line. */
  command: z.optional(z.string()),
  /** The file did not exist before. */
  isNew: z.optional(z.literal(true)),
  /** Nothing of the old content is left in a file that existed before. */
  isReplaced: z.optional(z.literal(true)),
  /** Of an external call: its tool only reads. */
  isReadOnly: z.optional(z.literal(true)),
  /** The file had this content already. */
  isUnchanged: z.optional(z.literal(true)),
  /** Of a text, where that could be counted. */
  lines: z.optional(z.strictObject({ added: countSchema, removed: countSchema })),
  /** Unified diff of a change to a file that existed before, truncated if it is long. */
  diff: z.optional(z.string()),
});
export type ToolEffect = z.infer<typeof toolEffectSchema>;

/** Mechanisms that run a file later without anybody opening it. `listed`: a person named it in the settings. */
export const runsLaterSchema = z.enum([
  'hook',
  'editor',
  'assistant',
  'instructions',
  'ci',
  'shell',
  'build',
  'scripts',
  'lockfile',
  'executable',
  'listed',
]);

export type RunsLater = z.infer<typeof runsLaterSchema>;

/** What a path is on disk. `sha256`: of a file's content, or of the text a link points to. */
const entryShape = {
  kind: z.enum(['absent', 'file', 'link', 'folder']),
  mode: z.optional(countSchema),
  sha256: z.optional(z.string()),
};

/** What consent to the change of one file is bound to: where it is, what it is, and what it becomes. */
export const fileFactSchema = z.strictObject({
  /** Full mount path with links resolved. */
  path: z.string(),
  /** `identity`: device and inode, `device:inode`. */
  before: z.strictObject({ ...entryShape, identity: z.optional(z.string()) }),
  after: z.strictObject(entryShape),
  runsLater: z.optional(runsLaterSchema),
});
export type FileFact = z.infer<typeof fileFactSchema>;

/** Why a person is asked under every preset: the author declared that the run uses other files. */
export const undeclaredSchema = z.strictObject({
  /** What says so: `writes` of workflow.md, `rights: declared` of the step or of workflow.md, or the preset of the person. */
  by: z.enum(['writes', 'step', 'workflow', 'preset']),
  /** `program`: it can read every file of the project. */
  access: z.enum(['read', 'write', 'program']),
  /** The globs of `writes`; with the preset, what the node declares. */
  globs: z.optional(z.array(z.string())),
});
export type Undeclared = z.infer<typeof undeclaredSchema>;

/** The action a person is asked to approve. */
export const describedActionSchema = z.strictObject({
  /** The action as a sentence without a full stop. */
  title: z.string(),
  /** The object of the action: the full mount path of a file, or the server of a tool that is not built in. */
  target: z.string(),
  effect: effectKindSchema,
  /**
   * What the action does, as text. `diff`: unified diff of a file; `json`: the arguments of the call. `isCut`: the end of the text
   * is missing; its last line says how much.
   */
  preview: z.strictObject({
    kind: z.enum(['diff', 'json']),
    text: z.string(),
    isCut: z.optional(z.literal(true)),
  }),
  /** The files that consent is bound to. Logs of earlier versions do not have them. */
  files: z.optional(z.array(fileFactSchema)),
  /** What differs from the request that was approved before (`ChangedFact`); unknown codes may be added. */
  changed: z.optional(z.array(z.string())),
  /** Consent can only be given for this call, not for longer. */
  isOnceOnly: z.optional(z.literal(true)),
  undeclared: z.optional(undeclaredSchema),
  /** Creates the file. Logs of earlier versions do not say it. */
  isNew: z.optional(z.literal(true)),
});
export type DescribedAction = z.infer<typeof describedActionSchema>;

/** A file change of a later call of the same reply, described before the call is made. */
export const followingChangeSchema = z.strictObject({
  callId: z.string(),
  tool: z.string(),
  action: describedActionSchema,
});
export type FollowingChange = z.infer<typeof followingChangeSchema>;

/** `declared`: a node uses the files that it declares without asking, and asks for any other; in a conversation like `ask`. */
export const approvalPresetSchema = z.enum(['read-only', 'ask', 'declared', 'autopilot']);
export type ApprovalPreset = z.infer<typeof approvalPresetSchema>;

/** Names of files in which `*` matches anything. */
const patternsSchema = (...examples: string[]) =>
  z._default(z.array(z.string()).check(z.meta({ examples })), []);

/** A person's general policy (settings); an agent can only restrict it. */
export const systemToolPolicySchema = z.strictObject({
  fs: z.prefault(
    z.strictObject({
      enabled: z._default(z.boolean(), true),
      maxReadBytes: z._default(limitSchema, 524_288),
      maxWriteBytes: z._default(limitSchema, 2_097_152),
      inlineReadBytes: z._default(limitSchema, 65_536),
      secretPatterns: patternsSchema('salaries*.xlsx', '*-private.md'),
      /** Further names of files that something runs later. */
      runsLaterPatterns: patternsSchema('deploy*', 'release.json'),
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

/** On the page somebody is there to be asked, as on a terminal. Elsewhere the default of the policy, `autopilot`, applies. */
export const PAGE_APPROVAL: ApprovalPreset = 'ask';

/** How far a call in progress is, as its tool says. */
export const toolProgressSchema = z.strictObject({
  progress: z.number(),
  total: z.optional(z.number()),
  message: z.optional(z.string()),
});
export type ToolProgress = z.infer<typeof toolProgressSchema>;

/** A question of `ui.ask_user`. */
export const questionSchema = z.strictObject({
  id: nonEmptySchema,
  prompt: nonEmptySchema,
  /** Markdown to read before all questions of the call, such as a draft; the first question has it. */
  body: z.optional(z.string()),
  type: z.enum(['text', 'choice', 'multi', 'confirm', 'form']),
  options: z.optional(z.array(nonEmptySchema)),
  schema: z.optional(z.record(z.string(), z.unknown())),
  /** The words are those of an MCP server: its message, and its name of this field. `prompt` contains both. */
  source: z.optional(z.strictObject({ server: nonEmptySchema, message: z.string(), label: z.string() })),
});

export type Question = z.infer<typeof questionSchema>;

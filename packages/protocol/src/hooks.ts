/**
 * Hooks: programs and addresses that a person, or the policy of an organisation, calls when something happens in a Work. Never part of
 * a package or a project. A hook may deny what `DENIABLE` lists or add a message; it approves nothing and changes no state.
 */
import { sandboxOptionsSchema } from './sandbox.ts';
import { nonEmptySchema } from './scalars.ts';
import * as z from './zod.ts';

export const hookEventSchema = z.enum([
  'node.before-leave',
  'file.written',
  'run.waiting',
  'run.ended',
  'approval.requested',
]);
export type HookEvent = z.infer<typeof hookEventSchema>;

/** What happens only if no hook denies it. */
export const DENIABLE: ReadonlySet<HookEvent> = new Set(['node.before-leave', 'approval.requested']);

const shared = {
  enabled: z._default(z.boolean(), true),
  on: z.array(hookEventSchema).check(z.minLength(1)),
  timeoutSeconds: z._default(z.int().check(z.minimum(1), z.maximum(120)), 10),
  /** `deny`: a hook that fails denies what it could have denied. */
  onFailure: z._default(z.enum(['warn', 'deny']), 'warn'),
};

export const commandHookSchema = z.strictObject({
  ...shared,
  command: nonEmptySchema,
  args: z._default(z.array(z.string()), []),
  /** `off`: it runs in the project itself, with everything that the person may do. */
  sandbox: z._default(z.enum(['required', 'off']), 'required'),
  ...sandboxOptionsSchema.shape,
});
export interface CommandHook extends z.infer<typeof commandHookSchema> {}

export const httpHookSchema = z.strictObject({
  ...shared,
  url: z.url({ protocol: /^https?$/ }),
  /** Name of the environment variable with the secret that requests are signed with. */
  secretEnv: z.optional(z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/))),
  /** JSON in which `{{summary}}` and other fields are replaced; by default all of what happened. */
  body: z.optional(z.string().check(z.maxLength(20_000))),
});
export interface HttpHook extends z.infer<typeof httpHookSchema> {}

export type Hook = CommandHook | HttpHook;
export const hookSchema: z.ZodMiniType<Hook> = z.union([commandHookSchema, httpHookSchema]);

export function isCommandHook(hook: Hook): hook is CommandHook {
  return 'command' in hook;
}

export const hookNameSchema = z.string().check(z.regex(/^[A-Za-z0-9][\w.-]{0,63}$/));
export const hooksSchema: z.ZodMiniType<Hooks> = z.record(hookNameSchema, hookSchema);
export interface Hooks {
  readonly [name: string]: Hook;
}

/** What a hook is given as JSON. */
export interface HookInput {
  readonly schemaVersion: 1;
  readonly event: HookEvent;
  /** One sentence for people. */
  readonly summary: string;
  readonly at: string;
  readonly runId: string;
  readonly project: string;
  readonly workflow?: string | undefined;
  readonly node?: { readonly id: string; readonly title: string } | undefined;
  /** Of a node that is about to be left. */
  readonly to?: string | undefined;
  /** Of `file.written`: full mount paths. */
  readonly files?: readonly string[] | undefined;
  readonly phase?: string | undefined;
  readonly reason?: { readonly code: string; readonly message: string } | undefined;
  /** Of an action that needs approval. */
  readonly action?: { readonly tool: string; readonly title: string; readonly target: string } | undefined;
}

export const testedHookSchema = z.strictObject({
  at: z.string(),
  event: hookEventSchema,
  /** Why it failed. */
  error: z.optional(z.string()),
  deny: z.optional(z.string()),
  message: z.optional(z.string()),
});
export type TestedHook = z.infer<typeof testedHookSchema>;

export const listedHookSchema = z.strictObject({
  name: z.string(),
  hook: hookSchema,
  /** By the policy of an organisation. */
  isRequired: z.boolean(),
  /** Why a policy forbids it. */
  refusal: z.optional(z.string()),
  /** Of the last test since the server started. */
  tested: z.optional(testedHookSchema),
});
export type ListedHook = z.infer<typeof listedHookSchema>;

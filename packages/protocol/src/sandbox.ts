/**
 * Sandboxes of the operating system, for commands and for MCP servers that are processes: what a person allows in one, and what
 * is known of the sandbox of this machine.
 */
import * as z from './zod.ts';

/** What processes in the sandbox may use besides the project. */
export const sandboxOptionsSchema = z.strictObject({
  /** Includes services on this machine. */
  network: z._default(z.boolean(), false),
  /** Folders that may be read, as absolute paths or starting with `~/`. */
  folders: z._default(
    z.array(
      z
        .string()
        .check(z.regex(/^(?:\/|~\/|[A-Za-z]:[\\/])/, 'use an absolute path, or one that starts with ~/')),
    ),
    [],
  ),
  /** Git may record changes: objects, refs and the index, never its configuration or hooks. */
  git: z._default(z.boolean(), false),
});
export type SandboxOptions = z.infer<typeof sandboxOptionsSchema>;

export const sandboxStateSchema = z.strictObject({
  kind: z.enum(['bubblewrap', 'seatbelt', 'none']),
  /** Tried out on this machine: files outside, processes and the network are out of reach. */
  isIsolating: z.boolean(),
  /** Why there is none, or why it is not relied on. */
  reason: z.optional(z.string()),
});
export type SandboxState = z.infer<typeof sandboxStateSchema>;

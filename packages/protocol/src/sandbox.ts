/**
 * Sandboxes of the operating system, for commands and for MCP servers that are processes: what a person allows in one, and what
 * is known of the sandbox of this machine.
 */
import * as z from './zod.ts';

/** In lower case. The last label begins with a letter, so a number or an address in any notation is no name. */
const HOST_NAME =
  /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

const PRIVATE_NAME = /\.(?:localhost|local|internal|intranet|lan|home\.arpa)$/;

export function isHostName(name: string): boolean {
  return HOST_NAME.test(name);
}

/** A host that processes in the sandbox may reach: `example.org`, `*.example.org`, `example.org:8443`. */
export const hostSchema = z.string().check(
  z.trim(),
  z.toLowerCase(),
  z.refine((host) => isHostName(host.replace(/^\*\./, '').replace(/:[1-9]\d{0,4}$/, '')), {
    message: 'use a name such as example.org, *.example.org or example.org:8443',
  }),
  z.refine((host) => Number(host.split(':')[1] ?? 443) <= 65_535, { message: 'use a port up to 65535' }),
  z.refine((host) => !PRIVATE_NAME.test(host.split(':')[0] ?? ''), {
    message: 'hosts of this machine and of private networks cannot be allowed',
  }),
);

/** What processes in the sandbox may use besides the project. */
export const sandboxOptionsSchema = z.strictObject({
  /** By name only: the package registries of the project's tools, and `hosts`. Never this machine or a private network. */
  network: z._default(z.boolean(), false),
  /** What they may reach besides package registries. */
  hosts: z._default(
    z.array(hostSchema).check(z.maxLength(200), z.meta({ examples: ['api.example.org', '*.example.com'] })),
    [],
  ),
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

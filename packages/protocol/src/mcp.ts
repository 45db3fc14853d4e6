/**
 * MCP servers as configured by a person: in `settings.json` for all projects, or in the project's own `.mcp.json`, where each
 * definition needs one approval. Values of environment variables and headers are secrets: settings contain their names only.
 */
import { sandboxOptionsSchema, sandboxStateSchema } from './sandbox.ts';
import { nonEmptySchema, sha256Schema } from './scalars.ts';
import * as z from './zod.ts';

/** No underscores, so that `mcp_<server>_<tool>` is unambiguous on the wire. */
export const serverIdSchema = z.string().check(
  z.regex(/^[A-Za-z0-9](?:[A-Za-z0-9-]{0,30}[A-Za-z0-9])?$/, 'use 1 to 32 letters, digits and inner hyphens'),
  z.refine((id) => id !== 'describe', 'the name "describe" is reserved'),
);

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

const switches = {
  enabled: z._default(z.boolean(), true),
  /** Hints of a trusted server are believed: its read-only tools run without approval. */
  trusted: z._default(z.boolean(), false),
  /** Names of tools, as the server lists them, that are hidden from models. */
  disabledTools: z._default(z.array(nonEmptySchema), []),
};

export const stdioServerSchema = z.strictObject({
  ...switches,
  command: nonEmptySchema,
  args: z._default(z.array(z.string()), []),
  /** Names of environment variables whose values are stored as secrets. */
  env: z._default(z.array(z.string().check(z.regex(NAME))), []),
  /** Names of environment variables that the server inherits from this process. */
  inheritEnv: z._default(z.array(z.string().check(z.regex(NAME))), []),
  /** Working directory, relative to the project; default: the project. */
  cwd: z.optional(nonEmptySchema),
  /** Runs in the sandbox of the operating system; not started where there is none. */
  sandbox: z.optional(sandboxOptionsSchema),
});
export type StdioServer = z.infer<typeof stdioServerSchema>;

export const httpServerSchema = z.strictObject({
  ...switches,
  url: z.url({ protocol: /^https?$/ }),
  /** Names of headers whose values are stored as secrets. */
  headers: z._default(z.array(z.string().check(z.regex(/^[A-Za-z0-9-]+$/))), []),
});
export type HttpServer = z.infer<typeof httpServerSchema>;

export const mcpServerSchema = z.union([stdioServerSchema, httpServerSchema]);
export type McpServer = z.infer<typeof mcpServerSchema>;

export const mcpSettingsSchema = z.strictObject({
  servers: z._default(z.record(serverIdSchema, mcpServerSchema), {}),
});

export function isStdio(server: McpServer): server is StdioServer {
  return 'command' in server;
}

/** The servers of another program's file, as they would be started. Values of variables and headers are not shown. */
export const serversPreviewSchema = z.strictObject({
  servers: z.array(
    z.strictObject({
      id: serverIdSchema,
      server: mcpServerSchema,
      /** The settings have a server of this name, which an import does not change. */
      isKnown: z.optional(z.literal(true)),
    }),
  ),
  /** Entries that cannot be used, and why. */
  issues: z.array(z.string()),
});
export type ServersPreview = z.infer<typeof serversPreviewSchema>;

/** A definition in a project's `.mcp.json` that a person approved; valid as long as its content has this hash. */
export const approvedServerSchema = z.strictObject({
  server: serverIdSchema,
  hash: sha256Schema,
});
export type ApprovedServer = z.infer<typeof approvedServerSchema>;

const serverStatusSchema = z.strictObject({
  state: z.enum(['stopped', 'starting', 'ready', 'failed', 'needs-login']),
  /** Reason of the last failure. */
  error: z.optional(z.string()),
  /** The last lines on stderr. */
  stderr: z.optional(z.string()),
});
export type ServerStatus = z.infer<typeof serverStatusSchema>;

const serverToolSchema = z.strictObject({
  /** The name in logs and for people: `mcp.<server>.<tool>`. */
  name: z.string(),
  /** The server's own name for the tool. */
  ownName: z.string(),
  description: z.string(),
  /** Claimed by the server; believed for trusted servers only. */
  isReadOnly: z.boolean(),
});
export type ServerTool = z.infer<typeof serverToolSchema>;

/** Login over OAuth to a server over HTTP. Tokens are never part of it. */
const listedLoginSchema = z.strictObject({
  isSignedIn: z.boolean(),
  /** The server requires a login, or one that grants more. */
  isRequired: z.boolean(),
  /** The page of a sign-in that is in progress. */
  url: z.optional(z.string()),
  /** Why the last sign-in failed. */
  error: z.optional(z.string()),
});

export const listedServerSchema = z.strictObject({
  id: z.string(),
  /** `project`: from the project's own `.mcp.json`. */
  origin: z.enum(['user', 'project']),
  server: mcpServerSchema,
  hash: z.string(),
  /** Always true for servers of the settings. */
  isApproved: z.boolean(),
  /** Names of environment variables or headers with a stored value. */
  storedValues: z.array(z.string()),
  status: serverStatusSchema,
  /** Left out as long as the server asks for none. */
  login: z.optional(listedLoginSchema),
  /** Known while the server is running. */
  tools: z.optional(z.array(serverToolSchema)),
});
export type ListedServer = z.infer<typeof listedServerSchema>;

export const serverListSchema = z.strictObject({
  /** The master switch for all servers. */
  enabled: z.boolean(),
  servers: z.array(listedServerSchema),
  /** Of this machine. */
  sandbox: sandboxStateSchema,
  /** Why the project's file, or an entry of it, could not be read. */
  issues: z.array(z.string()),
});
export type ServerList = z.infer<typeof serverListSchema>;

export const serverTestSchema = z.strictObject({
  ok: z.boolean(),
  ms: z.number(),
  error: z.optional(z.string()),
  stderr: z.optional(z.string()),
  /** A person has to sign in. */
  needsLogin: z.optional(z.boolean()),
  tools: z.array(serverToolSchema),
});
export type ServerTest = z.infer<typeof serverTestSchema>;

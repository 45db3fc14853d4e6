/**
 * MCP servers as a person sets them up: in `settings.json` for all projects, or in the project's own `.mcp.json`, where each
 * definition needs one approval. Values of environment variables and headers are secrets: settings hold their names only.
 */
import * as z from './zod.ts';

/** No underscore: `mcp_<server>_<tool>` then has one reading on the wire. */
export const serverIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9](?:[A-Za-z0-9-]{0,30}[A-Za-z0-9])?$/, 'use 1 to 32 letters, digits and inner hyphens')
  .refine((id) => id !== 'describe', 'the name "describe" is reserved');

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

const switches = {
  enabled: z.boolean().default(true),
  /** Hints of a trusted server are believed: its read-only tools run without approval. */
  trusted: z.boolean().default(false),
  /** Names of tools, as the server lists them, that no model is shown. */
  disabledTools: z.array(z.string().min(1)).default([]),
};

export const stdioServerSchema = z.strictObject({
  ...switches,
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  /** Names of environment variables whose values are stored as secrets. */
  env: z.array(z.string().regex(NAME)).default([]),
  /** Names of environment variables that the server inherits from this process. */
  inheritEnv: z.array(z.string().regex(NAME)).default([]),
  /** Working directory, relative to the project; the project itself if left out. */
  cwd: z.string().min(1).optional(),
});
export type StdioServer = z.infer<typeof stdioServerSchema>;

export const httpServerSchema = z.strictObject({
  ...switches,
  url: z.url({ protocol: /^https?$/ }),
  /** Names of headers whose values are stored as secrets. */
  headers: z.array(z.string().regex(/^[A-Za-z0-9-]+$/)).default([]),
});
export type HttpServer = z.infer<typeof httpServerSchema>;

export const mcpServerSchema = z.union([stdioServerSchema, httpServerSchema]);
export type McpServer = z.infer<typeof mcpServerSchema>;

export const mcpSettingsSchema = z.strictObject({
  servers: z.record(serverIdSchema, mcpServerSchema).default({}),
});

export function isStdio(server: McpServer): server is StdioServer {
  return 'command' in server;
}

/** A definition of a project's `.mcp.json` that a person approved; it counts as long as its content has this hash. */
export const approvedServerSchema = z.strictObject({
  server: serverIdSchema,
  hash: z.string().regex(/^[0-9a-f]{64}$/),
});
export type ApprovedServer = z.infer<typeof approvedServerSchema>;

const serverStatusSchema = z.strictObject({
  state: z.enum(['stopped', 'starting', 'ready', 'failed']),
  /** Why the server failed last. */
  error: z.string().optional(),
  /** The last lines on stderr. */
  stderr: z.string().optional(),
});
export type ServerStatus = z.infer<typeof serverStatusSchema>;

const serverToolSchema = z.strictObject({
  /** As logs and people see it: `mcp.<server>.<tool>`. */
  name: z.string(),
  /** The server's own name for it. */
  ownName: z.string(),
  description: z.string(),
  /** What the server says; it counts for trusted servers only. */
  isReadOnly: z.boolean(),
});
export type ServerTool = z.infer<typeof serverToolSchema>;

export const listedServerSchema = z.strictObject({
  id: z.string(),
  /** `project`: of the project's own `.mcp.json`. */
  origin: z.enum(['user', 'project']),
  server: mcpServerSchema,
  hash: z.string(),
  /** Always true for servers of the settings. */
  isApproved: z.boolean(),
  /** Names of environment variables or headers that a value is stored for. */
  storedValues: z.array(z.string()),
  status: serverStatusSchema,
  /** Known while the server runs. */
  tools: z.array(serverToolSchema).optional(),
});
export type ListedServer = z.infer<typeof listedServerSchema>;

export const serverListSchema = z.strictObject({
  /** The switch for all servers. */
  enabled: z.boolean(),
  servers: z.array(listedServerSchema),
  /** Why the project's file, or an entry of it, could not be read. */
  issues: z.array(z.string()),
});
export type ServerList = z.infer<typeof serverListSchema>;

export const serverTestSchema = z.strictObject({
  ok: z.boolean(),
  ms: z.number(),
  error: z.string().optional(),
  stderr: z.string().optional(),
  tools: z.array(serverToolSchema),
});
export type ServerTest = z.infer<typeof serverTestSchema>;

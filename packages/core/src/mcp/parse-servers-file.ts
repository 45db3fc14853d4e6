/**
 * Parses MCP server files of other programs: `mcpServers` (Claude, Cursor), `servers` (VS Code), or a bare map. Pure.
 */
import { isObject } from '@crewagent/protocol/json-object';
import { type McpServer, mcpServerSchema, serverIdSchema } from '@crewagent/protocol/mcp';
import { toServerId } from '@crewagent/protocol/server-ids';
import * as z from '@crewagent/protocol/zod';
import { CrewError } from '../base/crew-error.ts';

export interface ReadServer {
  readonly id: string;
  readonly server: McpServer;
  /** Values of environment variables or headers, by name. */
  readonly values: Readonly<Record<string, string>>;
}

const entrySchema = z.looseObject({
  command: z.optional(z.string()),
  args: z.optional(z.array(z.string())),
  env: z.optional(
    z.record(z.string(), z.pipe(z.union([z.string(), z.number(), z.boolean()]), z.transform(String))),
  ),
  cwd: z.optional(z.string()),
  url: z.optional(z.string()),
  serverUrl: z.optional(z.string()),
  headers: z.optional(z.record(z.string(), z.string())),
  type: z.optional(z.string()),
  disabled: z.optional(z.boolean()),
});

/** Throws MCP_CONFIG_INVALID for a text without any servers; an invalid entry becomes an issue. */
export function parseServersFile(text: string) {
  const servers: ReadServer[] = [];
  const issues: string[] = [];
  for (const [name, entry] of Object.entries(entriesOf(text))) {
    const read = readEntry(name, entry);
    if (typeof read === 'string') issues.push(`"${name.slice(0, 64)}": ${read}.`);
    else if (servers.some(({ id }) => id === read.id))
      issues.push(`"${name.slice(0, 64)}": its id "${read.id}" is already in use.`);
    else servers.push(read);
  }
  return { servers, issues };
}

function entriesOf(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text);
  const found = isObject(value) ? (value.mcpServers ?? value.servers ?? value) : undefined;
  if (isObject(found)) return found;
  throw new CrewError(
    'MCP_CONFIG_INVALID',
    'The file has no MCP servers: it needs an object "mcpServers" or "servers".',
  );
}

function parseJson(text: string): unknown {
  try {
    // Editors write such files with comments and trailing commas.
    return JSON.parse(toPlainJson(text));
  } catch (error) {
    throw new CrewError(
      'MCP_CONFIG_INVALID',
      `The file with MCP servers is not JSON: ${(error as Error).message}.`,
    );
  }
}

/** Removes comments and trailing commas; strings are left unchanged. */
function toPlainJson(text: string): string {
  return text.replace(
    /("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=\s*[}\]])/g,
    (_, string: string | undefined) => string ?? '',
  );
}

function readEntry(name: string, entry: unknown): ReadServer | string {
  const parsed = entrySchema.safeParse(entry);
  if (!parsed.success) return firstIssue(parsed.error);
  const { command, args, env = {}, cwd, url, serverUrl = url, headers = {}, disabled, type } = parsed.data;
  if (type === 'sse') return 'servers over SSE are not supported; use streamable HTTP';
  const values = command === undefined ? headers : env;
  const reference = Object.values({ ...values, args: (args ?? []).join(' ') }).find((value) =>
    /\$\{[^}]*\}/.test(value),
  );
  if (reference !== undefined)
    return 'variables such as $NAME in braces are not supported; write the value instead';
  const id = toServerId(name);
  const isValidId = serverIdSchema.safeParse(id);
  if (!isValidId.success) return firstIssue(isValidId.error);
  const enabled = disabled === true ? { enabled: false } : {};
  const server = mcpServerSchema.safeParse(
    command === undefined
      ? { url: serverUrl, headers: Object.keys(headers), ...enabled }
      : { command, args, env: Object.keys(env), cwd, ...enabled },
  );
  if (!server.success)
    return command === undefined && serverUrl === undefined
      ? 'it has neither "command" nor "url"'
      : firstIssue(server.error);
  return { id, server: server.data, values };
}

function firstIssue({ issues: [issue] }: z.core.$ZodError): string {
  return issue ? `${issue.path.map(String).join('.')} ${issue.message}`.trim() : 'it is invalid';
}

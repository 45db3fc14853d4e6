/**
 * Tools of MCP servers as a tool source: names, descriptions and schemas for the policy and the model. Statements of a server
 * are data: they never extend what the host allows, unless the person marked the server as trusted.
 */
import type { ToolResult } from '@crewagent/protocol/tools';
import type { Tool } from '@modelcontextprotocol/client';
import { sha256Of } from '../base/sha256.ts';
import { addChanges } from '../tools/changes/change-report.ts';
import type { ProgramChanges } from '../tools/changes/program-changes.ts';
import { answer, failure } from '../tools/tool.ts';
import type {
  ToolAnswer,
  ToolCallContext,
  ToolDescription,
  ToolSource,
  ToolWarning,
} from '../tools/tool-source.ts';
import { type ActiveCall, startCall } from './active-call.ts';
import type { McpConnection } from './connection.ts';
import { LoginRequired, ServerFailure } from './open-client.ts';
import type { ResolvedServer } from './resolve-servers.ts';
import { DESCRIBE, describeTools, toBriefTools } from './schema-budget.ts';
import type { ServerView } from './server-view.ts';
import { toToolName } from './tool-names.ts';
import { type Spill, toToolResult } from './tool-result.ts';

/** `hash`: of the definition that a person configured or approved. */
export interface ActiveServer extends Pick<ResolvedServer, 'id' | 'hash' | 'trusted' | 'disabledTools'> {
  readonly connection: McpConnection;
}

export interface McpToolsOptions {
  /** The enabled servers, by id. */
  servers(): Promise<readonly ActiveServer[]>;
  readonly spill: Spill;
  /** What servers in the sandbox changed. */
  readonly programs: ProgramChanges;
}

export interface McpTool extends ToolDescription {
  readonly server: string;
  /** The server's own name for the tool. */
  readonly ownName: string;
  /** Hash of the tool's whole definition. */
  readonly hash: string;
}

const MAX_TOOLS = 256;
const MAX_DEFINITION_CHARS = 32_768;
const MAX_DESCRIPTION_CHARS = 2_048;

export interface McpToolSource extends ToolSource {
  /** Cancels calls whose server waits for answers of a person. */
  cancelCalls(): void;
}

export function createMcpTools({ servers, spill, programs }: McpToolsOptions): McpToolSource {
  let active: readonly ActiveServer[] = [];
  const listFor = (allowed: readonly string[]): McpTool[] =>
    active.filter(({ id }) => allowed.includes(id)).flatMap(toTools);
  const find = (name: string): { tool: McpTool; server: ActiveServer } | undefined => {
    for (const server of active) {
      const tool = toTools(server).find((candidate) => candidate.name === name);
      if (tool) return { tool, server };
    }
    return undefined;
  };
  /** Hash of each tool when it was last listed, which is what consent was given to. */
  const listed = new Map<string, string>();
  /** Calls whose server waits for answers of a person. */
  const held = new Map<string, ActiveCall>();
  /** What the person is told before the next request to the model. */
  const declined: ToolWarning[] = [];

  return {
    heldAction: (callId) => programs.isHeld(callId),
    async prepare(allowed, signal) {
      active = await servers();
      const warnings = await Promise.all(
        active.filter(({ id }) => allowed.includes(id)).map((server) => start(server, signal)),
      );
      const tools = listFor(allowed);
      const revision = sha256Of(Buffer.from(JSON.stringify(tools.map(({ name, hash }) => [name, hash]))));
      return { revision, warnings: [...warnings.flat(), ...declined.splice(0)] };
    },
    list(allowed) {
      const tools = listFor(allowed);
      for (const { name, hash } of tools) listed.set(name, hash);
      return toBriefTools(tools);
    },
    async run({ name, arguments: args }, context) {
      const { callId, signal } = context;
      if (name === DESCRIBE)
        return answer(
          describeTools(args, (toolName) => (listed.has(toolName) ? find(toolName)?.tool : undefined)),
        );
      await programs.dropOthers(callId);
      const ran = await programs.resume(callId);
      if (ran) return ran;
      const call = held.get(callId);
      for (const other of held.values()) if (other !== call) other.cancel();
      held.clear();
      if (context.answers && !call) return answer(callLost());
      const found = find(name);
      if (!found) return answer(toolChanged(name));
      const { tool, server } = found;
      const { connection } = server;
      try {
        call?.answer(context.answers ?? {});
        if (!call) {
          await connection.ready(signal);
          const now = toTools(server).find((candidate) => candidate.name === name);
          if (now?.hash !== listed.get(name)) return answer(toolChanged(name));
        }
        const started =
          call ??
          startCall({
            server: server.id,
            connection,
            name: tool.ownName,
            args: args as Readonly<Record<string, unknown>>,
            mayAsk: context.mayAsk === true,
            onSecretDeclined: (field) => void declined.push(secretDeclined(server.id, field)),
          });
        const outcome = await started.wait(signal, context.onProgress);
        if (outcome.kind === 'question') {
          held.set(callId, started);
          return outcome;
        }
        const hide = (text: string): string => connection.hide(text);
        const result = await toToolResult(outcome.result, { callId, spill, hide });
        return connection.view
          ? await settleView(programs, { view: connection.view, tool, result }, context)
          : answer(result);
      } catch (error) {
        return answer(toFailure(server.id, error));
      }
    },
    cancelCalls() {
      for (const call of held.values()) call.cancel();
      held.clear();
    },
  };
}

interface EndedCall {
  readonly view: ServerView;
  readonly tool: McpTool;
  readonly result: ToolResult;
}

/** The result of a call, with what the server changed in its view. */
function settleView(
  programs: ProgramChanges,
  { view, tool, result }: EndedCall,
  { callId, decidedAt, rights }: ToolCallContext,
): Promise<ToolAnswer> {
  const { isGitAllowed, isConflict, remember } = view;
  return programs.settle(
    view.view,
    {
      tool: tool.name,
      callId,
      nodeId: decidedAt || undefined,
      isGitAllowed,
      isReadOnly: tool.isReadOnly,
      effect: {},
      rights,
      toResult: (changes) => Promise.resolve(addChanges(result, changes)),
    },
    { changes: view.takeChanges(), isConflict, staysOpen: true, onSettled: remember },
  );
}

/** Lists the tools of servers that run, for a view of a request. It starts nothing and executes nothing. */
export function createToolList(active: readonly ActiveServer[]): ToolSource {
  return {
    list: (allowed) => toBriefTools(active.filter(({ id }) => allowed.includes(id)).flatMap(toTools)),
    run: () => Promise.reject(new Error('not available in a read-only view')),
  };
}

function secretDeclined(server: string, field: string): ToolWarning {
  return {
    code: 'MCP_SECRET_DECLINED',
    message: `The MCP server "${server}" asked for "${field}", which looks like a secret. It was declined, and you were not asked.`,
    details: { server, field },
  };
}

function callLost(): ToolResult {
  return failure(
    'ENGINE_ABORTED',
    'The server that asked has ended meanwhile, so the answers were not delivered. Check whether the call took effect before you repeat it.',
  );
}

/** Returns warnings if the server is not available. */
async function start({ id, connection }: ActiveServer, signal: AbortSignal): Promise<string[]> {
  try {
    await connection.ready(signal);
    return [];
  } catch (error) {
    if (!(error instanceof ServerFailure)) throw error;
    if (error instanceof LoginRequired)
      return [`The MCP server "${id}" needs a sign-in. Sign in with: crewagent mcp login ${id}`];
    return signal.aborted ? [] : [`The MCP server "${id}" is not available: ${error.message}`];
  }
}

function toolChanged(name: string): ToolResult {
  return failure(
    'TOOL_NOT_AVAILABLE',
    `The tool "${name}" has changed or was removed. Check the list of tools again.`,
  );
}

function toFailure(server: string, error: unknown): ToolResult {
  if (!(error instanceof ServerFailure)) throw error;
  // A run never opens a browser.
  return error instanceof LoginRequired
    ? failure(
        'MCP_LOGIN_REQUIRED',
        `The MCP server "${server}" needs a sign-in, which only the user can do: in the settings of the page, or with: crewagent mcp login ${server}. Ask for it, and do not repeat the call before.`,
      )
    : failure(
        'MCP_SERVER_FAILED',
        `The MCP server "${server}" failed: ${error.message} Check whether the call took effect before you repeat it.`,
      );
}

/** Sorted by name, so that every request has the same list. */
function toTools(server: ActiveServer): McpTool[] {
  const known = toolCache.get(server.connection.tools);
  if (known?.server === server) return known.tools;
  const disabled = new Set(server.disabledTools);
  const byName = new Map<string, McpTool>();
  for (const tool of server.connection.tools.slice(0, MAX_TOOLS)) {
    const isUsable = !disabled.has(tool.name) && JSON.stringify(tool).length <= MAX_DEFINITION_CHARS;
    const described = isUsable ? toDescription(server, tool) : undefined;
    if (described && !byName.has(described.name)) byName.set(described.name, described);
  }
  const tools = [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  toolCache.set(server.connection.tools, { server, tools });
  return tools;
}

/** Keyed by the raw list, which is a new object whenever a server lists its tools again. */
const toolCache = new WeakMap<
  readonly Tool[],
  { readonly server: ActiveServer; readonly tools: McpTool[] }
>();

function toDescription({ id, hash: serverHash, trusted }: ActiveServer, tool: Tool): McpTool {
  const { name: ownName, description, title, inputSchema, annotations } = tool;
  const hash = sha256Of(Buffer.from(JSON.stringify([serverHash, tool])));
  return {
    name: toToolName(id, ownName),
    ownName,
    family: 'mcp',
    server: id,
    effect: 'external',
    isReadOnly: trusted && annotations?.readOnlyHint === true,
    mustAsk: !trusted,
    // Standing consent ends when the server or its definition of the tool changes.
    consentTarget: `${id}@${hash.slice(0, 16)}`,
    description: toPlainText(description ?? title ?? ''),
    parameters: () => inputSchema,
    checkedSchema: () => withoutPatterns(inputSchema) as Readonly<Record<string, unknown>>,
    hash,
  };
}

/** Removes control characters and invisible characters. */
function toPlainText(text: string): string {
  return text.replace(/[^\P{C}\n]/gu, ' ').slice(0, MAX_DESCRIPTION_CHARS);
}

/** A hostile pattern could block this process; the server checks its own patterns. */
function withoutPatterns(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    const isPattern = (key === 'pattern' && typeof value === 'string') || key === 'patternProperties';
    return isPattern ? undefined : value;
  });
}

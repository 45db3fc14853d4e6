/** The MCP server of one connection, or of one request: what it offers, and how it answers. */
import { fileURLToPath } from 'node:url';
import { CrewError, requireAllowed } from '@crewagent/core';
import { isObject } from '@crewagent/protocol/json-object';
import type { DoorKind } from '@crewagent/protocol/policy';
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Catalogue } from './catalogue.ts';
import type { Form } from './forms.ts';
import type { HostProject, OpenRuns } from './open-runs.ts';
import { toPrompts } from './prompts.ts';
import {
  listProjectRuns,
  listResources,
  RESOURCE_TEMPLATES,
  type ResourceParts,
  readResource,
} from './resources.ts';
import { INSTRUCTIONS } from './texts.ts';
import type { FormReply, ToolParts, ToolReply } from './tool-call.ts';
import { DOOR_TOOLS } from './tools.ts';

export interface DoorParts extends ResourceParts {
  readonly openRuns: OpenRuns;
  readonly catalogue: Catalogue;
  readonly language: ToolParts['language'];
  readonly version: string;
}

export interface Connection {
  readonly over: Extract<DoorKind, 'mcp-stdio' | 'mcp-http'>;
  /** Undefined: the first root of the host. */
  readonly projectPath: string | undefined;
  /** It ends with the answer: nothing can be sent to it later. */
  readonly isForOneRequest?: boolean | undefined;
  /** Versions of the protocol with a handshake, unless it is false. */
  readonly hasHandshake?: boolean | undefined;
  /** Where the host has no roots either; undefined where that would be a folder of the server. */
  readonly fallbackPath?: string | undefined;
}

/** A person takes their time. */
const FORM_TIMEOUT_MS = 24 * 60 * 60_000;
const ROOTS = 'roots';

export function createDoorServer(
  parts: DoorParts,
  { over, projectPath, fallbackPath }: Connection,
  subscriptions: Set<string> | undefined,
): Server {
  const server = new Server(
    { name: 'crewagent', title: 'CrewAgent', version: parts.version },
    {
      instructions: INSTRUCTIONS,
      capabilities: {
        tools: {},
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
      },
      inputRequired: { roundTimeoutMs: FORM_TIMEOUT_MS },
    },
  );
  const toolParts: ToolParts = { ...parts, listRuns: (project) => listProjectRuns(parts, project) };
  const { asksPerson, findProject, nameOf } = createHostFacts(server, { projectPath, fallbackPath });
  const judge = async (ctx: ServerContext): Promise<void> => {
    const policies = await parts.runtime.store.policy.read();
    requireAllowed(policies, { kind: 'door', over, agent: nameOf(ctx) });
  };

  server.setRequestHandler('tools/list', (_, ctx) => ({
    tools: DOOR_TOOLS.filter(({ isForChat }) => !isForChat || !asksPerson(ctx)).map(
      ({ name, description, inputSchema, isReadOnly }) => ({
        name,
        description,
        inputSchema,
        annotations: { readOnlyHint: isReadOnly, destructiveHint: false, openWorldHint: false },
      }),
    ),
  }));
  server.setRequestHandler('tools/call', async (request, ctx) => {
    const { name, arguments: args = {} } = request.params;
    const tool = DOOR_TOOLS.find((each) => each.name === name);
    if (!tool)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${name.slice(0, 64)}".`);
    try {
      await judge(ctx);
      const project = findProject(ctx);
      if ('resultType' in project) return project;
      const call = { args, project, asksPerson: asksPerson(ctx), reply: (key: string) => replyOf(ctx, key) };
      return toResult(await tool.run(call, toolParts));
    } catch (error) {
      return toResult(toFailure(error));
    }
  });
  const host: HostFacts = { judge, findProject };
  offerPrompts(server, parts, host);
  offerResources(server, parts, host, subscriptions);
  return server;
}

interface HostFacts {
  /** Throws if a policy does not allow this host. */
  judge(ctx: ServerContext): Promise<void>;
  findProject(ctx: ServerContext): HostProject | InputRequiredResult;
}

function offerPrompts(server: Server, { catalogue }: DoorParts, { judge }: HostFacts): void {
  server.setRequestHandler('prompts/list', async (_, ctx) => ({
    prompts: toPrompts((await findQuietly(() => judge(ctx).then(catalogue.list))) ?? []).map(
      ({ name, title, description, inputs }) => ({
        name,
        title,
        description,
        arguments: inputs.map((input) => ({ name: input.name, description: input.prompt })),
      }),
    ),
  }));
  server.setRequestHandler('prompts/get', async ({ params }, ctx) => {
    await judge(ctx).catch((error: unknown) => {
      throw new ProtocolError(ProtocolErrorCode.InvalidRequest, toFailure(error).text);
    });
    const prompt = toPrompts(await catalogue.list()).find(({ name }) => name === params.name);
    if (!prompt)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no prompt "${params.name.slice(0, 100)}".`,
      );
    const text = prompt.toText(params.arguments ?? {});
    return {
      description: prompt.description,
      messages: [{ role: 'user', content: { type: 'text', text } }],
    };
  });
}

function offerResources(
  server: Server,
  parts: DoorParts,
  { judge, findProject }: HostFacts,
  subscriptions: Set<string> | undefined,
): void {
  server.setRequestHandler('resources/list', async (_, ctx) => {
    const project = await findQuietly(() => judge(ctx).then(() => findProject(ctx)));
    return {
      resources: project && !('resultType' in project) ? await listResources(parts, project) : [],
    };
  });
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: RESOURCE_TEMPLATES.map((template) => ({ ...template })),
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }, ctx) => {
    try {
      await judge(ctx);
      const project = findProject(ctx);
      if ('resultType' in project) return project;
      return { contents: [{ uri, ...(await readResource(uri, parts, project)) }] };
    } catch (error) {
      throw new ProtocolError(ProtocolErrorCode.ResourceNotFound, toFailure(error).text, { uri });
    }
  });
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    if (subscriptions && subscriptions.size < MAX_SUBSCRIPTIONS) subscriptions.add(uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    subscriptions?.delete(uri);
    return {};
  });
}

/** What is known of the host and its project, with each request. */
function createHostFacts(server: Server, { projectPath, fallbackPath }: Omit<Connection, 'over'>) {
  /** With the request, or from the handshake of earlier versions of the protocol. */
  const hasCapability = ({ mcpReq: { envelope } }: ServerContext, name: 'elicitation' | 'roots'): boolean =>
    fieldOf(fieldOf(envelope, CLIENT_CAPABILITIES_META_KEY) ?? server.getClientCapabilities(), name) !==
    undefined;
  const asksPerson = (ctx: ServerContext): boolean => hasCapability(ctx, 'elicitation');
  const nameOf = ({ mcpReq: { envelope } }: ServerContext): string | undefined => {
    const name = fieldOf(fieldOf(envelope, CLIENT_INFO_META_KEY) ?? server.getClientVersion(), 'name');
    return (typeof name === 'string' && name.trim().slice(0, MAX_HOST_NAME)) || undefined;
  };
  let rootPath: string | undefined;
  /** The folder, or the request for the roots of the host. */
  const findProject = (ctx: ServerContext): HostProject | InputRequiredResult => {
    const path = projectPath ?? rootPath ?? firstRoot(ctx);
    if (projectPath === undefined) rootPath = path;
    const host = nameOf(ctx) ?? 'another agent';
    if (path !== undefined) return { host, projectPath: path };
    if (hasCapability(ctx, 'roots') && ctx.mcpReq.inputResponses?.[ROOTS] === undefined)
      return inputRequired({ inputRequests: { [ROOTS]: inputRequired.listRoots() } });
    if (fallbackPath !== undefined) return { host, projectPath: fallbackPath };
    throw new CrewError(
      'USAGE',
      'This host names no project folder. Add it to the configuration of the server.',
    );
  };
  return { asksPerson, findProject, nameOf };
}

const MAX_HOST_NAME = 64;
const MAX_SUBSCRIPTIONS = 200;

/** For lists, which are empty where a call would be refused. */
async function findQuietly<Found>(find: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof CrewError) return undefined;
    throw error;
  }
}

function firstRoot({ mcpReq: { inputResponses } }: ServerContext): string | undefined {
  const roots = fieldOf(inputResponses?.[ROOTS], 'roots');
  const uris = Array.isArray(roots) ? roots.map((root: unknown) => fieldOf(root, 'uri')) : [];
  const uri = uris.find((each) => typeof each === 'string' && each.startsWith('file://'));
  return typeof uri === 'string' ? fileURLToPath(uri) : undefined;
}

function replyOf({ mcpReq: { inputResponses } }: ServerContext, key: string): FormReply | undefined {
  const response = inputResponses?.[key];
  if (response === undefined) return undefined;
  const content = fieldOf(response, 'content');
  const isAccepted = fieldOf(response, 'action') === 'accept';
  return { content: isAccepted ? (isObject(content) ? content : {}) : undefined };
}

/** What a host sends is not trusted to have its form. */
function fieldOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function toResult(reply: ToolReply): CallToolResult | InputRequiredResult {
  if (reply.kind === 'form')
    return inputRequired({ inputRequests: { [reply.key]: inputRequired.elicit(toElicitation(reply.form)) } });
  const { text, isError } = reply;
  return { content: [{ type: 'text', text }], ...(isError ? { isError } : {}) };
}

function toElicitation(form: Form): Parameters<typeof inputRequired.elicit>[0] {
  return { mode: 'form', ...form };
}

function toFailure(error: unknown): Extract<ToolReply, { kind: 'text' }> {
  if (error instanceof CrewError) return { kind: 'text', text: error.message, isError: true };
  throw error;
}

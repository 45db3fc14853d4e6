/**
 * Hosts over Streamable HTTP, on the local server behind its guards. Versions of the protocol with a handshake have sessions; without
 * one, each request stands for itself.
 */
import { randomUUID } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { isFolder } from '@crewagent/core';
import {
  createMcpHandler,
  isLegacyRequest,
  type ServerEventBus,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { createDoor, type DoorOptions } from './door.ts';

export interface HttpDoor {
  answer(request: Request): Promise<Response>;
  close(): Promise<void>;
}

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Fixed by the first request. */
  readonly projectPath: string | undefined;
  usedMs: number;
}

const MAX_SESSIONS = 32;
const MAX_BODY_BYTES = 1_048_576;
const MAX_SUBSCRIPTIONS = 64;
const SESSION_HEADER = 'mcp-session-id';

export function createHttpDoor(options: DoorOptions): HttpDoor {
  const door = createDoor(options);
  const sessions = new Map<string, Session>();
  const limits = { maxRequestBodySize: MAX_BODY_BYTES };
  const bus: ServerEventBus = { publish: () => undefined, subscribe: door.watch };
  const modern = createMcpHandler(
    ({ requestInfo }) =>
      door.connect({
        over: 'mcp-http',
        projectPath: requestInfo && projectOf(requestInfo),
        isForOneRequest: true,
      }),
    { legacy: 'reject', bus, maxSubscriptions: MAX_SUBSCRIPTIONS, ...limits },
  );

  const openSession = async (request: Request): Promise<Response> => {
    const projectPath = projectOf(request);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        sessions.set(id, { transport, projectPath, usedMs: performance.now() });
        endOldest();
      },
      ...limits,
    });
    const server = door.connect({ over: 'mcp-http', projectPath });
    await server.connect(transport);
    const forget = server.onclose;
    server.onclose = () => {
      forget?.();
      if (transport.sessionId !== undefined) sessions.delete(transport.sessionId);
    };
    const response = await transport.handleRequest(request);
    // It was no handshake, and has been refused.
    if (transport.sessionId === undefined) await server.close();
    return response;
  };
  const endOldest = (): void => {
    if (sessions.size <= MAX_SESSIONS) return;
    const [oldest] = [...sessions.values()].sort((one, other) => one.usedMs - other.usedMs);
    void oldest?.transport.close();
  };

  return {
    async answer(request) {
      const project = projectOf(request);
      if (project !== undefined && !(isAbsolute(project) && (await isFolder(project))))
        return refuse(400, 'The project of the address is not a folder.');
      if (!(await isLegacyRequest(request, undefined, limits))) return modern.fetch(request);
      const id = request.headers.get(SESSION_HEADER);
      if (id === null) return openSession(request);
      const session = sessions.get(id);
      if (!session || session.projectPath !== project) return refuse(404, 'There is no such session.');
      session.usedMs = performance.now();
      return session.transport.handleRequest(request);
    },
    async close() {
      await door.close();
      await modern.close();
      for (const { transport } of [...sessions.values()]) await transport.close();
    },
  };
}

function projectOf({ url }: Request): string | undefined {
  return new URL(url).searchParams.get('project') ?? undefined;
}

function refuse(status: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code: -32000, message }, id: null }, { status });
}

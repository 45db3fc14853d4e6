/**
 * Serves conversations and workflows to an editor over the Agent Client Protocol. Ends with the connection, and then stops what
 * runs; every run can be resumed.
 */
import { agent, methods, ndJsonStream, PROTOCOL_VERSION, RequestError } from '@agentclientprotocol/sdk';
import { CrewError, requireAllowed } from '@crewagent/core';
import { ERRORS } from '@crewagent/protocol/errors';
import { VERSION } from '@crewagent/protocol/version';
import { createOpenSessions, type OpenSessionsOptions } from './open-sessions.ts';

export interface EditorServer extends OpenSessionsOptions {
  readonly input: EditorInput;
  readonly output: NodeJS.WritableStream;
  /** Ends the connection. */
  readonly signal: AbortSignal;
}

/** Destroyed at the end, because a process does not end while it reads. */
interface EditorInput extends NodeJS.ReadableStream {
  destroy?(): unknown;
}

/** A message with a picture is the largest; a larger one ends the connection. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

/** Resolves when the connection has ended and all sessions are closed. Throws if the editor broke the protocol's limits. */
export async function serveEditor(server: EditorServer): Promise<void> {
  const { input, output, signal } = server;
  const sessions = createOpenSessions(server);
  const connection = toApp(sessions, server.runtime).connect(
    ndJsonStream(toWebWritable(output), toWebReadable(input), {
      maxMessageBytes: MAX_MESSAGE_BYTES,
    }),
  );
  const end = (): void => connection.close();
  output.on('error', end);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  await connection.closed;
  input.destroy?.();
  await sessions.close();
  output.off('error', end);
  const { reason } = connection.signal as { reason: unknown };
  if (reason instanceof Error && reason.name === 'MessageTooLargeError')
    throw new CrewError(
      'USAGE',
      'The editor sent a message of more than 32 MB, so the connection was closed.',
    );
}

type OpenSessions = ReturnType<typeof createOpenSessions>;

/** The methods of the protocol. Errors for people are sentences; other errors are bugs. */
function toApp(sessions: OpenSessions, { store }: EditorServer['runtime']) {
  let editor: string | undefined;
  const { session } = methods.agent;
  const opened = <Opened extends { begin(): Promise<void> }>({ begin, ...response }: Opened) => {
    // The editor knows the session when it has the response.
    setImmediate(() => void begin().catch(sessions.onBug));
    return response;
  };
  return agent({ name: 'crewagent' })
    .onRequest(methods.agent.initialize, ({ params }) => {
      editor = params.clientInfo?.name.trim() || undefined;
      sessions.setCapabilities(params.clientCapabilities ?? {});
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: 'crewagent', title: 'CrewAgent', version: VERSION },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, audio: false, embeddedContext: true },
          mcpCapabilities: { http: false, sse: false },
          sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
        },
        authMethods: [],
      };
    })
    .onRequest(methods.agent.authenticate, () => ({}))
    .onRequest(session.new, ({ params, client }) =>
      withPolicy(async () => opened(await sessions.create(params, client))),
    )
    .onRequest(session.load, ({ params, client }) =>
      withPolicy(async () => {
        const { begin, ...response } = await sessions.load(params, client, true);
        // The story comes before the response.
        await begin();
        return response;
      }),
    )
    .onRequest(session.resume, ({ params, client }) =>
      withPolicy(async () => opened(await sessions.load(params, client, false))),
    )
    .onRequest(session.list, ({ params }) => withErrors(() => sessions.list(params)))
    .onRequest(session.close, ({ params }) =>
      withErrors(async () => {
        await sessions.closeOne(params.sessionId);
        return {};
      }),
    )
    .onRequest(session.delete, ({ params }) =>
      withErrors(async () => {
        await sessions.remove(params.sessionId);
        return {};
      }),
    )
    .onRequest(session.setMode, ({ params }) =>
      withErrors(async () => {
        await sessions.find(params.sessionId).setMode(params.modeId);
        return {};
      }),
    )
    .onRequest(session.setConfigOption, ({ params }) =>
      withErrors(async () => {
        const { sessionId, configId, value } = params;
        const configOptions = await sessions.find(sessionId).setOption(configId, String(value));
        return { configOptions };
      }),
    )
    .onRequest(session.prompt, ({ params, signal }) =>
      withPolicy(async () => {
        const stopReason = await sessions.find(params.sessionId).prompt(params.prompt, signal);
        return { stopReason };
      }),
    )
    .onNotification(session.cancel, ({ params }) => sessions.cancel(params.sessionId));

  /** Judged when something is opened or said: a policy holds at once, also for what is open. */
  function withPolicy<Response>(answer: () => Promise<Response>): Promise<Response> {
    return withErrors(async () => {
      requireAllowed(await store.policy.read(), { kind: 'door', over: 'acp', agent: editor });
      return answer();
    });
  }

  async function withErrors<Response>(answer: () => Promise<Response>): Promise<Response> {
    try {
      return await answer();
    } catch (error) {
      throw toRequestError(error, sessions.onBug);
    }
  }
}

/** An editor shows the message. */
function toRequestError(error: unknown, onBug: (error: unknown) => void): RequestError {
  if (error instanceof RequestError) return error;
  if (error instanceof CrewError) {
    const { code, message } = error;
    const { httpStatus } = ERRORS[code];
    const number = httpStatus === 404 ? NOT_FOUND : httpStatus === 400 ? INVALID_PARAMS : REJECTED;
    return new RequestError(number, message, { code });
  }
  onBug(error);
  return new RequestError(INTERNAL, 'Internal error: this is a bug in CrewAgent.');
}

const NOT_FOUND = -32002;
const INVALID_PARAMS = -32602;
const INTERNAL = -32603;
/** In the range for servers: what was asked for is not possible now. */
const REJECTED = -32010;

/** The next chunk is read when the last one was taken. */
function toWebReadable(input: EditorInput): ReadableStream<Uint8Array> {
  const chunks = input[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const next = await chunks.next();
      if (next.done) controller.close();
      else controller.enqueue(Buffer.from(next.value));
    },
    cancel: () => void input.destroy?.(),
  });
}

/** A chunk is written when the output has taken it. */
function toWebWritable(output: NodeJS.WritableStream): WritableStream<Uint8Array> {
  return new WritableStream({
    write: (chunk) =>
      new Promise((resolve, reject) => {
        output.write(chunk, (error) => (error ? reject(error) : resolve()));
      }),
  });
}

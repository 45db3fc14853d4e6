/**
 * The API client, generated from the table of endpoints: `client.works.answer({ workId, body })`. For the web page, scripts and
 * tests. Independent of browser and Node.
 */
import type { TargetSurface } from '../commands.ts';
import { ApiError, readError } from './api-error.ts';
import {
  API_ROOT,
  type Endpoint,
  type EndpointGroup,
  type InputOf,
  type MessageOf,
  type ResponseOf,
} from './define-endpoint.ts';
import { ENDPOINTS, type Endpoints } from './endpoints.ts';
import { followEvents } from './event-stream.ts';
import { SURFACE_HEADER } from './page-address.ts';

export { ApiError } from './api-error.ts';

export interface ClientOptions {
  /** URL of the server, such as `http://127.0.0.1:4000`. */
  readonly baseUrl: string;
  /** Undefined on a team server, where the browser sends the cookie of a session. */
  readonly token: string | undefined;
  /** The surface whose menu the person sees; default: browser. */
  readonly surface?: TargetSurface;
  readonly fetch?: typeof fetch;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Sends this call, for example with its progress; default: that of the client. */
  readonly fetch?: typeof fetch;
}

export interface StreamOptions extends CallOptions {
  readonly lastEventId?: string;
  readonly onState?: (state: 'open' | 'broken') => void;
  readonly firstWaitMs?: number;
  readonly silenceMs?: number;
}

/** An interface: its name stands for it in other types, which would be too long with all calls. */
export interface ApiClient extends CallsOf<Endpoints> {}

/** The calls of a table of endpoints. */
export type CallsOf<Table> = {
  readonly [Group in keyof Table]: {
    readonly [Name in keyof Table[Group]]: CallOf<Table[Group][Name]>;
  };
};

type CallOf<E> = E extends { readonly message: unknown } & Endpoint
  ? (...args: [...ArgumentsOf<E>, options?: StreamOptions]) => AsyncGenerator<MessageOf<E>, void>
  : E extends { readonly returnsFile: true } & Endpoint
    ? (...args: [...ArgumentsOf<E>, options?: CallOptions]) => Promise<Response>
    : E extends Endpoint
      ? (...args: [...ArgumentsOf<E>, options?: CallOptions]) => Promise<ResponseOf<E>>
      : never;

/** The input is optional if all of its fields are. */
type ArgumentsOf<E extends Endpoint> =
  Record<never, never> extends InputOf<E> ? [input?: InputOf<E>] : [input: InputOf<E>];

interface LooseInput {
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly [param: string]: unknown;
}

export function createApiClient(options: ClientOptions): ApiClient {
  return createCalls(ENDPOINTS, options);
}

/** A client for another table, such as the endpoints that only a team server has. */
export function createCalls<Table extends Readonly<Record<string, EndpointGroup>>>(
  table: Table,
  options: ClientOptions,
): CallsOf<Table> {
  const groups = Object.entries(table).map(([group, endpoints]) => [
    group,
    Object.fromEntries(
      Object.entries<Endpoint>(endpoints).map(([name, endpoint]) => [name, createCall(endpoint, options)]),
    ),
  ]);
  // Each call was created from the endpoint its type is derived from.
  return Object.fromEntries(groups) as CallsOf<Table>;
}

function createCall(endpoint: Endpoint, options: ClientOptions) {
  const { fetch: send = fetch } = options;
  // A page cannot set its Origin and need not; every other client has to send it.
  const headers = {
    ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
    origin: new URL(options.baseUrl).origin,
    ...(options.surface === undefined ? {} : { [SURFACE_HEADER]: options.surface }),
  };
  if (endpoint.message) {
    return (input: LooseInput = {}, streamOptions: StreamOptions = {}) =>
      readMessages(endpoint, {
        ...streamOptions,
        url: toUrl(endpoint, input, options),
        headers,
        fetch: send,
      });
  }
  return async (
    input: LooseInput = {},
    { signal, fetch: own = send }: CallOptions = {},
  ): Promise<unknown> => {
    const response = await own(toUrl(endpoint, input, options), {
      method: endpoint.method,
      headers: { ...headers, ...contentType(endpoint) },
      ...(signal ? { signal } : {}),
      ...(endpoint.acceptsBytes ? { body: input.body as Uint8Array<ArrayBuffer> } : {}),
      ...(endpoint.body ? { body: JSON.stringify(input.body) } : {}),
    });
    if (!response.ok) throw await readError(response, `${endpoint.method} ${endpoint.path}`);
    if (endpoint.returnsFile) return response;
    return endpoint.response?.parse(await response.json());
  };
}

function contentType({ body, acceptsBytes }: Endpoint): Record<string, string> {
  if (acceptsBytes) return { 'content-type': 'application/octet-stream' };
  return body ? { 'content-type': 'application/json' } : {};
}

function toUrl({ path }: Endpoint, input: LooseInput, { baseUrl }: ClientOptions): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(input[name])));
  const url = new URL(`${API_ROOT}${filled}`, baseUrl);
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url.href;
}

async function* readMessages(
  { message }: Endpoint,
  options: Parameters<typeof followEvents>[0],
): AsyncGenerator<unknown, void> {
  for await (const { event, data } of followEvents(options)) {
    yield message?.parse({ type: event || 'event', data: parseData(data) });
  }
}

function parseData(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw new ApiError(0, { code: 'STREAM_DAMAGED', message: 'The server sent an event that is not JSON.' });
  }
}

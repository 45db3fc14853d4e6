/**
 * Mounts an endpoint of the table in the app: parses its input with the endpoint's schemas, serializes and redacts its output.
 */

import type { IncomingMessage } from 'node:http';
import { CrewError } from '@crewagent/core';
import { API_ROOT, type Endpoint, type ResponseOf, statusOf } from '@crewagent/protocol/api/define-endpoint';
import type * as z from '@crewagent/protocol/zod';
import type { Context, Hono } from 'hono';
import { type BodyLimits, readChunks, readJson } from './read-body.ts';
import type { Access, Viewer } from './security/access.ts';
import type { Redact } from './security/redact.ts';

export interface Router {
  readonly app: Hono<ServerEnv>;
  readonly access: Access;
  readonly redact: Redact;
  readonly bodyTimeMs: number;
  /** Validates every response against its schema; for tests. */
  readonly checksResponses: boolean;
}

export interface Call<E extends Endpoint> {
  readonly params: PartOf<E, 'params'>;
  readonly query: PartOf<E, 'query'>;
  readonly body: E extends { readonly acceptsBytes: true } ? AsyncIterable<Uint8Array> : PartOf<E, 'body'>;
  readonly headers: Headers;
  readonly viewer: Viewer;
  /** Of the other end of the socket. */
  readonly address: string | undefined;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** Breaks the connection. */
  disconnect(): void;
}

type PartOf<E, Key extends string> = E extends { readonly [K in Key]: z.ZodMiniType }
  ? z.output<E[Key]>
  : undefined;

/** What a handler returns; nothing is read of it if the endpoint has no response. */
type Answer<E> = E extends { readonly response: z.ZodMiniType } ? Sent<ResponseOf<E>> : unknown;

/** Output is only serialized, so it may be readonly. */
type Sent<Value> = Value extends readonly (infer Item)[]
  ? readonly Sent<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Sent<Value[Key]> }
    : Value;

/** Mounts an endpoint with JSON input and output. */
export function mount<E extends Endpoint>(
  router: Router,
  endpoint: E,
  handle: (call: Call<E>) => Promise<Answer<E>>,
): void {
  const status = statusOf(endpoint);
  mountCall(router, endpoint, handle, (value) => {
    if (!endpoint.response) return new Response(null, { status });
    if (router.checksResponses) endpoint.response.parse(value);
    return new Response(router.redact(JSON.stringify(value)), {
      status,
      headers: { 'content-type': 'application/json; charset=utf-8' },
    });
  });
}

/** Mounts an endpoint whose response is not JSON. */
export function mountRaw<E extends Endpoint>(
  router: Router,
  endpoint: E,
  handle: (call: Call<E>) => Promise<Response>,
): void {
  mountCall(router, endpoint, handle, (response) => response);
}

/** An endpoint that this server does not offer is not mounted: it does not exist. */
function mountCall<E extends Endpoint, T>(
  router: Router,
  endpoint: E,
  handle: (call: Call<E>) => Promise<T>,
  toResponse: (value: T) => Response,
): void {
  const { access, app } = router;
  if (!access.offers(endpoint)) return;
  app.on(endpoint.method, `${API_ROOT}${endpoint.path}`, async (c) => {
    const viewer = c.get('viewer');
    // Before the body: nobody sends one in vain.
    const permit = await access.permit?.(viewer, endpoint, {
      params: c.req.param(),
      query: c.req.query(),
      headers: c.req.raw.headers,
      address: c.env.incoming?.socket.remoteAddress,
    });
    const call = await readCall(router, endpoint, c, viewer);
    if (endpoint.message) endWithAccess(access, call, c);
    const make = (): Promise<T> => handle(call);
    return toResponse(await (permit ? permit.use(call.body, make) : make()));
  });
}

/** A multiplexed stream ends with its connection, which is watched. */
function endWithAccess(access: Access, call: Call<Endpoint>, c: Context<ServerEnv>): void {
  if (!access.watch || c.env.viewer) return;
  const unwatch = access.watch(call.viewer, call.disconnect);
  call.signal.addEventListener('abort', unwatch, { once: true });
}

const MAX_JSON_BYTES = 1024 * 1024;
const UPLOAD_TIME_MS = 10 * 60_000;

async function readCall<E extends Endpoint>(
  { bodyTimeMs }: Router,
  endpoint: E,
  c: Context<ServerEnv>,
  viewer: Viewer,
): Promise<Call<E>> {
  const request = c.req.raw;
  const { params, query, body, acceptsBytes, maxBytes = MAX_JSON_BYTES } = endpoint;
  const limits: BodyLimits = { maxBytes, timeMs: acceptsBytes ? UPLOAD_TIME_MS : bodyTimeMs };
  const call = {
    params: params && parsePart('path', params, c.req.param()),
    query: query && parsePart('query', query, c.req.query()),
    body: acceptsBytes
      ? readChunks(request, limits)
      : body && parsePart('body', body, await readJson(request, limits)),
    headers: request.headers,
    viewer,
    address: c.env.incoming?.socket.remoteAddress,
    signal: request.signal,
    disconnect: () => c.env.outgoing?.destroy(),
  };
  // Each part was parsed by the schema its type is derived from.
  return call as unknown as Call<E>;
}

/** Throws a `CrewError` that lists the invalid fields. */
function parsePart(part: string, schema: z.ZodMiniType, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map(({ path, message }) => ({
    path: path.map(String).join('.'),
    message,
  }));
  const [first] = fields;
  const where = first?.path ? `"${first.path}" in the ${part}` : `The ${part}`;
  throw new CrewError('USAGE', `${where} is invalid: ${first?.message ?? 'unexpected shape'}.`, {
    details: { place: part, fields: fields.slice(0, 20) },
  });
}

/** Node objects of a request that arrived over a socket; absent in tests that call the app directly. */
export interface ServerEnv {
  Bindings: {
    readonly incoming?: IncomingMessage;
    readonly outgoing?: { destroy(): unknown };
    /** Of a multiplexed stream: who opened its connection. */
    readonly viewer?: Viewer;
  };
  Variables: { viewer: Viewer };
}

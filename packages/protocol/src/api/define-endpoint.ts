/**
 * The definition of an API endpoint: one value that the server mounts, the client calls and the OpenAPI document describes.
 * Nothing about an endpoint is defined anywhere else.
 */
import * as z from '../zod.ts';
import { PATH_PARAMS } from './ids.ts';

export const API_ROOT = '/api/v1';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Endpoint extends EndpointCall, EndpointParts {
  readonly params?: z.ZodMiniObject;
}

export interface EndpointCall {
  readonly method: HttpMethod;
  /** Relative to the API root; parameters begin with a colon. */
  readonly path: string;
  readonly summary: string;
}

export interface EndpointParts {
  readonly query?: z.ZodMiniObject;
  readonly body?: z.ZodMiniType;
  /** The body is a raw file, not JSON. */
  readonly acceptsBytes?: true;
  /** Overrides the default limit of the body. */
  readonly maxBytes?: number;
  readonly response?: z.ZodMiniType;
  /** Messages of an event stream, instead of a response. */
  readonly message?: z.ZodMiniType;
  /** The response is a file instead of JSON. */
  readonly returnsFile?: true;
  /** Default: 200, or 204 without a response. */
  readonly status?: 200 | 201 | 202 | 204;
}

/** `call`: method and path. The name of a path parameter determines its schema. */
export function defineEndpoint<
  const Call extends `${HttpMethod} /${string}`,
  const Parts extends EndpointParts = Record<never, never>,
>(call: Call, summary: string, parts?: Parts) {
  const [method, path] = call.split(' ') as [HttpMethod, string];
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as keyof typeof PATH_PARAMS);
  const params = z.strictObject(Object.fromEntries(names.map((name) => [name, PATH_PARAMS[name]])));
  const endpoint = { method, path, summary, ...(names.length > 0 && { params }), ...parts };
  return endpoint as EndpointCall & Parts & ParamsIn<Call>;
}

type ParamsIn<Call extends string> = [NamesIn<Call>] extends [never]
  ? unknown
  : { readonly params: z.ZodMiniObject<Pick<typeof PATH_PARAMS, NamesIn<Call>>> };

type NamesIn<Call extends string> = Call extends `${string}/:${infer Name}/${infer Rest}`
  ? (Name & keyof typeof PATH_PARAMS) | NamesIn<`/${Rest}`>
  : Call extends `${string}/:${infer Name}`
    ? Name & keyof typeof PATH_PARAMS
    : never;

export type EndpointGroup = Readonly<Record<string, Endpoint>>;

/** The input of a call: path parameters by name, `query` and `body`. */
export type InputOf<E extends Endpoint> = ParamsOf<E> & QueryOf<E> & BodyOf<E>;

type ParamsOf<E> = E extends { readonly params: z.ZodMiniType } ? z.input<E['params']> : unknown;

type QueryOf<E> = E extends { readonly query: z.ZodMiniType }
  ? Record<never, never> extends z.input<E['query']>
    ? { readonly query?: z.input<E['query']> }
    : { readonly query: z.input<E['query']> }
  : unknown;

type BodyOf<E> = E extends { readonly acceptsBytes: true }
  ? { readonly body: Uint8Array | Blob }
  : E extends { readonly body: z.ZodMiniType }
    ? { readonly body: z.input<E['body']> }
    : unknown;

export type ResponseOf<E> = E extends { readonly response: z.ZodMiniType }
  ? z.output<E['response']>
  : undefined;

export type MessageOf<E> = E extends { readonly message: z.ZodMiniType } ? z.output<E['message']> : never;

export function statusOf({ status, response, returnsFile, message }: Endpoint): number {
  return status ?? (response || returnsFile || message ? 200 : 204);
}

/** Whether a call changes something. */
export function isChanging({ method }: Pick<Endpoint, 'method'>): boolean {
  return method !== 'GET';
}

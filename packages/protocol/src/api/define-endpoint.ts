/**
 * How one endpoint of the API is written down: one value that the server mounts, the client calls and the OpenAPI document
 * describes. Nothing about an endpoint is said anywhere else.
 */
import type * as z from '../zod.ts';

export const API_ROOT = '/api/v1';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Endpoint {
  readonly method: HttpMethod;
  /** Below the root of the API; parts that vary begin with a colon. */
  readonly path: string;
  readonly summary: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The body is a file as it is, not JSON. */
  readonly takesBytes?: true;
  /** The most a body may have, where the usual limit does not fit. */
  readonly maxBytes?: number;
  readonly response?: z.ZodType;
  /** Messages of an event stream, instead of a response. */
  readonly message?: z.ZodType;
  /** A file is sent, instead of JSON. */
  readonly givesFile?: true;
  /** 200 if left out; 204 where there is no response. */
  readonly status?: 200 | 201 | 202 | 204;
}

export function defineEndpoint<const E extends Endpoint>(endpoint: E): E {
  return endpoint;
}

export type EndpointGroup = Readonly<Record<string, Endpoint>>;

/** What a caller gives: the parts of the path by name, `query` and `body`. */
export type InputOf<E extends Endpoint> = ParamsOf<E> & QueryOf<E> & BodyOf<E>;

type ParamsOf<E> = E extends { readonly params: z.ZodType } ? z.input<E['params']> : unknown;

type QueryOf<E> = E extends { readonly query: z.ZodType }
  ? Record<never, never> extends z.input<E['query']>
    ? { readonly query?: z.input<E['query']> }
    : { readonly query: z.input<E['query']> }
  : unknown;

type BodyOf<E> = E extends { readonly takesBytes: true }
  ? { readonly body: Uint8Array | Blob }
  : E extends { readonly body: z.ZodType }
    ? { readonly body: z.input<E['body']> }
    : unknown;

export type ResponseOf<E> = E extends { readonly response: z.ZodType } ? z.output<E['response']> : undefined;

export type MessageOf<E> = E extends { readonly message: z.ZodType } ? z.output<E['message']> : never;

export function statusOf({ status, response, givesFile, message }: Endpoint): number {
  return status ?? (response || givesFile || message ? 200 : 204);
}

/** A call that changes something. */
export function isChanging({ method }: Pick<Endpoint, 'method'>): boolean {
  return method !== 'GET';
}

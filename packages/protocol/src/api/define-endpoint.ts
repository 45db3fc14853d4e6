/**
 * The definition of an API endpoint: one value that the server mounts, the client calls and the OpenAPI document describes.
 * Nothing about an endpoint is defined anywhere else.
 */
import type * as z from '../zod.ts';

export const API_ROOT = '/api/v1';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Endpoint {
  readonly method: HttpMethod;
  /** Relative to the API root; parameters begin with a colon. */
  readonly path: string;
  readonly summary: string;
  readonly params?: z.ZodMiniObject;
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

export function defineEndpoint<const E extends Endpoint>(endpoint: E): E {
  return endpoint;
}

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

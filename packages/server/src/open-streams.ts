/**
 * Opens the event streams of the table, over a connection of their own or a multiplexed one.
 */
import type { Endpoint } from '@crewagent/protocol/api/define-endpoint';
import { type Call, mountRaw, parsePart, type Router } from './mount.ts';

export interface StreamOpener {
  readonly endpoint: Endpoint;
  open(request: StreamRequest): Promise<ReadableStream<Uint8Array>>;
}

interface StreamRequest {
  readonly params: unknown;
  readonly query: unknown;
  readonly lastEventId: string | undefined;
  disconnect(): void;
}

type StreamCall<E extends Endpoint> = Pick<Call<E>, 'params' | 'query' | 'disconnect'> & {
  /** Sequence number of the last event the reader has; undefined if it is missing or malformed. */
  readonly lastSeq: number | undefined;
};

/** Mounts the endpoint with a connection of its own, and returns its opener for multiplexed streams. */
export function mountStream<E extends Endpoint>(
  router: Router,
  endpoint: E,
  open: (call: StreamCall<E>) => Promise<ReadableStream<Uint8Array>>,
): StreamOpener {
  mountRaw(router, endpoint, async ({ params, query, headers, disconnect }) =>
    toEventStream(await open({ params, query, lastSeq: toSeq(headers.get('last-event-id')), disconnect })),
  );
  return {
    endpoint,
    open({ params, query, lastEventId, disconnect }) {
      const call = {
        params: endpoint.params && parsePart('path', endpoint.params, params),
        query: endpoint.query && parsePart('query', endpoint.query, query),
        lastSeq: toSeq(lastEventId ?? null),
        disconnect,
      };
      // Each part was parsed by the schema its type is derived from.
      return open(call as unknown as StreamCall<E>);
    },
  };
}

function toSeq(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

export function toEventStream(stream: ReadableStream<Uint8Array>): Response {
  return new Response(stream, {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' },
  });
}

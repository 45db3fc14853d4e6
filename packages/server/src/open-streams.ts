/**
 * How an event stream of the table is opened, over a connection of its own or on one that carries several.
 */
import type { Endpoint } from '@crewagent/protocol/api/define-endpoint';
import { type Call, mountRaw, parsePart, type Router } from './mount.ts';

export interface StreamOpener {
  readonly endpoint: Endpoint;
  open(asked: AskedStream): Promise<ReadableStream<Uint8Array>>;
}

interface AskedStream {
  readonly params: unknown;
  readonly query: unknown;
  readonly lastEventId: string | undefined;
  disconnect(): void;
}

type StreamCall<E extends Endpoint> = Pick<Call<E>, 'params' | 'query' | 'disconnect'> & {
  /** The number of the last event the reader has; what is no number of ours is as good as none. */
  readonly lastSeq: number | undefined;
};

/** Mounts it as a connection of its own, and returns how it is opened elsewhere. */
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
      // Each part was parsed by the schema that its type is made from.
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

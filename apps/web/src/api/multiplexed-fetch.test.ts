import { expect, it } from 'vitest';
import { createMultiplexedFetch } from './multiplexed-fetch.ts';

/** A server that never answers the first request, and refuses the others. */
function hangOnce(): typeof fetch {
  let isFirst = true;
  return (_, init) => {
    if (!isFirst) return Promise.resolve(new Response('Who are you?', { status: 401 }));
    isFirst = false;
    return new Promise((_, reject) =>
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)),
    );
  };
}

it('[U194] a connection that is never opened is given up, and the next reader opens another', async () => {
  const multiplexed = createMultiplexedFetch(hangOnce(), { openMs: 10 });
  const read = (): Promise<Response> =>
    multiplexed('http://127.0.0.1:1/api/v1/events', { headers: { accept: 'text/event-stream' } });
  const waiting = await Promise.allSettled([read(), read()]);
  expect(waiting.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect((await read()).status).toBe(401);
});

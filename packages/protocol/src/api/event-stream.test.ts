import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ApiError } from './api-error.ts';
import { type EventStreamOptions, followEvents } from './event-stream.ts';

async function serve(answer: (request: IncomingMessage, response: ServerResponse, count: number) => void) {
  let count = 0;
  const server = createServer((request, response) => answer(request, response, ++count));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function take(url: string, wanted: number, more: Partial<EventStreamOptions> = {}): Promise<string[]> {
  const seen: string[] = [];
  for await (const { data } of followEvents({ url, headers: {}, fetch, firstWaitMs: 1, ...more })) {
    seen.push(data);
    if (seen.length === wanted) break;
  }
  return seen;
}

describe('an event stream', () => {
  it('[H40] is reopened after a break, from the last event on', async () => {
    const lastIds: (string | undefined)[] = [];
    const url = await serve((request, response, count) => {
      lastIds.push(request.headers['last-event-id'] as string | undefined);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`id: ${count}\ndata: ${count}\n\nid: 99\ndata: torn`);
      response.write('', () => response.destroy());
    });
    expect(await take(url, 3)).toEqual(['1', '2', '3']);
    expect(lastIds).toEqual([undefined, '1', '2']);
  });

  it('[H40] reports when it is broken and when it is open', async () => {
    const states: string[] = [];
    const url = await serve((_, response, count) => {
      if (count === 1) response.writeHead(503).end();
      else response.writeHead(200).end('data: a\n\n');
    });
    expect(await take(url, 1, { onState: (state) => states.push(state) })).toEqual(['a']);
    expect(states).toEqual(['broken', 'open']);
  });

  it('[H40] gives up if a retry would not help', async () => {
    const url = await serve((_, response) =>
      response.writeHead(401).end('{"error":{"code":"TOKEN_REQUIRED","message":"No."}}'),
    );
    await expect(take(url, 1)).rejects.toEqual(new ApiError(401, { code: 'TOKEN_REQUIRED', message: 'No.' }));
  });

  it('[H40] treats silence as a break', async () => {
    const url = await serve((_, response, count) => {
      response.writeHead(200);
      response.write(`data: ${count}\n\n`);
    });
    // Each connection sends one event and then nothing; on a slow machine it may time out before that.
    const [first, second] = await take(url, 2, { silenceMs: 200 });
    expect(Number(second)).toBeGreaterThan(Number(first));
  });

  it('[H40] ends when it is aborted, also while it waits', async () => {
    const controller = new AbortController();
    const url = await serve((_, response) => response.destroy());
    const ended = take(url, 1, {
      signal: controller.signal,
      firstWaitMs: 60_000,
      onState: () => controller.abort(),
    });
    expect(await ended).toEqual([]);
  });
});

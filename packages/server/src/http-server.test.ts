import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Hono } from 'hono';
import { expect, it, onTestFinished } from 'vitest';
import { createHttpServer } from './http-server.ts';
import type { ServerEnv } from './mount.ts';

const RECEIVED = 'http.server.request.start';

/** The next request that a server of this process has received. */
function nextRequest(): Promise<void> {
  return new Promise((resolve) => {
    const onRequest = (): void => {
      unsubscribe(RECEIVED, onRequest);
      resolve();
    };
    subscribe(RECEIVED, onRequest);
  });
}

it('[H52] answers what an open page sent as soon as the port was bound', async () => {
  const server = createHttpServer();
  const port = await server.bind({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.stop(() => Promise.resolve()));
  const received = nextRequest();
  const answered = fetch(`http://127.0.0.1:${port}/hello`);
  await received;
  const app = new Hono<ServerEnv>().get('/hello', (context) => context.text('here'));
  server.answer(app, { onBug: () => undefined, redact: (text) => text });
  expect(await (await answered).text()).toBe('here');
});

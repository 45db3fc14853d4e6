import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAdapter } from './model-adapter.ts';

describe('what a server reports of a model', () => {
  it('[N131] is used where the settings say nothing, and asked for once', async () => {
    let asked = 0;
    const server = createServer((request, response) => {
      asked++;
      const isProps = request.url === '/props';
      response.end(
        JSON.stringify(
          isProps ? { default_generation_settings: { n_ctx: 20_480 } } : { data: [{ id: 'm' }] },
        ),
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const contextOf = async (settings: { model: string; contextTokens?: number }): Promise<number> => {
      const adapter = await createAdapter(
        { kind: 'provider', settings: { provider: 'llamacpp', baseUrl, ...settings } },
        { apiKey: undefined, now: () => new Date(), warn: () => undefined },
      );
      adapter.close();
      return adapter.traits.contextTokens;
    };
    expect(await contextOf({ model: 'm' })).toBe(20_480);
    expect(await contextOf({ model: 'm' })).toBe(20_480);
    expect(asked).toBe(2);
    expect(await contextOf({ model: 'm', contextTokens: 5_000 })).toBe(5_000);
    expect(await contextOf({ model: 'other' })).toBe(8_192);
    server.close();
    server.closeAllConnections();
    expect(await contextOf({ model: 'third' })).toBe(8_192);
  });
});

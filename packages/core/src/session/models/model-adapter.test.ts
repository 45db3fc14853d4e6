import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLearnedRules } from '../../store/disk/learned-rules.ts';
import { startFakeProvider } from '../../testing/models/fake-provider.ts';
import { statusReply, textReply } from '../../testing/models/provider-replies.ts';
import { tempFolder } from '../../testing/temp-folder.ts';
import { createAdapter } from './model-adapter.ts';

describe('rules learned from a gateway', () => {
  it('[N125] is known to the next run once it helped, for ninety days, and learned again from a damaged file', async () => {
    const file = join(await tempFolder(), 'cache', 'learned-rules.json');
    let now = new Date('2026-01-31T10:00:00.000Z');
    const message = 'Missing `reasoning_content` field in the assistant message at message index 2.';
    const provider = await startFakeProvider([statusReply(400, { error: { message } }), textReply('ok')]);
    onTestFinished(() => provider.close());
    const settings = { provider: 'generic', baseUrl: provider.url, model: 'm' } as const;
    const open = () =>
      createAdapter(
        { kind: 'provider', settings },
        {
          learned: createLearnedRules({ learnedRulesFile: file }, () => now),
          now: () => now,
          warn: () => undefined,
        },
      );
    const reasoningOf = async () => {
      const adapter = await open();
      adapter.close();
      return adapter.traits.rules?.reasoning;
    };
    const adapter = await open();
    const before = adapter.traits.rules?.reasoning;
    const request = { messages: [{ role: 'user', content: 'Hello' }], tools: [] } as const;
    const ask = () =>
      adapter.chat(request, { signal: new AbortController().signal, onProgress: () => undefined });
    expect(await ask()).toMatchObject({ kind: 'failed' });
    expect(await reasoningOf()).toBe(before);
    expect(await ask()).toMatchObject({ kind: 'reply' });
    adapter.close();
    await expect.poll(reasoningOf).toBe('always');
    now = new Date('2026-06-01T10:00:00.000Z');
    expect(await reasoningOf()).toBe(before);
    now = new Date('2026-02-01T10:00:00.000Z');
    expect(await reasoningOf()).toBe('always');
    await writeFile(file, '{"');
    expect(await reasoningOf()).toBe(before);
  });
});

describe('what a server reports of a model', () => {
  it('[N70] is used where the settings say nothing, and asked for once', async () => {
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
        { now: () => new Date(), warn: () => undefined },
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

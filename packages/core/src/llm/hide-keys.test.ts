import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAdapter } from '../session/models/model-adapter.ts';
import { startFakeProvider } from '../testing/models/fake-provider.ts';
import { type ProviderReply, streamReply } from '../testing/models/provider-replies.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { createKeyGuard } from './key-guard.ts';
import type { ChatProgress } from './llm-adapter.ts';

const KEY = 'sk-test-0123456789abcdef';

async function ask(replies: readonly ProviderReply[], recordTo?: string) {
  const provider = await startFakeProvider(replies);
  onTestFinished(() => provider.close());
  const adapter = await createAdapter(
    { kind: 'provider', settings: { provider: 'generic', model: 'm', baseUrl: provider.url } },
    {
      keys: { list: [{ name: 'default', key: KEY }], useNext: false },
      recordTo,
      now: () => new Date(),
      warn: () => undefined,
    },
  );
  onTestFinished(() => adapter.close());
  const progress: ChatProgress[] = [];
  const outcome = await adapter.chat(
    { messages: [{ role: 'user', content: 'hello' }], tools: [] },
    {
      signal: new AbortController().signal,
      scope: 'run-1',
      onProgress: (piece) => progress.push(piece),
    },
  );
  const said = (type: 'text' | 'reasoning'): string =>
    progress.map((piece) => (piece.type === type ? piece.text : '')).join('');
  return { adapter, outcome, progress, said };
}

const leaky = (pieceLength: number): ProviderReply =>
  streamReply({
    text: `The key is ${KEY}, and ${KEY}`,
    reasoning: `I know ${KEY}.`,
    toolCalls: [{ name: 'fs_write', arguments: { path: 'a', content: `key: ${KEY}` } }],
    pieceLength,
  });

describe('a reply that repeats the key of its model', () => {
  it.each([1, 3, 7, 1_000])('[L73] does not show it in chunks of %i characters', async (pieceLength) => {
    const { adapter, outcome, progress, said } = await ask([leaky(pieceLength)]);
    expect(JSON.stringify([outcome, progress])).not.toContain(KEY);
    if (outcome.kind !== 'reply') throw new Error(outcome.kind);
    const marker = createKeyGuard(adapter.apiKeys ?? [], 'run-1').hide(KEY);
    const { content, reasoning, toolCalls } = outcome.reply;
    expect(content).toBe(`The key is ${marker}, and ${marker}`);
    expect(said('text')).toBe(content);
    expect(reasoning).toBe(`I know ${marker}.`);
    expect(said('reasoning')).toBe(reasoning);
    expect(toolCalls[0]?.arguments).toContain(`key: ${marker}`);
  });

  it('[L73] shows nothing of an attempt that was interrupted inside the key', async () => {
    const torn = {
      ...streamReply({ text: `It is ${KEY.slice(0, 20)}`, pieceLength: 1 }),
      ending: 'reset',
    } as const;
    const chunks = [...(torn.chunks as string[])].slice(0, -3);
    const { progress, said } = await ask([{ ...torn, chunks }, streamReply({ text: 'Done.' })]);
    expect(progress.some(({ type }) => type === 'retry')).toBe(true);
    expect(said('text')).toBe('It is Done.');
  });

  it('[L73] is recorded without it', async () => {
    const file = join(await tempFolder(), 'cassette.jsonl');
    await ask([leaky(4)], file);
    const recorded = await readFile(file, 'utf8');
    expect(recorded).toContain('API key hidden');
    expect(recorded).not.toContain(KEY);
  });
});

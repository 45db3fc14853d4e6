import { describe, expect, it, onTestFinished } from 'vitest';
import { createAdapter } from '../session/models/model-adapter.ts';
import { type FakeProvider, startFakeProvider } from '../testing/models/fake-provider.ts';
import { type ProviderReply, statusReply, textReply } from '../testing/models/provider-replies.ts';
import { branchingPackage } from '../testing/packages/branching-package.ts';
import { createRunRig } from '../testing/rigs/run-rig.ts';
import { readTree } from '../testing/temp-folder.ts';
import { createKeyGuard } from './key-guard.ts';
import type { ChatOutcome, ChatProgress, LLMAdapter } from './llm-adapter.ts';

const WORK = 'sk-work-0123456789abcdef';
const PRIVATE = 'sk-private-0123456789abcdef';
const THIRD = 'sk-third-0123456789abcdef';
const KEYS = [
  { name: 'work', key: WORK },
  { name: 'private', key: PRIVATE },
];

interface Scene {
  readonly adapter: LLMAdapter;
  readonly provider: FakeProvider;
  readonly progress: ChatProgress[];
  /** The key of each request. */
  readonly sent: () => (string | undefined)[];
  readonly ask: () => Promise<ChatOutcome>;
}

/** A provider that answers by key; each key plays its replies in order and repeats the last one. */
async function open(
  replies: Readonly<Record<string, readonly ProviderReply[]>>,
  { keys = KEYS, useNext = true } = {},
): Promise<Scene> {
  const counts = new Map<string, number>();
  const provider = await startFakeProvider(({ headers }) => {
    const key = keyIn(headers.authorization);
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    const own = replies[key] ?? [];
    return own[count] ?? own.at(-1) ?? statusReply(401, { error: { message: 'unknown key' } });
  });
  onTestFinished(() => provider.close());
  const adapter = await createAdapter(
    {
      kind: 'provider',
      settings: { provider: 'generic', baseUrl: provider.url, model: 'm', retries: { backoffSeconds: 0 } },
    },
    { keys: { list: keys, useNext }, now: () => new Date(), warn: () => undefined },
  );
  onTestFinished(() => adapter.close());
  const progress: ChatProgress[] = [];
  const signal = new AbortController().signal;
  const watch = { signal, scope: 'run-1', onProgress: (piece: ChatProgress) => void progress.push(piece) };
  return {
    adapter,
    provider,
    progress,
    sent: () => provider.requests.map(({ headers }) => keyIn(headers.authorization)),
    ask: () => adapter.chat({ messages: [{ role: 'user', content: 'hello' }], tools: [] }, watch),
  };
}

const keyIn = (authorization: string | undefined): string => (authorization ?? '').replace('Bearer ', '');
const refusal = (status: number, fields: object = {}, headers = {}): ProviderReply =>
  statusReply(status, { error: { message: `no, not ${WORK}`, ...fields } }, headers);

describe('a model with several keys', () => {
  it.each([
    ['is refused (401)', refusal(401)],
    ['is denied access (403)', refusal(403)],
    ['has no quota left (429)', refusal(429, { code: 'insufficient_quota' })],
    ['has no credit left (402)', refusal(402)],
    ['must wait for ten minutes (429)', refusal(429, {}, { 'retry-after': '600' })],
  ])('[N151] uses the next key when one %s, for the following requests, too', async (_, reply) => {
    const { ask, sent, progress } = await open({ [WORK]: [reply], [PRIVATE]: [textReply('hi')] });
    expect(await ask()).toMatchObject({ kind: 'reply', reply: { content: 'hi' } });
    expect(progress.filter(({ type }) => type === 'key' || type === 'retry')).toMatchObject([
      { type: 'key', from: 'work', to: 'private' },
    ]);
    expect(await ask()).toMatchObject({ kind: 'reply' });
    expect(sent()).toEqual([WORK, PRIVATE, PRIVATE]);
    expect(JSON.stringify(progress)).not.toContain('sk-');
  });

  it.each([
    ['a failing server', refusal(500)],
    ['a rejected request', refusal(400)],
    ['an unknown model', refusal(404)],
  ])('[N151] uses no other key for %s', async (_, reply) => {
    const { ask, sent } = await open({ [WORK]: [reply], [PRIVATE]: [textReply('hi')] });
    expect(await ask()).toMatchObject({ kind: 'failed' });
    expect(new Set(sent())).toEqual(new Set([WORK]));
  });

  it('[N151] waits with the same key when the provider asks for a moment', async () => {
    const short = refusal(429, {}, { 'retry-after': '0' });
    const { ask, sent } = await open({ [WORK]: [short, textReply('hi')] });
    expect(await ask()).toMatchObject({ kind: 'reply' });
    expect(sent()).toEqual([WORK, WORK]);
  });

  it('[N151] tries each key once, then fails with the name of the last one, and begins with the first again', async () => {
    const keys = [...KEYS, { name: 'third', key: THIRD }];
    const replies = {
      [WORK]: [refusal(401), textReply('topped up')],
      [PRIVATE]: [refusal(429, { code: 'insufficient_quota' })],
    };
    const { ask, sent, progress } = await open(replies, { keys });
    const failed = await ask();
    expect(failed).toMatchObject({ kind: 'failed', error: { code: 'LLM_AUTH_FAILED' } });
    expect(failed.kind === 'failed' && failed.error.message).toContain('This was key "third"');
    expect(progress.filter(({ type }) => type === 'key')).toHaveLength(2);
    expect(await ask()).toMatchObject({ kind: 'reply', reply: { content: 'topped up' } });
    expect(sent()).toEqual([WORK, PRIVATE, THIRD, WORK]);
  });

  it('[N151] uses only the chosen key unless the person allows more', async () => {
    const { ask, sent } = await open({ [PRIVATE]: [textReply('hi')] }, { useNext: false });
    expect(await ask()).toMatchObject({ kind: 'failed', error: { code: 'LLM_AUTH_FAILED' } });
    expect(sent()).toEqual([WORK]);
  });

  it('[L73] hides all of its keys, whichever is used', async () => {
    const leak = textReply(`${WORK} and ${PRIVATE}`);
    for (const useNext of [true, false]) {
      const { ask, progress, adapter } = await open({ [WORK]: [leak] }, { useNext });
      expect(JSON.stringify([await ask(), progress])).not.toContain('sk-');
      const guard = createKeyGuard(adapter.apiKeys ?? [], 'run-1');
      const hidden = guard.hide(`${PRIVATE} ${WORK}`);
      expect(hidden).not.toContain('sk-');
      expect(guard.restore(hidden)).toBe(`${PRIVATE} ${WORK}`);
    }
  });

  it('[N151] [L73] leaves a line in the log of the run that names both keys and contains neither', async () => {
    const { adapter } = await open({ [WORK]: [refusal(401)], [PRIVATE]: [textReply('What is it about?')] });
    const rig = await createRunRig({ package: branchingPackage(), model: adapter });
    await rig.engine.start();
    const [warning] = rig.eventsOf('warning');
    expect(warning).toMatchObject({
      code: 'OTHER_KEY_USED',
      details: { from: 'work', to: 'private', cause: 'LLM_AUTH_FAILED' },
    });
    expect(warning?.message).toContain('Key "private" is used instead of "work".');
    expect(Object.values(await readTree(rig.store.root)).join('\n')).not.toContain('sk-');
  });
});

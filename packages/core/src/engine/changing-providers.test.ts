import { type ModelSettings, type Provider, providerSchema } from '@crewagent/protocol/model';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { LLMAdapter } from '../llm/llm-adapter.ts';
import { createOpenAiChat } from '../llm/provider/openai-chat.ts';
import type { ScriptedCall } from '../testing/models/provider-replies.ts';
import { statusReply, textReply, toolCallReply } from '../testing/models/provider-replies.ts';
import {
  type StrictProvider,
  type StrictReply,
  startStrictProvider,
} from '../testing/models/strict-providers.ts';
import { rigFor, TO_THE_END } from '../testing/rigs/branching-run.ts';
import { createChatRig, createTestChat } from '../testing/rigs/chat-rig.ts';
import type { RunRig } from '../testing/rigs/run-rig.ts';

const PROVIDERS = providerSchema.options;

const MODELS: Partial<Record<Provider, string>> = {
  siliconflow: 'deepseek-ai/DeepSeek-V3.2',
  vllm: 'mistralai/Devstral-Small',
  generic: 'house-model',
};

interface Opened {
  readonly server: StrictProvider;
  readonly adapter: LLMAdapter;
}

async function open(provider: Provider, answer: (index: number) => StrictReply): Promise<Opened> {
  const server = await startStrictProvider(provider, (_, index) => answer(index));
  onTestFinished(() => server.close());
  const settings: ModelSettings = {
    provider,
    baseUrl: server.url,
    model: MODELS[provider] ?? `${provider}-model`,
    contextTokens: 128_000,
    temperature: 2,
    maxOutputTokens: 4_000,
  };
  const adapter = createOpenAiChat({ settings, apiKey: 'sk-of-this-test-only', retry: { tries: 1 } });
  onTestFinished(() => adapter.close());
  return { server, adapter };
}

const LIST: readonly ScriptedCall[] = [
  { name: 'fs_list', arguments: { path: '@project' } },
  { name: 'fs_list', arguments: { path: '@pkg' } },
];

/** Two calls, then text; a person sends a message while the calls are executed. */
const visit =
  (rig: () => RunRig | undefined) =>
  (index: number): StrictReply => {
    if (index > 0) return { text: 'Heard.' };
    void rig()?.engine.say('and one more thing');
    return { calls: LIST };
  };

const toEnd = (index: number): StrictReply => {
  const line = TO_THE_END[index];
  if (typeof line !== 'object' || !('calls' in line)) return { text: 'All done.' };
  return {
    calls: (line.calls ?? []).map(({ name, arguments: args }) => ({
      name,
      arguments: args as ScriptedCall['arguments'],
    })),
  };
};

describe('another provider inside a node', () => {
  it('[N125] accepts the history of all others: a run continues with every profile and completes', async () => {
    let rig: RunRig | undefined;
    const servers = new Map<Provider, StrictProvider>();
    for (const [at, provider] of [...PROVIDERS, ...PROVIDERS].entries()) {
      const { server, adapter } = await open(
        provider,
        visit(() => rig),
      );
      servers.set(provider, server);
      rig = rig
        ? await rig.reopen(adapter)
        : await rigFor([], { model: adapter, settings: { limits: { maxTurns: 500 } } });
      const stop = await (at === 0 ? rig.engine.start() : rig.engine.say(`word ${at}`));
      expect([provider, stop]).toMatchObject([provider, { phase: 'WaitingUser', reason: { code: 'reply' } }]);
      // A profile knows the rules in advance; only the unknown gateway has to report them.
      expect([provider, server.complaints.length]).toEqual([provider, provider === 'generic' ? 1 : 0]);
    }
    const last = await open('mistral', toEnd);
    rig = await rig?.reopen(last.adapter);
    expect(await rig?.engine.say('finish')).toEqual({ phase: 'Completed' });
    expect(last.server.complaints).toEqual([]);
    expect(rig?.eventsOf('context.reset')).toEqual([]);
  }, 120_000);

  it.each(PROVIDERS)('[N125] a complete run satisfies the rules of %s', async (provider) => {
    const { server, adapter } = await open(provider, toEnd);
    const rig = await rigFor([], { model: adapter });
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    expect(server.complaints.slice(provider === 'generic' ? 1 : 0)).toEqual([]);
  });
});

describe('a wait requested by a provider', () => {
  const busy = statusReply(429, { error: { message: 'slow down' } }, { 'retry-after': '300' });

  it('[N42] is shown, can be stopped, and continues after a restart; another model gets its request immediately', async () => {
    const { chat, provider } = await createChatRig([busy, textReply('no')]);
    const rig = await rigFor([], { model: chat });
    const started = rig.engine.start();
    await expect.poll(() => rig.eventsOf('llm.retry').length).toBe(1);
    expect(rig.eventsOf('llm.retry')).toMatchObject([{ delayMs: 300_000, code: 'LLM_RATE_LIMITED' }]);
    await rig.engine.stop();
    expect(await started).toMatchObject({ reason: { code: 'stopped' } });

    const again = await rig.reopen(chat);
    const resumed = again.engine.resume();
    await expect.poll(() => again.eventsOf('llm.retry').length).toBe(1);
    expect(again.eventsOf('llm.retry')[0]?.message).toContain('asked to wait');
    await again.engine.stop();
    await resumed;
    expect(provider.requests).toHaveLength(1);

    const other = await createChatRig([textReply('Here.')]);
    const third = await again.reopen(other.chat);
    expect(await third.engine.resume()).toMatchObject({ reason: { code: 'reply' } });
  });
});

describe('tokens that the provider does not report', () => {
  it('[N1] are estimated, and so is their cost', async () => {
    const { provider } = await createChatRig([
      textReply('Hm.', { usage: { prompt_tokens: 0, completion_tokens: 0 } }),
    ]);
    const settings = {
      provider: 'generic',
      model: 'm',
      baseUrl: provider.url,
      prices: { input: 1, output: 2 },
    } as const;
    const chat = createTestChat(provider.url, { settings });
    const rig = await rigFor([], { model: chat });
    await rig.engine.start();
    const usage = rig.eventsOf('usage.updated')[0]?.usage;
    expect(usage).toMatchObject({ isEstimated: true, costUsd: expect.any(Number) as number });
    expect(usage?.promptTokens).toBeGreaterThan(100);
  });
});

describe('messages that a provider rejects', () => {
  const refusal = statusReply(400, { error: { message: "messages.4: role 'tool' must follow a call" } });
  const list = toolCallReply([{ name: 'fs_list', arguments: { path: '@project' } }]);

  it('[L6] are rebuilt once, with the input of the person in this step', async () => {
    const { chat, provider } = await createChatRig([textReply('Which?'), list, refusal, textReply('Hm.')]);
    const rig = await rigFor([], { model: chat });
    await rig.engine.start();
    expect(await rig.engine.say('the blue one')).toMatchObject({ reason: { code: 'reply' } });
    expect(rig.eventsOf('context.reset')).toHaveLength(1);
    const sent = provider.requests[3]?.body.messages ?? [];
    expect(sent.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(sent[1]?.content).toContain('the blue one');
    expect(sent[1]?.content).toContain('RUN_DIRECTIVE');
  });

  it('[L6] pause the run if they are rejected again; the next start of the step works', async () => {
    const { chat } = await createChatRig([list, refusal, refusal, textReply('Fine now.')]);
    const rig = await rigFor([], { model: chat });
    expect(await rig.engine.start()).toMatchObject({
      phase: 'WaitingUser',
      reason: {
        code: 'LLM_MESSAGES_REFUSED',
        message: expect.stringContaining('Start this step again') as string,
      },
    });
    expect(await rig.engine.resume()).toMatchObject({ reason: { code: 'reply' } });
  });

  it('[L6] are not rebuilt before the first message, or if the settings are wrong', async () => {
    const { chat } = await createChatRig([refusal]);
    const rig = await rigFor([], { model: chat });
    expect(await rig.engine.start()).toMatchObject({ reason: { code: 'LLM_MESSAGES_REFUSED' } });
    expect(rig.eventsOf('context.reset')).toEqual([]);
    const wrong = statusReply(400, { error: { message: 'max_tokens is too large' } });
    const other = await createChatRig([list, wrong]);
    const second = await rigFor([], { model: other.chat });
    expect(await second.engine.start()).toMatchObject({ reason: { code: 'LLM_HTTP_ERROR' } });
    expect(second.eventsOf('context.reset')).toEqual([]);
  });
});

/**
 * A client and a fake provider, connected over HTTP, which are closed after the test.
 */
import { onTestFinished } from 'vitest';
import type { ChatOutcome, ChatProgress, LLMAdapter, ModelError, ModelReply } from '../../llm/llm-adapter.ts';
import { createOpenAiChat, type OpenAiChatOptions } from '../../llm/provider/openai-chat.ts';
import type { ChatRequest, WireTool } from '../../llm/wire.ts';
import { type ProviderScript, startFakeProvider } from '../models/fake-provider.ts';

interface AskWatch {
  readonly signal?: AbortSignal;
  onProgress?(progress: ChatProgress): void;
}

export const ASK_TOOL: WireTool = {
  type: 'function',
  function: { name: 'ask', description: 'Asks.', parameters: { type: 'object', properties: {} } },
};
export const HELLO: ChatRequest = { messages: [{ role: 'user', content: 'hello' }], tools: [ASK_TOOL] };

export async function createChatRig(script: ProviderScript, options: Partial<OpenAiChatOptions> = {}) {
  const provider = await startFakeProvider(script);
  onTestFinished(() => provider.close());
  const chat = createTestChat(provider.url, options);
  /** All progress reports. */
  const progress: ChatProgress[] = [];

  async function ask({
    signal = new AbortController().signal,
    onProgress,
  }: AskWatch = {}): Promise<ChatOutcome> {
    return chat.chat(HELLO, {
      signal,
      onProgress(report) {
        progress.push(report);
        onProgress?.(report);
      },
    });
  }

  return {
    provider,
    chat,
    progress,
    ask,
    /** The reply; throws if there is none. */
    async reply(): Promise<ModelReply> {
      const outcome = await ask();
      if (outcome.kind !== 'reply') throw new Error(JSON.stringify(outcome));
      return outcome.reply;
    },
    async error(): Promise<ModelError> {
      const outcome = await ask();
      if (outcome.kind !== 'failed') throw new Error(JSON.stringify(outcome));
      return outcome.error;
    },
    /** The announced retries. */
    retries: (): string[] =>
      progress.flatMap((report) =>
        report.type === 'retry' ? [`${report.attempt} ${report.error.code}`] : [],
      ),
  };
}

/** A client with a minimal retry delay. */
export function createTestChat(baseUrl: string, options: Partial<OpenAiChatOptions> = {}): LLMAdapter {
  const chat = createOpenAiChat({
    settings: { provider: 'generic', baseUrl, model: 'm' },
    apiKey: undefined,
    ...options,
    retry: { baseDelayMs: 1, ...options.retry },
  });
  onTestFinished(() => chat.close());
  return chat;
}

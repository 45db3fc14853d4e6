/**
 * Adapter of a built-in model: starts its process with the first request, and talks to it with the same client as to
 * any other server.
 */
import type { ModelSettings } from '@crewagent/protocol/model';
import { CrewError } from '../../base/crew-error.ts';
import type { LLMAdapter, ModelTraits } from '../llm-adapter.ts';
import { createOpenAiChat } from '../provider/openai-chat.ts';
import { type HostRequest, type ModelHost, openModelHost } from './model-host.ts';

export function createBuiltinModel(settings: ModelSettings, request: HostRequest): LLMAdapter {
  let opening: Promise<{ readonly host: ModelHost; readonly chat: LLMAdapter }> | undefined;
  let isClosed = false;
  let traits: ModelTraits = {
    name: settings.model,
    contextTokens: request.contextTokens,
    takesSeveralSystemMessages: false,
    wantsReasoningBack: false,
    prices: undefined,
    firstByteMs: 1_800_000,
  };

  const open = async () => {
    const host = await openModelHost(request);
    const local: ModelSettings = { ...settings, provider: 'llamacpp', baseUrl: host.baseUrl };
    const chat = createOpenAiChat({ settings: local, apiKey: host.key });
    traits = { ...traits, contextTokens: host.contextTokens || traits.contextTokens };
    return { host, chat };
  };

  return {
    get traits() {
      return traits;
    },
    async chat(request, watch) {
      if (isClosed) return { kind: 'aborted' };
      opening ??= open();
      try {
        const { chat } = await opening;
        return await chat.chat(request, watch);
      } catch (error) {
        opening = undefined;
        if (!(error instanceof CrewError)) throw error;
        return {
          kind: 'failed',
          error: { code: 'LLM_HTTP_ERROR', message: error.message, isRetryable: false },
        };
      }
    },
    close() {
      isClosed = true;
      void opening?.then(
        ({ host, chat }) => {
          chat.close();
          host.release();
        },
        () => undefined,
      );
    },
  };
}

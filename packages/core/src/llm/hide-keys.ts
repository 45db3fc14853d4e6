/**
 * Wraps an adapter so that its API keys never appear in replies: text, reasoning and tool calls contain a marker
 * instead, also in chunks that split a key.
 */
import { createKeyGuard, type KeyStream } from './key-guard.ts';
import type { ChatProgress, ChatWatch, LLMAdapter } from './llm-adapter.ts';

export function hideKeys(adapter: LLMAdapter, apiKeys: readonly string[]): LLMAdapter {
  const known = apiKeys.map((key) => key.trim());
  return {
    get traits() {
      return adapter.traits;
    },
    apiKeys: known,
    async chat(request, watch) {
      const keys = createKeyGuard(known, watch.scope ?? '');
      const filter = filterProgress(watch, { text: keys.createStream(), reasoning: keys.createStream() });
      const outcome = await adapter.chat(request, { ...watch, onProgress: filter.onProgress });
      if (outcome.kind === 'reply') filter.end();
      return keys.hide(outcome);
    },
    close: () => adapter.close(),
  };
}

type Streams = Readonly<Record<'text' | 'reasoning', KeyStream>>;

function filterProgress(watch: ChatWatch, streams: Streams) {
  const emit = (type: keyof Streams, text: string): void => {
    if (text !== '') watch.onProgress({ type, text });
  };
  return {
    onProgress(progress: ChatProgress): void {
      if (progress.type === 'retry' || progress.type === 'key') {
        // Another attempt discards everything received so far, including the text held back.
        for (const stream of Object.values(streams)) stream.end();
        watch.onProgress(progress);
      } else if (progress.type === 'started') {
        watch.onProgress(progress);
      } else {
        emit(progress.type, streams[progress.type].push(progress.text));
      }
    },
    end(): void {
      emit('reasoning', streams.reasoning.end());
      emit('text', streams.text.end());
    },
  };
}

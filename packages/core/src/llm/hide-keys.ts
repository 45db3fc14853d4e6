/**
 * A model whose key never comes back from it: what it says, thinks and calls for has a marker where the key was, and so do
 * the pieces of a reply, wherever they are cut.
 */
import { createKeyGuard, type KeyStream } from './key-guard.ts';
import type { ChatProgress, ChatWatch, LLMAdapter } from './llm-adapter.ts';

export function hideKeys(adapter: LLMAdapter, apiKey: string | undefined): LLMAdapter {
  const key = apiKey?.trim();
  return {
    get traits() {
      return adapter.traits;
    },
    keysOf: (scope) => createKeyGuard(key, scope),
    async chat(request, watch) {
      const keys = createKeyGuard(key, watch.scope ?? '');
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
  const tell = (type: keyof Streams, text: string): void => {
    if (text !== '') watch.onProgress({ type, text });
  };
  return {
    onProgress(progress: ChatProgress): void {
      if (progress.type === 'retry') {
        // What came so far is void, and so is what was held back of it.
        for (const stream of Object.values(streams)) stream.end();
        watch.onProgress(progress);
      } else if (progress.type === 'started') {
        watch.onProgress(progress);
      } else {
        tell(progress.type, streams[progress.type].push(progress.text));
      }
    },
    end(): void {
      tell('reasoning', streams.reasoning.end());
      tell('text', streams.text.end());
    },
  };
}

/** A scripted model: a real provider on this machine, with replies that can be paused. */
import {
  type FakeProvider,
  type ProviderScript,
  startFakeProvider,
} from '../packages/core/src/testing/models/fake-provider.ts';
import {
  type ProviderReply,
  rawReply,
  toChunks,
} from '../packages/core/src/testing/models/provider-replies.ts';

export interface ScriptedProvider extends FakeProvider {
  /** Environment that makes a server use this provider. */
  readonly env: Readonly<Record<string, string>>;
}

export async function startScriptedModel(script: ProviderScript): Promise<ScriptedProvider> {
  const provider = await startFakeProvider(script);
  return {
    ...provider,
    env: { CREWAGENT_BASE_URL: provider.url, CREWAGENT_MODEL: 'scripted', CREWAGENT_API_KEY: 'none' },
  };
}

export interface Signal {
  readonly given: Promise<void>;
  give(): void;
}

export function createSignal(): Signal {
  let give = (): void => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

/** Sends the first text at once, the second when the signal is given. */
export function replyInTwo(first: string, second: string, { given }: Signal): ProviderReply {
  const toLines = (chunks: readonly unknown[]): string[] =>
    chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
  return rawReply({
    async *[Symbol.asyncIterator]() {
      yield* toLines(toChunks({ text: first, finishReason: null, usage: null }));
      await given;
      yield* toLines(toChunks({ text: second }));
      yield 'data: [DONE]\n\n';
    },
  });
}

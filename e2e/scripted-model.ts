/** A model that a test leads word by word: a real provider on this machine, and replies that wait for a sign. */
import {
  type FakeProvider,
  type ProviderScript,
  startFakeProvider,
} from '../packages/core/src/testing/fake-provider.ts';
import { type ProviderReply, rawReply, toChunks } from '../packages/core/src/testing/provider-replies.ts';

export interface ScriptedProvider extends FakeProvider {
  /** What a server needs to talk to it. */
  readonly env: Readonly<Record<string, string>>;
}

export async function startScriptedModel(script: ProviderScript): Promise<ScriptedProvider> {
  const provider = await startFakeProvider(script);
  return {
    ...provider,
    env: { CREWAGENT_BASE_URL: provider.url, CREWAGENT_MODEL: 'scripted', CREWAGENT_API_KEY: 'none' },
  };
}

export interface Sign {
  readonly given: Promise<void>;
  give(): void;
}

export function createSign(): Sign {
  let give = (): void => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

/** The first words at once, the others when the sign is given. */
export function replyInTwo(first: string, second: string, { given }: Sign): ProviderReply {
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

/** Providers to choose from, with the fields their forms need. URLs and models here are only examples. */
import type { Provider } from '@crewagent/protocol/model';

export interface ModelPreset {
  readonly provider: Provider;
  /** Undefined for a custom provider, whose name is translated. */
  readonly brand: string | undefined;
  readonly exampleUrl: string;
  readonly exampleModel: string;
  readonly key: 'needed' | 'optional' | 'none';
  /** Shows the URL field: the server is local, or only the user knows its URL. */
  readonly showsAddress: boolean;
}

const PRESETS = [
  ['openai', 'OpenAI', 'https://api.openai.com/v1', 'gpt-4.1-mini', 'needed'],
  ['deepseek', 'DeepSeek', 'https://api.deepseek.com/v1', 'deepseek-chat', 'needed'],
  ['ollama', 'Ollama', 'http://127.0.0.1:11434/v1', 'qwen3', 'none'],
  ['lmstudio', 'LM Studio', 'http://127.0.0.1:1234/v1', 'qwen3-8b', 'none'],
  ['openrouter', 'OpenRouter', 'https://openrouter.ai/api/v1', 'qwen/qwen3-coder', 'needed'],
  ['generic', undefined, 'https://models.example.com/v1', 'model-name', 'optional'],
] as const;

export const MODEL_PRESETS: readonly ModelPreset[] = PRESETS.map(
  ([provider, brand, exampleUrl, exampleModel, key]) => ({
    ...{ provider, brand, exampleUrl, exampleModel, key },
    showsAddress: key !== 'needed',
  }),
);

export function presetOf(provider: Provider): ModelPreset {
  return (
    MODEL_PRESETS.find((preset) => preset.provider === provider) ?? (MODEL_PRESETS.at(-1) as ModelPreset)
  );
}

/** Detected servers have a name even without a preset. */
export function brandOf(provider: Provider): string | undefined {
  return presetOf(provider).brand ?? OTHER_BRANDS[provider];
}

const OTHER_BRANDS: Readonly<Partial<Record<Provider, string>>> = { llamacpp: 'llama.cpp', vllm: 'vLLM' };

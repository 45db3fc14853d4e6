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

export const MODEL_PRESETS: readonly ModelPreset[] = [
  {
    provider: 'openai',
    brand: 'OpenAI',
    exampleUrl: 'https://api.openai.com/v1',
    exampleModel: 'gpt-4.1-mini',
    key: 'needed',
    showsAddress: false,
  },
  {
    provider: 'deepseek',
    brand: 'DeepSeek',
    exampleUrl: 'https://api.deepseek.com/v1',
    exampleModel: 'deepseek-chat',
    key: 'needed',
    showsAddress: false,
  },
  {
    provider: 'ollama',
    brand: 'Ollama',
    exampleUrl: 'http://127.0.0.1:11434/v1',
    exampleModel: 'qwen3',
    key: 'none',
    showsAddress: true,
  },
  {
    provider: 'lmstudio',
    brand: 'LM Studio',
    exampleUrl: 'http://127.0.0.1:1234/v1',
    exampleModel: 'qwen3-8b',
    key: 'none',
    showsAddress: true,
  },
  {
    provider: 'openrouter',
    brand: 'OpenRouter',
    exampleUrl: 'https://openrouter.ai/api/v1',
    exampleModel: 'qwen/qwen3-coder',
    key: 'needed',
    showsAddress: false,
  },
  {
    provider: 'generic',
    brand: undefined,
    exampleUrl: 'https://models.example.com/v1',
    exampleModel: 'model-name',
    key: 'optional',
    showsAddress: true,
  },
];

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

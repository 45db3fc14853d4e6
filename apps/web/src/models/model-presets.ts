/** Providers to choose from, with the fields their forms need. URLs and models here are only examples. */
import type { Provider } from '@crewagent/protocol/model';

export interface ModelPreset {
  readonly provider: Provider;
  /** Undefined for a custom provider, whose name is translated. */
  readonly brand: string | undefined;
  readonly exampleUrl: string;
  readonly exampleModel: string;
  readonly key: 'needed' | 'optional' | 'none';
  /** The page of the provider where keys are made. */
  readonly keyUrl?: string;
  /** Shows the URL field: the server is local, or only the user knows its URL. */
  readonly showsAddress: boolean;
}

const HOSTED = { key: 'needed', showsAddress: false } as const;
const LOCAL = { key: 'none', showsAddress: true } as const;

const CUSTOM: ModelPreset = {
  provider: 'generic',
  brand: undefined,
  exampleUrl: 'https://models.example.com/v1',
  exampleModel: 'model-name',
  key: 'optional',
  showsAddress: true,
};

export const MODEL_PRESETS: readonly ModelPreset[] = [
  {
    ...HOSTED,
    provider: 'openai',
    brand: 'OpenAI',
    exampleUrl: 'https://api.openai.com/v1',
    exampleModel: 'gpt-4.1-mini',
    keyUrl: 'https://platform.openai.com/api-keys',
  },
  {
    ...HOSTED,
    provider: 'anthropic',
    brand: 'Anthropic',
    exampleUrl: 'https://api.anthropic.com/v1',
    exampleModel: 'claude-sonnet-4-5',
    keyUrl: 'https://console.anthropic.com/settings/keys',
  },
  {
    ...HOSTED,
    provider: 'gemini',
    brand: 'Gemini',
    exampleUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    exampleModel: 'gemini-2.5-flash',
    keyUrl: 'https://aistudio.google.com/apikey',
  },
  {
    ...HOSTED,
    provider: 'deepseek',
    brand: 'DeepSeek',
    exampleUrl: 'https://api.deepseek.com/v1',
    exampleModel: 'deepseek-chat',
    keyUrl: 'https://platform.deepseek.com/api_keys',
  },
  {
    ...HOSTED,
    provider: 'openrouter',
    brand: 'OpenRouter',
    exampleUrl: 'https://openrouter.ai/api/v1',
    exampleModel: 'qwen/qwen3-coder',
    keyUrl: 'https://openrouter.ai/settings/keys',
  },
  {
    ...LOCAL,
    provider: 'ollama',
    brand: 'Ollama',
    exampleUrl: 'http://127.0.0.1:11434/v1',
    exampleModel: 'qwen3',
  },
  {
    ...LOCAL,
    provider: 'lmstudio',
    brand: 'LM Studio',
    exampleUrl: 'http://127.0.0.1:1234/v1',
    exampleModel: 'qwen3-8b',
  },
  {
    ...LOCAL,
    provider: 'llamacpp',
    brand: 'llama.cpp',
    exampleUrl: 'http://127.0.0.1:8080/v1',
    exampleModel: 'qwen3-8b.gguf',
  },
  {
    ...LOCAL,
    provider: 'vllm',
    brand: 'vLLM',
    exampleUrl: 'http://127.0.0.1:8000/v1',
    exampleModel: 'Qwen/Qwen3-8B',
  },
  CUSTOM,
];

export function presetOf(provider: Provider): ModelPreset {
  return MODEL_PRESETS.find((preset) => preset.provider === provider) ?? CUSTOM;
}

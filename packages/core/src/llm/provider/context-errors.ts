/**
 * Recognises that a request exceeded the model's context, and extracts the limit. There is no standard error; each
 * server has its own message. Pure.
 */
import { countIn } from '../untrusted-json.ts';
import type { ProviderError } from './provider-error.ts';

const CODES = /context_length_exceeded|exceed_context_size|context_window_exceeded|request_too_large/;

const SENTENCES: readonly RegExp[] = [
  // OpenAI, DeepSeek, OpenRouter, Mistral, vLLM
  /maximum (?:context|model|prompt) length/i,
  // vLLM
  /too long to fit into the model/i,
  // llama.cpp
  /exceeds? the available context size/i,
  /context size has been exceeded/i,
  // Ollama
  /input length (?:and .{0,40} )?exceeds? (?:the |maximum )?context/i,
  // LM Studio
  /greater than the context length/i,
  /tokens when (?:the )?context (?:the )?overflows/i,
  /reached context length of/i,
  // Claude, Gemini, Kimi, Qwen behind compatible addresses
  /prompt is too long/i,
  /input token count.{0,30}exceeds/i,
  /exceeded model token limit/i,
  /range of input length should be/i,
  /input is too long/i,
  /exceeds? (?:the |this model's )?(?:maximum )?context (?:length|window|limit)/i,
  /context (?:length|window) (?:is |was |has been )?exceed/i,
];

const LIMITS: readonly RegExp[] = [
  /maximum (?:context|model|prompt) length (?:is|of) (\d{3,8})/i,
  /with (\d{3,8}) maximum context length/i,
  /\(context length (\d{3,8})\)/i,
  /context size \((\d{3,8}) tokens/i,
  /n_ctx:? (\d{3,8})/i,
  /context length of (?:only )?(\d{3,8})/i,
  /> ?(\d{3,8}) maximum/i,
  /tokens allowed \((\d{3,8})\)/i,
  /token limit:? (\d{3,8})/i,
  /input length should be \[1, ?(\d{3,8})\]/i,
];

export function isContextExceeded({ codes, message }: ProviderError): boolean {
  return CODES.test(codes) || SENTENCES.some((sentence) => sentence.test(message));
}

/** The model's context size in tokens, if the provider named it. */
export function contextTokensIn({ message, fields }: ProviderError): number | undefined {
  for (const limit of LIMITS) {
    const found = limit.exec(message)?.[1];
    if (found !== undefined) return Number(found);
  }
  return countIn(fields.n_ctx);
}

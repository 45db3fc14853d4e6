/**
 * Parses model lists of servers: ids, context sizes and prices, wherever a server puts them. Pure.
 */

import type { OfferedModel } from '@crewagent/protocol/api/settings';
import { isObject } from '@crewagent/protocol/json-object';
import type { Prices } from '@crewagent/protocol/model';
import { countIn, type JsonRecord, textIn } from '../untrusted-json.ts';

/** Undefined if the document is not a list of models. */
export function parseModels(document: unknown): OfferedModel[] | undefined {
  const list = Array.isArray(document) ? document : isObject(document) ? document.data : undefined;
  if (!Array.isArray(list)) return undefined;
  return list.filter(isObject).flatMap((entry) => toModel(entry) ?? []);
}

function toModel(entry: JsonRecord): OfferedModel | undefined {
  // Gemini lists `models/gemini-…`, but requests use the name without the prefix.
  const id = textIn(entry.id).replace(/^models\//, '');
  if (id === '' || NOT_FOR_CHAT.test(id) || isNotChatModel(entry)) return undefined;
  const name = textIn(entry.name) || textIn(entry.display_name);
  return {
    id,
    ...(name === '' || name === id ? {} : { name }),
    contextTokens: contextTokensOf(entry),
    prices: pricesOf(entry.pricing),
    takesTools: takesToolsOf(entry),
  };
}

/** Many lists have only ids. Whoever wants such a model anyway can type its name. */
const NOT_FOR_CHAT =
  /(?:^|[-_/:.])(?:embed(?:ding)?s?|bge|whisper|tts|dall-e|image|imagen|veo|sora|moderation|rerank(?:er)?|transcribe|realtime|speech)(?:$|[-_/:.\d])/i;

function isNotChatModel({ type, capabilities }: JsonRecord): boolean {
  if (/^(?:embedding|embeddings|image|audio|rerank|moderation)$/.test(textIn(type))) return true;
  return isObject(capabilities) && capabilities.completion_chat === false;
}

/** The loaded context size takes precedence over the size the model was trained for. */
function contextTokensOf(entry: JsonRecord): number | undefined {
  const meta = isObject(entry.meta) ? entry.meta : {};
  const provider = isObject(entry.top_provider) ? entry.top_provider : {};
  return [
    entry.loaded_context_length,
    meta.n_ctx,
    provider.context_length,
    entry.context_length,
    entry.context_window,
    entry.max_model_len,
    entry.max_context_length,
    entry.max_input_tokens,
  ]
    .map(countIn)
    .find((count) => count !== undefined && count > 0);
}

/** OpenRouter's prices are strings in dollars per token. */
function pricesOf(pricing: unknown): Prices | undefined {
  if (!isObject(pricing)) return undefined;
  const input = perMillion(pricing.prompt);
  const output = perMillion(pricing.completion);
  if (input === undefined || output === undefined) return undefined;
  const cachedInput = perMillion(pricing.input_cache_read);
  return { input, output, cachedInput };
}

function perMillion(dollars: unknown): number | undefined {
  if (typeof dollars !== 'string' || dollars.trim() === '') return undefined;
  const price = Number(dollars);
  // A negative price means that it depends on the request.
  if (!Number.isFinite(price) || price < 0) return undefined;
  return Number((price * 1_000_000).toPrecision(12));
}

function takesToolsOf({ capabilities, supported_parameters: parameters }: JsonRecord): boolean | undefined {
  if (Array.isArray(parameters)) return parameters.includes('tools');
  if (Array.isArray(capabilities)) return capabilities.includes('tool_use');
  const flag = isObject(capabilities) ? capabilities.function_calling : undefined;
  return typeof flag === 'boolean' ? flag : undefined;
}

/** Ollama's `/api/show`. A request cannot change `num_ctx`, so only a size set in the model counts. */
export function parseOllamaModel(document: unknown): Pick<OfferedModel, 'contextTokens' | 'takesTools'> {
  if (!isObject(document)) return {};
  const fixed = /^num_ctx\s+(\d{3,8})\s*$/m.exec(textIn(document.parameters))?.[1];
  const { capabilities } = document;
  return {
    ...(fixed === undefined ? {} : { contextTokens: Number(fixed) }),
    ...(Array.isArray(capabilities) ? { takesTools: capabilities.includes('tools') } : {}),
  };
}

type LoadedModel = Pick<OfferedModel, 'contextTokens'>;

/** Ollama's `/api/ps`: models in memory, with the context size they were loaded with. */
export function parseOllamaLoaded(document: unknown): ReadonlyMap<string, LoadedModel> {
  const list = isObject(document) && Array.isArray(document.models) ? document.models : [];
  return new Map(list.filter(isObject).map((entry) => [textIn(entry.name), toLoaded(entry.context_length)]));
}

/** llama.cpp's `/props`: the context size of one request. */
export function parseLlamaContext(document: unknown): LoadedModel {
  if (!isObject(document)) return {};
  const settings = isObject(document.default_generation_settings) ? document.default_generation_settings : {};
  return toLoaded(countIn(settings.n_ctx) || document.n_ctx);
}

function toLoaded(size: unknown): LoadedModel {
  const contextTokens = countIn(size);
  return contextTokens ? { contextTokens } : {};
}

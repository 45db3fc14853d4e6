/**
 * Lists the models of a server from its `/models` endpoint, with details that local servers report elsewhere.
 */

import type { LocalServer, OfferedModel } from '@crewagent/protocol/api/settings';
import { parseJson } from '@crewagent/protocol/json-object';
import type { ModelSettings, Provider } from '@crewagent/protocol/model';
import { VERSION } from '@crewagent/protocol/version';
import { withoutUndefined } from '../../base/optional-fields.ts';
import type { ModelError } from '../llm-adapter.ts';
import { type ErrorResponse, type Peer, toHttpError, toNetworkError } from '../provider/http-errors.ts';
import {
  guessProvider,
  knownPricesOf,
  resolveRequestRules,
  toBaseUrl,
  toKeyHeader,
} from '../provider/provider-profiles.ts';
import { badReply } from '../provider/reply-reader.ts';
import { parseLlamaContext, parseModels, parseOllamaLoaded, parseOllamaModel } from './parse-models.ts';

export interface ListOptions {
  readonly address: Pick<ModelSettings, 'provider' | 'baseUrl'>;
  readonly apiKey?: string | undefined;
  /** Timeout of each request. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export type ModelList =
  | { readonly ok: true; readonly baseUrl: string; readonly models: readonly OfferedModel[] }
  | { readonly ok: false; readonly error: ModelError };

/** Details are requested for this many models at most. */
const MAX_DETAILED = 50;

export async function listModels(options: ListOptions): Promise<ModelList> {
  const base = toBaseUrl(options.address);
  const provider = options.address.provider === 'generic' ? guessProvider(base) : options.address.provider;
  const peer: Peer = { host: base.host, model: '', apiKey: options.apiKey };
  const answer = await requestJson({
    url: withPath(base, '/models'),
    headers: {
      'user-agent': `crewagent/${VERSION}`,
      ...toKeyHeader(resolveRequestRules(options.address).listKeyHeader, options.apiKey),
    },
    timeoutMs: options.timeoutMs,
    signal: options.signal,
  });
  if (answer.kind === 'timeout') return { ok: false, error: timeoutError(peer, options.timeoutMs) };
  if (answer.kind === 'failed') return { ok: false, error: toNetworkError(answer.cause, peer) };
  if (answer.status !== 200)
    return {
      ok: false,
      error: answer.status === 404 ? noListError(peer) : toHttpError(answer, peer),
    };
  const models = parseModels(parseJson(answer.body));
  if (models === undefined) return { ok: false, error: noListError(peer) };
  const detailed = await withDetails(provider, base, models, options);
  const priced = detailed.map((model) => withKnownPrices(model, options.address));
  return { ok: true, baseUrl: base.href, models: priced.sort((a, b) => (a.id < b.id ? -1 : 1)) };
}

/** The list price, where the provider reports none. */
function withKnownPrices(model: OfferedModel, address: ListOptions['address']): OfferedModel {
  const known = model.prices ? undefined : knownPricesOf({ ...address, model: model.id });
  return known ? { ...model, prices: known.prices, pricesAsOf: known.asOf } : model;
}

/** Details are optional: without them the models are listed as they are. */
async function withDetails(
  provider: Provider,
  base: URL,
  models: readonly OfferedModel[],
  { timeoutMs, signal }: ListOptions,
): Promise<OfferedModel[]> {
  const root = new URL(base.origin);
  const requestDetails = async (path: string, body?: unknown): Promise<unknown> => {
    const answer = await requestJson({ url: withPath(root, path), body, timeoutMs, signal });
    return answer.kind === 'answer' && answer.status === 200 ? parseJson(answer.body) : undefined;
  };
  switch (provider) {
    case 'ollama': {
      const loaded = parseOllamaLoaded(await requestDetails('/api/ps'));
      return Promise.all(
        models.map(async (model, at) => {
          const shown =
            at < MAX_DETAILED ? await requestDetails('/api/show', { model: model.id }) : undefined;
          return { ...model, ...parseOllamaModel(shown), ...loaded.get(model.id) };
        }),
      );
    }
    case 'lmstudio': {
      const known = new Map(
        (parseModels(await requestDetails('/api/v0/models')) ?? []).map((entry) => [entry.id, entry]),
      );
      return models.map((model) => ({ ...model, ...withoutUndefined(known.get(model.id) ?? {}) }));
    }
    case 'llamacpp': {
      const loaded = parseLlamaContext(await requestDetails('/props'));
      return models.map((model) => ({ ...model, ...loaded }));
    }
    default:
      return [...models];
  }
}

function withPath(base: URL, path: string): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`;
  return url;
}

function timeoutError({ host }: Peer, timeoutMs: number): ModelError {
  return {
    code: 'LLM_TIMEOUT',
    message: `${host} did not list its models within ${timeoutMs / 1_000} seconds. Try again, or type the model's name.`,
    isRetryable: true,
  };
}

function noListError({ host }: Peer): ModelError {
  return badReply(
    `${host} does not list its models at /models; check the address, or type the model's name`,
    false,
  );
}

/** What a server reports about one model. Cached, because a model may be reloaded with another context size. */
type Reported = Pick<OfferedModel, 'contextTokens' | 'prices'>;

const FRESH_MS = 600_000;
const cache = new Map<string, { readonly at: number; readonly reported: Reported }>();

/** Empty if the server does not answer in time or does not know the model. */
export async function findReported(
  settings: ModelSettings,
  apiKey: string | undefined,
  timeoutMs: number,
): Promise<Reported> {
  const name = `${settings.provider} ${settings.baseUrl ?? ''} ${settings.model}`;
  const cached = cache.get(name);
  const now = performance.now();
  if (cached && now - cached.at < FRESH_MS) return cached.reported;
  const list = await listModels({ address: settings, apiKey, timeoutMs });
  if (!list.ok) return {};
  const isSameModel = ({ id }: OfferedModel): boolean =>
    id === settings.model || id === `${settings.model}:latest`;
  const found = list.models.find(isSameModel);
  const reported: Reported = found ? { contextTokens: found.contextTokens, prices: found.prices } : {};
  cache.set(name, { at: now, reported });
  return reported;
}

const LOCAL_PORTS: readonly { readonly provider: Provider; readonly port: number }[] = [
  { provider: 'ollama', port: 11434 },
  { provider: 'lmstudio', port: 1234 },
  { provider: 'llamacpp', port: 8080 },
  { provider: 'vllm', port: 8000 },
];

/** A running local server answers within a few milliseconds. */
const PROBE_MS = 800;

interface FindOptions {
  readonly signal?: AbortSignal | undefined;
  /** `OLLAMA_HOST` names another port of Ollama. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly ports?: typeof LOCAL_PORTS;
}

/** Model servers on this machine, by their default ports, on the loopback address only. Other ports are ignored. */
export async function findLocalServers(options: FindOptions = {}): Promise<LocalServer[]> {
  const { signal, env = {}, ports = LOCAL_PORTS } = options;
  const ollamaPort = portIn(env.OLLAMA_HOST);
  const probed = ports.map((known) =>
    known.provider === 'ollama' && ollamaPort !== undefined ? { ...known, port: ollamaPort } : known,
  );
  const found = await Promise.all(
    probed.map(async ({ provider, port }): Promise<LocalServer[]> => {
      const baseUrl = `http://127.0.0.1:${port}/v1`;
      const list = await listModels({ address: { provider, baseUrl }, timeoutMs: PROBE_MS, signal });
      return list.ok ? [{ provider, baseUrl, models: [...list.models] }] : [];
    }),
  );
  return found.flat();
}

/** The port of an address such as `127.0.0.1:11500` or `http://localhost:11500`. */
function portIn(host: string | undefined): number | undefined {
  const [, digits] = /:(\d{1,5})\/?$/.exec(host ?? '') ?? [];
  return digits === undefined ? undefined : Number(digits);
}

interface JsonRequest {
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON by POST; without a body the request is a GET. */
  readonly body?: unknown;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

type JsonAnswer =
  | ({ readonly kind: 'answer' } & ErrorResponse)
  | { readonly kind: 'timeout' }
  | { readonly kind: 'failed'; readonly cause: unknown };

const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Requests a small document with time and size limits. Does not follow redirects, so that a key is sent to one address only.
 */
async function requestJson({ url, headers, body, timeoutMs, signal }: JsonRequest): Promise<JsonAnswer> {
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const limit = AbortSignal.timeout(timeoutMs);
  const sent = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  return new Promise((resolve) => {
    const fail = (cause: unknown): void =>
      resolve(limit.aborted ? { kind: 'timeout' } : { kind: 'failed', cause });
    const outgoing = request(url, {
      method: sent === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        ...headers,
        ...(sent === undefined ? {} : { 'content-type': 'application/json', 'content-length': sent.length }),
      },
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      agent: false,
    });
    outgoing.on('error', fail);
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = [];
      let received = 0;
      response.on('data', (chunk: Buffer) => {
        received += chunk.length;
        chunks.push(chunk);
        if (received > MAX_BYTES) outgoing.destroy(new Error('the response is too large'));
      });
      response.on('error', fail);
      response.on('end', () =>
        resolve({
          kind: 'answer',
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    outgoing.end(sent);
  });
}

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import table from '../provider/model-prices.json' with { type: 'json' };
import { knownPricesOf } from '../provider/provider-profiles.ts';
import { findLocalServers, listModels } from './list-models.ts';

type Answers = Readonly<Record<string, unknown>>;

/** A server that answers by path; unknown paths get 404. */
async function startServer(answers: Answers) {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    const answer = answers[request.url ?? ''];
    if (answer === 'hang') return;
    const isText = typeof answer === 'string';
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(isText ? answer : JSON.stringify(answer ?? { error: 'not found' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, baseUrl: `http://127.0.0.1:${port}/v1`, seen };
}

const list = (
  baseUrl: string,
  provider: Parameters<typeof listModels>[0]['address']['provider'] = 'generic',
) => listModels({ address: { provider, baseUrl }, apiKey: 'sk-of-this-test-only', timeoutMs: 2_000 });

describe('models of a provider', () => {
  it('[N70] have context size and price if the provider reports them, sorted by id', async () => {
    const { baseUrl, seen } = await startServer({
      '/v1/models': {
        data: [
          {
            id: 'z/large',
            name: 'Z: Large',
            context_length: 200_000,
            top_provider: { context_length: 131_072 },
            pricing: { prompt: '0.0000025', completion: '0.00001', input_cache_read: '0.00000125' },
            supported_parameters: ['tools', 'temperature'],
          },
          { id: 'auto', pricing: { prompt: '-1', completion: '-1' }, supported_parameters: [] },
          { id: 'models/gemini-2.5-flash', object: 'model' },
          { id: 'codestral', max_context_length: 32_768, capabilities: { function_calling: true } },
          { id: 'ministral', capabilities: { completion_chat: false } },
          ...['text-embedding-3-small', 'whisper-1', 'gpt-4o-mini-tts', 'dall-e-3', 'bge-m3:latest'].map(
            (id) => ({ id }),
          ),
          { id: 'llama-3.3', context_window: 131_072 },
          { id: 'served', max_model_len: 4_096 },
          { name: 'no id' },
        ],
      },
    });
    expect(await list(baseUrl)).toEqual({
      ok: true,
      baseUrl,
      models: [
        { id: 'auto', takesTools: false },
        { id: 'codestral', contextTokens: 32_768, takesTools: true },
        { id: 'gemini-2.5-flash' },
        { id: 'llama-3.3', contextTokens: 131_072 },
        { id: 'served', contextTokens: 4_096 },
        {
          id: 'z/large',
          name: 'Z: Large',
          contextTokens: 131_072,
          prices: { input: 2.5, output: 10, cachedInput: 1.25 },
          takesTools: true,
        },
      ],
    });
    expect(seen[0]?.headers.authorization).toBe('Bearer sk-of-this-test-only');
  });

  it('[N70] have the list price of their provider with its date, if it reports none', async () => {
    const { baseUrl } = await startServer({ '/v1/models': { data: [{ id: 'gpt-4.1-mini' }] } });
    expect(await list(baseUrl)).toMatchObject({ models: [{ id: 'gpt-4.1-mini' }] });
    const own = knownPricesOf({ provider: 'openai', model: 'gpt-4.1-mini' });
    expect([own?.prices.input, own?.asOf]).toEqual([0.4, table.asOf]);
    expect(knownPricesOf({ provider: 'openai', baseUrl, model: 'gpt-4.1-mini' })).toBeUndefined();
  });

  it('[N70] of local servers have the context size they were loaded with', async () => {
    const ollama = await startServer({
      '/v1/models': { data: [{ id: 'qwen3:latest' }, { id: 'fixed:latest' }, { id: 'tiny:latest' }] },
      '/api/ps': { models: [{ name: 'qwen3:latest', context_length: 4_096 }] },
      '/api/show': { parameters: 'stop "x"\nnum_ctx    16384', capabilities: ['completion', 'tools'] },
    });
    expect(await list(ollama.baseUrl, 'ollama')).toMatchObject({
      models: [
        { id: 'fixed:latest', contextTokens: 16_384, takesTools: true },
        { id: 'qwen3:latest', contextTokens: 4_096, takesTools: true },
        { id: 'tiny:latest', contextTokens: 16_384 },
      ],
    });
    const studio = await startServer({
      '/v1/models': { data: [{ id: 'a' }, { id: 'b' }, { id: 'c', context_length: 2_048 }] },
      '/api/v0/models': {
        data: [
          { id: 'a', type: 'llm', max_context_length: 32_768, loaded_context_length: 8_192 },
          { id: 'b', type: 'llm', max_context_length: 32_768, capabilities: ['tool_use'] },
          { id: 'c', type: 'llm' },
        ],
      },
    });
    expect(await list(studio.baseUrl, 'lmstudio')).toMatchObject({
      models: [
        { id: 'a', contextTokens: 8_192 },
        { id: 'b', contextTokens: 32_768, takesTools: true },
        { id: 'c', contextTokens: 2_048 },
      ],
    });
    const llama = await startServer({
      '/v1/models': { data: [{ id: 'm.gguf', meta: { n_ctx_train: 131_072 } }] },
      '/props': { default_generation_settings: { n_ctx: 12_288 } },
    });
    expect(await list(llama.baseUrl, 'llamacpp')).toMatchObject({ models: [{ contextTokens: 12_288 }] });
  });

  it('[N70] are requested with the key header of the provider', async () => {
    const { baseUrl, seen } = await startServer({ '/v1/models': { data: [] } });
    await list(baseUrl, 'anthropic');
    await list(baseUrl, 'azure');
    expect(
      seen.map(({ headers }) => [headers['x-api-key'], headers['api-key'], headers.authorization]),
    ).toEqual([
      ['sk-of-this-test-only', undefined, undefined],
      [undefined, 'sk-of-this-test-only', undefined],
    ]);
  });

  it.each([
    ['a page', { '/v1/models': '<html>' }],
    ['nothing', {}],
    ['another document', { '/v1/models': { models: 3 } }],
  ])('[N70] that cannot be listed give an error message: %s', async (_, answers: Answers) => {
    const { baseUrl } = await startServer(answers);
    expect(await list(baseUrl)).toMatchObject({ ok: false, error: { code: 'LLM_BAD_RESPONSE' } });
  });
});

describe('servers on this machine', () => {
  it('[N70] are found on their default ports; other servers, and one that never answers, are ignored', async () => {
    const [up, page, silent] = await Promise.all([
      startServer({ '/v1/models': { data: [{ id: 'm' }] } }),
      startServer({ '/v1/models': '<html>' }),
      startServer({ '/v1/models': 'hang' }),
    ]);
    const ports = [
      { provider: 'ollama', port: 1 },
      { provider: 'lmstudio', port: page.port },
      { provider: 'llamacpp', port: silent.port },
      { provider: 'vllm', port: up.port },
    ] as const;
    const found = await findLocalServers({ ports });
    expect(found).toEqual([{ provider: 'vllm', baseUrl: up.baseUrl, models: [{ id: 'm' }] }]);
    expect(up.seen.every(({ headers }) => headers.authorization === undefined)).toBe(true);
  });

  it('[N70] include Ollama at the port that its own variable names', async () => {
    const { port, baseUrl } = await startServer({ '/v1/models': { data: [{ id: 'm' }] } });
    const ports = [{ provider: 'ollama', port: 1 }] as const;
    for (const host of [`127.0.0.1:${port}`, `http://localhost:${port}/`])
      expect(await findLocalServers({ ports, env: { OLLAMA_HOST: host } })).toMatchObject([{ baseUrl }]);
    expect(await findLocalServers({ ports, env: { OLLAMA_HOST: '0.0.0.0' } })).toEqual([]);
  });
});

/**
 * A process that sends two requests, closes its client while waiting for the second reply, and must then exit on its own:
 * `driver.js BASE_URL`.
 */
import { createOpenAiChat } from '../../llm/provider/openai-chat.ts';
import type { ChatRequest } from '../../llm/wire.ts';

const [baseUrl = ''] = process.argv.slice(2);
const chat = createOpenAiChat({ settings: { provider: 'generic', baseUrl, model: 'm' }, apiKey: undefined });
const request: ChatRequest = { messages: [{ role: 'user', content: 'hello' }], tools: [] };
const watch = { signal: new AbortController().signal, onProgress: () => undefined };

const first = await chat.chat(request, watch);
const second = chat.chat(request, { ...watch, onProgress: () => chat.close() });
process.stdout.write(`${first.kind} ${(await second).kind}`);

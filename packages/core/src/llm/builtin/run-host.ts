/**
 * The server in a built-in model's process: loads a GGUF file and answers chat completions on the loopback address,
 * one at a time, for clients with the key. Embedded in the script of that process like `host-functions.ts`, so it
 * uses only its arguments.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type * as functions from './host-functions.ts';
import type { HostMessage, HostTool } from './host-functions.ts';

export interface HostOptions {
  /** Module URL of the llama runtime. */
  readonly runtime: string;
  readonly model: string;
  readonly contextTokens: number;
  readonly threads: number;
  /** Key that requests must have. */
  readonly key: string;
}

/** The parts of `node-llama-cpp` that are used. */
export interface LlamaModule {
  getLlama(options: object): Promise<{
    loadModel(options: object): Promise<{
      createContext(options: object): Promise<{ readonly contextSize: number; getSequence(): unknown }>;
      tokenize(text: string): readonly unknown[];
    }>;
    createGrammarForJsonSchema(schema: unknown): Promise<unknown>;
  }>;
  readonly LlamaChat: new (
    options: object,
  ) => {
    generateResponse(
      history: unknown,
      options: object,
    ): Promise<{ readonly metadata: { readonly stopReason: string } }>;
  };
}

export interface HostParts {
  readonly format: Pick<
    typeof functions,
    'parseOutput' | 'toChatHistory' | 'toGrammarSchema' | 'partialReply'
  >;
  readonly llama: LlamaModule;
  createServer(handle: (request: IncomingMessage, response: ServerResponse) => void): Server;
  /** Sends a message to the parent process. */
  say(message: object): void;
}

interface ChatBody {
  readonly messages: readonly HostMessage[];
  readonly tools?: readonly HostTool[];
  readonly max_tokens?: number;
  readonly temperature?: number;
}

export async function runHost(parts: HostParts, options: HostOptions): Promise<void> {
  const { llama: module, createServer, say, format } = parts;
  const llama = await module.getLlama({
    gpu: 'auto',
    build: 'never',
    maxThreads: options.threads,
    logLevel: 'error',
  });
  const model = await llama.loadModel({ modelPath: options.model });
  const context = await model.createContext({
    contextSize: { max: options.contextTokens },
    threads: options.threads,
  });
  const chat = new module.LlamaChat({ contextSequence: context.getSequence() });
  let queue: Promise<unknown> = Promise.resolve();

  const server = createServer((request, response) => {
    if (request.headers.authorization !== `Bearer ${options.key}`) {
      response.writeHead(401).end('{"error":{"message":"unknown key"}}');
      return;
    }
    if (request.method !== 'POST') {
      response.end(JSON.stringify({ data: [{ id: 'builtin', context_length: context.contextSize }] }));
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as ChatBody;
      queue = queue.then(() => answer(body, response)).catch((error: unknown) => fail(response, error));
    });
  });

  async function answer(body: ChatBody, response: ServerResponse): Promise<void> {
    const stop = new AbortController();
    response.on('close', () => stop.abort());
    if (response.destroyed) return;
    const { tools = [] } = body;
    const send = (delta: object, finish: string | null = null, more: object = {}): unknown =>
      response.write(
        `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }], ...more })}\n\n`,
      );
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let output = '';
    let shown = '';
    const { metadata } = await chat.generateResponse(format.toChatHistory(body.messages, tools), {
      signal: stop.signal,
      maxTokens: body.max_tokens ?? 4_096,
      temperature: body.temperature ?? 0.2,
      // Otherwise the time in seconds: a model that is asked again would say the same again.
      seed: Math.floor(Math.random() * 2 ** 31),
      ...(tools.length > 0
        ? { grammar: await llama.createGrammarForJsonSchema(format.toGrammarSchema(tools)) }
        : {}),
      onTextChunk(text: string) {
        output += text;
        const visible = tools.length > 0 ? (format.partialReply(output) ?? '') : output;
        if (visible.length > shown.length) send({ content: visible.slice(shown.length) });
        shown = visible;
      },
    });
    const reply = tools.length > 0 ? format.parseOutput(output) : { text: output, calls: [] };
    const calls = reply?.calls ?? [];
    for (const [index, { name, arguments: args }] of calls.entries())
      send({
        tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: args } }],
      });
    const isCut = reply === undefined || metadata.stopReason === 'maxTokens';
    const prompt = body.messages.reduce((sum, { content }) => sum + model.tokenize(content ?? '').length, 0);
    const usage = { prompt_tokens: prompt, completion_tokens: model.tokenize(output).length };
    send({}, isCut ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop', { usage });
    response.end('data: [DONE]\n\n');
  }

  function fail(response: ServerResponse, error: unknown): void {
    if (response.destroyed) return;
    const message = error instanceof Error ? error.message : String(error);
    if (!response.headersSent) response.writeHead(500, { 'content-type': 'application/json' });
    response.end(`data: ${JSON.stringify({ error: { message, code: 500 } })}\n\n`);
  }

  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address === 'object' && address)
      say({ port: address.port, contextTokens: context.contextSize });
  });
}

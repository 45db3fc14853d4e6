import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createTinyGguf } from '../../testing/packages/tiny-gguf.ts';
import { tempFolder } from '../../testing/temp-folder.ts';
import type { ChatProgress } from '../llm-adapter.ts';
import type { WireTool } from '../wire.ts';
import { createBuiltinModel } from './builtin-model.ts';
import { installRuntime, LLAMA_VERSION, runtimeEntry } from './llama-runtime.ts';

/** Kept between test runs, which have temporary folders of their own: 75 MB from the registry. */
const RUNTIME = join(process.cwd(), '.cache', `llama-${LLAMA_VERSION}`);
let problem: string | undefined;

beforeAll(async () => {
  try {
    await installRuntime(RUNTIME, AbortSignal.timeout(240_000));
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  }
}, 300_000);
afterAll(() => {
  if (problem !== undefined) console.warn(`The built-in model was not tested: ${problem}`);
});

const TOOL: WireTool = {
  type: 'function',
  function: {
    name: 'paint',
    description: 'Paints.',
    parameters: {
      type: 'object',
      properties: { colour: { type: 'string', enum: ['red', 'blue'] }, coats: { enum: [1, 2] } },
      required: ['colour', 'coats'],
    },
  },
};

async function createTiny(maxOutputTokens = 1_500) {
  const folder = await tempFolder();
  const model = join(folder, 'tiny.gguf');
  await writeFile(model, createTinyGguf());
  const adapter = createBuiltinModel(
    { provider: 'builtin', model: 'tiny', temperature: 1, maxOutputTokens },
    { runtime: runtimeEntry(RUNTIME), model, script: join(folder, 'host.mjs'), contextTokens: 2_048 },
  );
  onTestFinished(() => adapter.close());
  return adapter;
}

const MESSAGES = [
  { role: 'system', content: 'Paint.' },
  { role: 'user', content: 'Paint it red.' },
] as const;

describe('a built-in model', () => {
  it('[N70] runs a GGUF file in its own process, and its tool calls are always valid', async ({ skip }) => {
    if (problem !== undefined) skip(problem);
    const adapter = await createTiny();
    let seen = 0;
    for (let turn = 0; turn < 100 && seen < 2; turn++) {
      const outcome = await adapter.chat(
        { messages: MESSAGES, tools: [TOOL] },
        { signal: new AbortController().signal, onProgress: () => undefined },
      );
      if (outcome.kind !== 'reply') throw new Error(JSON.stringify(outcome));
      expect(outcome.reply.usage?.promptTokens).toBeGreaterThan(0);
      for (const { name, arguments: args } of outcome.reply.toolCalls) {
        expect(name).toBe('paint');
        const given = JSON.parse(args) as { colour: string; coats: number };
        expect(['red', 'blue']).toContain(given.colour);
        expect([1, 2]).toContain(given.coats);
        seen++;
      }
    }
    expect(seen).toBeGreaterThan(0);
  }, 180_000);

  it('[N70] streams, stops at once, and can be asked again', async ({ skip }) => {
    if (problem !== undefined) skip(problem);
    const adapter = await createTiny();
    const outcomes: string[] = [];
    // An untrained model may end after one token; then there is nothing to stop.
    while (outcomes.length < 10 && !outcomes.includes('aborted')) {
      const stop = new AbortController();
      const onProgress = (piece: ChatProgress): void => {
        if (piece.type === 'text') stop.abort();
      };
      outcomes.push(
        (await adapter.chat({ messages: MESSAGES, tools: [] }, { signal: stop.signal, onProgress })).kind,
      );
    }
    expect(outcomes.at(-1)).toBe('aborted');
    const again = await adapter.chat(
      { messages: MESSAGES, tools: [TOOL] },
      { signal: new AbortController().signal, onProgress: () => undefined },
    );
    expect(again.kind).toBe('reply');
  }, 180_000);

  it('[N70] has another reply when it is asked again at once', async ({ skip }) => {
    if (problem !== undefined) skip(problem);
    // Short, so that all are asked for within a second.
    const adapter = await createTiny(5);
    const replies = new Set<string>();
    for (let turn = 0; turn < 5; turn++) {
      const outcome = await adapter.chat(
        { messages: MESSAGES, tools: [] },
        { signal: new AbortController().signal, onProgress: () => undefined },
      );
      replies.add(JSON.stringify(outcome));
    }
    expect(replies.size).toBeGreaterThan(1);
  }, 180_000);

  it('[N70] reports an error if it cannot be loaded', async ({ skip }) => {
    if (problem !== undefined) skip(problem);
    const folder = await tempFolder();
    const adapter = createBuiltinModel(
      { provider: 'builtin', model: 'none' },
      {
        runtime: runtimeEntry(RUNTIME),
        model: join(folder, 'none.gguf'),
        script: join(folder, 'host.mjs'),
        contextTokens: 2_048,
      },
    );
    onTestFinished(() => adapter.close());
    const outcome = await adapter.chat(
      { messages: MESSAGES, tools: [] },
      { signal: new AbortController().signal, onProgress: () => undefined },
    );
    expect(outcome).toMatchObject({
      kind: 'failed',
      error: { message: expect.stringContaining('could not be loaded') as string },
    });
  }, 60_000);
});

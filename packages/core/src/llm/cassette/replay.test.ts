import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256Of } from '../../base/sha256.ts';
import { tempFolder } from '../../testing/temp-folder.ts';
import type { ChatOutcome, ChatProgress, LLMAdapter, ModelReply, ModelTraits } from '../llm-adapter.ts';
import type { ChatMessage, ChatRequest } from '../wire.ts';
import { recordTo } from './record.ts';
import { createReplay } from './replay.ts';

const TRAITS: ModelTraits = {
  name: 'model-x',
  contextTokens: 8_000,
  takesSeveralSystemMessages: true,
  wantsReasoningBack: true,
  prices: { input: 1, output: 2 },
};

const toTools = (...names: string[]) =>
  names.map((name) => ({ type: 'function' as const, function: { name, description: '', parameters: {} } }));

const toRequest = (...messages: ChatMessage[]): ChatRequest => ({
  messages: [{ role: 'system', content: 'rules' }, ...messages],
  tools: toTools('fs_read'),
});

const user = (content: string): ChatMessage => ({ role: 'user', content });

const toReply = (content: string, more: Partial<ModelReply> = {}): ChatOutcome => ({
  kind: 'reply',
  reply: {
    content,
    toolCalls: [],
    reasoning: undefined,
    finishReason: 'stop',
    extra: undefined,
    usage: undefined,
    ...more,
  },
});

function watching(heard: ChatProgress[] = []) {
  return {
    signal: new AbortController().signal,
    onProgress: (progress: ChatProgress) => void heard.push(progress),
  };
}

/** A cassette with these exchanges, written by the recorder. */
async function record(exchanges: readonly (readonly [ChatRequest, ChatOutcome])[]): Promise<string> {
  const file = join(await tempFolder(), 'run.cassette');
  const outcomes = exchanges.map(([, outcome]) => outcome);
  const model: LLMAdapter = {
    traits: TRAITS,
    chat: async () => outcomes.shift() ?? { kind: 'aborted' },
    close: () => undefined,
  };
  const options = {
    now: () => new Date(0),
    warn: (message: string) => {
      throw new Error(message);
    },
  };
  const recorder = await recordTo(file, model, options);
  for (const [request] of exchanges) await recorder.chat(request, watching());
  return file;
}

/** One node of a run, with all values that vary between runs. */
function oneRun(): ChatRequest {
  const [runId, time] = [randomUUID(), new Date(Math.floor(Math.random() * 4e12)).toISOString()];
  const hash = sha256Of(Buffer.from(runId));
  const [first, second] = [`call_${randomUUID()}`, runId.slice(0, 9)];
  const result = {
    ok: true,
    sha256: hash,
    durationMs: Math.floor(Math.random() * 1e4),
    content: `runId: ${runId}\n${hash}\n${time}`,
  };
  return toRequest(
    user(`Run ${runId} at ${time}.`),
    {
      role: 'assistant',
      content: null,
      signature: { b: 1, a: 2 },
      tool_calls: [first, second].map((id) => ({
        id,
        type: 'function',
        function: {
          name: 'fs_read',
          arguments: JSON.stringify({ path: '@state/workflow.md', ifMatchSha256: hash }),
        },
      })),
    },
    { role: 'tool', tool_call_id: first, content: JSON.stringify(result) },
    {
      role: 'tool',
      tool_call_id: second,
      content: JSON.stringify({ ...result, inner: JSON.stringify(result) }),
    },
  );
}

const codeOf = (outcome: ChatOutcome): string =>
  outcome.kind === 'failed' ? outcome.error.code : outcome.kind;

describe('replay', () => {
  it('[K24] returns what was recorded, in chunks, with the traits of the model', async () => {
    const reply = toReply('One two three four five six.', {
      reasoning: 'Let me think about it.',
      toolCalls: [{ id: 'x', name: 'fs_read', arguments: '{"path":', isCutOff: true, extra: { sign: [1] } }],
      extra: { annotations: ['a'] },
      usage: { promptTokens: 1, completionTokens: 2, cachedTokens: 0, costUsd: 0.5 },
    });
    const failed: ChatOutcome = {
      kind: 'failed',
      error: {
        code: 'LLM_RATE_LIMITED',
        message: 'Slow down.',
        isRetryable: true,
        retryAfterMs: 5,
        details: { a: 1 },
      },
    };
    const replay = await createReplay(
      await record([
        [toRequest(user('a')), reply],
        [toRequest(user('b')), failed],
      ]),
    );
    const heard: ChatProgress[] = [];
    expect(await replay.chat(toRequest(user('a')), watching(heard))).toEqual(reply);
    expect(await replay.chat(toRequest(user('b')), watching())).toEqual(failed);
    const said = (type: string): string[] =>
      heard.flatMap((progress) => (progress.type === type && 'text' in progress ? [progress.text] : []));
    expect(said('text').length).toBeGreaterThan(1);
    expect(said('text').join('')).toBe('One two three four five six.');
    expect(said('reasoning').join('')).toBe('Let me think about it.');
    expect(replay.traits).toEqual(TRAITS);
    replay.close();
  });

  it('[K24] returns any recorded outcome unchanged', async () => {
    const text = fc.string({ unit: 'grapheme' });
    const name = fc.oneof(text, fc.constantFrom('__proto__', 'constructor'));
    const free = fc.option(fc.dictionary(name, fc.jsonValue()), { nil: undefined });
    const call = fc.record({ id: text, name: text, arguments: text, isCutOff: fc.boolean(), extra: free });
    const outcome = fc
      .record({ toolCalls: fc.array(call), reasoning: fc.option(text, { nil: undefined }), extra: free })
      .chain((more) => text.map((content) => toReply(content, more)));
    await fc.assert(
      fc.asyncProperty(text, outcome, async (said, recorded) => {
        const request = toRequest(user(said));
        const replay = await createReplay(await record([[request, recorded]]));
        // Compared as JSON: -0 is 0, undefined is absent.
        expect(await replay.chat(request, watching())).toEqual(JSON.parse(JSON.stringify(recorded)));
      }),
      { numRuns: 30 },
    );
  });

  it('[K24] ignores ids, hashes, times and durations of another run', async () => {
    const replay = await createReplay(await record([[oneRun(), toReply('yes')]]));
    for (let time = 0; time < 20; time++)
      expect(await replay.chat(oneRun(), watching())).toEqual(toReply('yes'));
  });

  it('[K24] ignores facts of the machine and the day, and nothing else', async () => {
    const toPrompt = (facts: string, state: string, rules = 'Be brief.'): ChatRequest => ({
      messages: [
        { role: 'system', content: `${rules}\n\nBACKGROUND\n${facts}\n\nPERSONA\nYou are Ann.` },
        user(`Notes of ${/date: (\S+)/.exec(facts)?.[1]}`),
        { role: 'tool', tool_call_id: 'c', content: JSON.stringify({ ok: true, content: state }) },
      ],
      tools: [],
    });
    const recorded = toPrompt(
      '- date: 2026-01-31\n- project: larder\n- user: Ann\n- language: en',
      '---\nproject_name: larder\nuser_name: Ann\ndate: 2026-01-31\n---\n\nText',
    );
    const [facts, state] = [
      '- date: 2026-02-02\n- project: checkout 7',
      '---\nproject_name: "7"\nuser_name: ""\ndate: 2026-02-02\n---\n\nText',
    ];
    const replay = await createReplay(await record([[recorded, toReply('yes')]]));
    expect(codeOf(await replay.chat(toPrompt(facts, state), watching()))).toBe('reply');
    for (const changed of [
      toPrompt(facts, state, 'Be verbose.'),
      toPrompt(facts, `${state}s`),
      toPrompt(`${facts}\n- workflow: another`, state),
    ])
      expect(codeOf(await replay.chat(changed, watching()))).toBe('CASSETTE_MISMATCH');
  });

  it('[K24] distinguishes different ids', async () => {
    const [a, b, c] = [randomUUID(), randomUUID(), randomUUID()];
    const replay = await createReplay(
      await record([[toRequest(user(`${a} then ${b} then ${a}`)), toReply('yes')]]),
    );
    expect(codeOf(await replay.chat(toRequest(user(`${b} then ${c} then ${b}`)), watching()))).toBe('reply');
    expect(codeOf(await replay.chat(toRequest(user(`${a} then ${b} then ${b}`)), watching()))).toBe(
      'CASSETTE_MISMATCH',
    );
  });

  it('[K24] ends on a stop', async () => {
    const request = toRequest(user('a'));
    const replay = await createReplay(await record([[request, toReply('One two three four five six.')]]));
    const stop = new AbortController();
    const watch = { signal: stop.signal, onProgress: () => stop.abort() };
    expect(await replay.chat(request, watch)).toEqual({ kind: 'aborted' });
    expect(await replay.chat(request, watch)).toEqual({ kind: 'aborted' });
  });

  it('[K24] reports a request that differs: position, role and a diff', async () => {
    const tool = (lines: number): ChatMessage => ({
      role: 'tool',
      tool_call_id: 'c1',
      content: JSON.stringify({ ok: true, content: `first\nsecond\n${'line\n'.repeat(lines)}last` }),
    });
    const replay = await createReplay(await record([[toRequest(user('a'), tool(1)), toReply('x')]]));
    const outcome = await replay.chat(toRequest(user('a'), tool(2)), watching());
    expect(outcome).toEqual({
      kind: 'failed',
      error: {
        code: 'CASSETTE_MISMATCH',
        isRetryable: false,
        message:
          'Request 1 differs from the recorded one: message 2 (tool) differs. Replay it with the package, project and settings it was recorded with, or record the run again.',
        details: {
          exchange: 1,
          message: 2,
          role: 'tool',
          diff: expect.stringContaining('\n+line\n') as string,
        },
      },
    });
  });

  it.each([
    ['a message more', toRequest(user('a'), user('b')), 'message 2 (user) is not in the recording'],
    ['a message less', toRequest(), 'message 1 (user) of the recording is missing'],
    ['other tools', { ...toRequest(user('a')), tools: toTools('fs_read', 'fs_write') }, 'the tools differ'],
  ])('[K24] %s', async (_, request, sentence) => {
    const replay = await createReplay(await record([[toRequest(user('a')), toReply('x')]]));
    const outcome = await replay.chat(request, watching());
    expect(outcome).toMatchObject({
      error: { message: expect.stringContaining(`recorded one: ${sentence}.`) as string },
    });
  });

  it('[K24] bounds the diff of large messages, which still shows both sides', async () => {
    const long = (word: string): string =>
      JSON.stringify({ ok: true, content: `${'😀 same '.repeat(9_000)}${word}${' same'.repeat(9_000)}` });
    const replay = await createReplay(await record([[toRequest(user(long('before'))), toReply('x')]]));
    for (const now of [long('later!'), 'short', '😀\n'.repeat(50_000)]) {
      const outcome = await replay.chat(toRequest(user(now)), watching());
      const diff = outcome.kind === 'failed' ? String(outcome.error.details?.diff) : '';
      expect(Buffer.byteLength(diff)).toBeLessThanOrEqual(4_096);
      expect(diff).not.toContain('\uFFFD');
      if (now.includes('later!'))
        expect([diff.includes('before'), diff.includes('later!')]).toEqual([true, true]);
    }
  });

  it('[K24] reports a request after the last exchange', async () => {
    const replay = await createReplay(await record([[toRequest(user('a')), toReply('x')]]));
    await replay.chat(toRequest(user('a')), watching());
    const outcome = await replay.chat(toRequest(user('b')), watching());
    expect(outcome).toMatchObject({
      error: {
        code: 'CASSETTE_MISMATCH',
        message: expect.stringContaining('The recording has only 1') as string,
      },
    });
  });

  it('[K24] accepts repeated and skipped requests, and continues from there', async () => {
    const names = ['a', 'b', 'c', 'b'];
    const replay = await createReplay(
      await record(names.map((name, index) => [toRequest(user(name)), toReply(`${name}${index}`)] as const)),
    );
    const said: string[] = [];
    for (const name of ['b', 'b', 'a', 'b', 'c']) {
      const outcome = await replay.chat(toRequest(user(name)), watching());
      said.push(outcome.kind === 'reply' ? outcome.reply.content : outcome.kind);
    }
    expect(said).toEqual(['b1', 'b3', 'a0', 'b1', 'c2']);
  });

  it('[K24] matches a request that was edited in the file by its content, not by its recorded hash', async () => {
    const file = await record([[toRequest(user('a secret')), toReply('x')]]);
    await writeFile(file, (await readFile(file, 'utf8')).replace('a secret', 'a name'));
    const replay = await createReplay(file);
    expect(codeOf(await replay.chat(toRequest(user('a name')), watching()))).toBe('reply');
  });

  it('[K24] rejects a damaged cassette and names the line', async () => {
    const file = await record([
      [toRequest(user('a')), toReply('x')],
      [toRequest(user('b')), toReply('y')],
    ]);
    const text = await readFile(file, 'utf8');
    const spoil = async (spoilt: string): Promise<unknown> => {
      await writeFile(file, spoilt);
      return createReplay(file).then(
        () => 'fine',
        (error: { code: string; message: string }) =>
          `${error.code} ${/line \d+ [^:.]*/.exec(error.message)?.[0]}`,
      );
    };
    const lines = text.split('\n');
    expect(await spoil('')).toBe('CASSETTE_INVALID line 1 is not JSON');
    expect(await spoil(`${lines[1]}\n`)).toMatch(/^CASSETTE_INVALID line 1 is invalid at/);
    expect(await spoil(text.replace('"schemaVersion":1', '"schemaVersion":2'))).toBe(
      'CASSETTE_INVALID line 1 is invalid at schemaVersion',
    );
    expect(await spoil(text.replace(/"role":"user","content":"b"/, '"role":"robot","content":"b"'))).toMatch(
      /^CASSETTE_INVALID line 3 is invalid at request/,
    );
    expect(await spoil(`${lines[0]}\n\n${lines[1]}\n`)).toBe('CASSETTE_INVALID line 2 is not JSON');
    expect(await spoil(text.replace('"finishReason"', '"apiKey":"k","finishReason"'))).toMatch(
      /line 2 is invalid/,
    );
    expect(await spoil(`${text}{"request":`)).toBe('fine');
    await expect(createReplay(`${file}-not-there`)).rejects.toMatchObject({ code: 'CASSETTE_INVALID' });
    await expect(createReplay(join(file, '..'))).rejects.toMatchObject({ code: 'DISK' });
  });
});

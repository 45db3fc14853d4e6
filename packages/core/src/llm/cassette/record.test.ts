import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cassetteExchangeSchema, cassetteHeaderSchema } from '@crewagent/protocol/cassette';
import { describe, expect, it } from 'vitest';
import { createRehearsal } from '../../rehearse/models/rehearsal.ts';
import { tempFolder } from '../../testing/temp-folder.ts';
import type { ChatOutcome, ChatProgress, LLMAdapter, ModelTraits } from '../llm-adapter.ts';
import type { ChatRequest } from '../wire.ts';
import { loadCassette } from './cassette-file.ts';
import { recordTo } from './record.ts';

const REQUEST: ChatRequest = {
  messages: [
    { role: 'system', content: 'rules' },
    { role: 'user', content: 'hello' },
  ],
  tools: [
    {
      type: 'function',
      function: { name: 'fs_read', description: 'Reads.', parameters: { type: 'object' } },
    },
  ],
};

const TRAITS: ModelTraits = {
  name: 'model-x',
  contextTokens: 8_000,
  takesSeveralSystemMessages: true,
  wantsReasoningBack: true,
  prices: undefined,
};

const ERROR = {
  code: 'LLM_TIMEOUT',
  message: 'No answer came.',
  isRetryable: true,
  retryAfterMs: 10,
} as const;
const FAILED: ChatOutcome = { kind: 'failed', error: ERROR };

/** A model with predefined outcomes. */
function scripted(...outcomes: ChatOutcome[]): LLMAdapter & { isClosed: boolean } {
  const adapter = {
    traits: TRAITS,
    isClosed: false,
    chat: async () => outcomes.shift() ?? FAILED,
    close() {
      adapter.isClosed = true;
    },
  };
  return adapter;
}

function silence(heard: ChatProgress[] = []) {
  return {
    signal: new AbortController().signal,
    onProgress: (progress: ChatProgress) => void heard.push(progress),
  };
}

function toOptions(warnings: string[] = []) {
  return {
    now: () => new Date('2026-01-31T09:30:00.000Z'),
    warn: (message: string) => void warnings.push(message),
  };
}

const linesOf = async (file: string): Promise<unknown[]> =>
  (await readFile(file, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);

describe('recording', () => {
  it('[K24] passes everything from the model to the run unchanged', async () => {
    const file = join(await tempFolder(), 'run.cassette');
    const [plain, recorded]: ChatProgress[][] = [[], []];
    const outcome = await createRehearsal().chat(REQUEST, silence(plain));
    const recorder = await recordTo(file, createRehearsal(), toOptions());
    expect(await recorder.chat(REQUEST, silence(recorded))).toEqual(outcome);
    expect(recorded).toEqual(plain);
    expect(recorder.traits).toEqual(createRehearsal().traits);
    const model = scripted();
    (await recordTo(`${file}2`, model, toOptions())).close();
    expect(model.isClosed).toBe(true);
  });

  it('[K24] [K1] writes a header, then complete exchanges without facts; a stopped request is not recorded', async () => {
    const file = join(await tempFolder(), 'run.cassette');
    const refused: ChatOutcome = { kind: 'failed', error: { ...ERROR, isAboutKey: true } };
    const recorder = await recordTo(file, scripted(refused, { kind: 'aborted' }), toOptions());
    const facts = { isThread: true, node: undefined, groups: 0, sent: [] };
    await recorder.chat({ ...REQUEST, facts: async () => facts }, silence());
    await recorder.chat(REQUEST, silence());
    const lines = await linesOf(file);
    expect(lines).toHaveLength(2);
    expect(cassetteHeaderSchema.parse(lines[0])).toEqual({
      schemaVersion: 1,
      kind: 'crewagent.cassette',
      createdAt: '2026-01-31T09:30:00.000Z',
      model: {
        name: 'model-x',
        contextTokens: 8_000,
        takesSeveralSystemMessages: true,
        wantsReasoningBack: true,
      },
    });
    expect(cassetteExchangeSchema.parse(lines[1])).toEqual({
      request: REQUEST,
      requestHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      outcome: FAILED,
    });
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('[K24] does not overwrite a file; an empty one is used', async () => {
    const folder = await tempFolder();
    const [full, empty] = [join(folder, 'notes.txt'), join(folder, 'empty')];
    await writeFile(full, 'mine');
    await writeFile(empty, '');
    await expect(recordTo(full, scripted(), toOptions())).rejects.toMatchObject({ code: 'TARGET_EXISTS' });
    await expect(recordTo(full, scripted(), { ...toOptions(), append: true })).rejects.toMatchObject({
      code: 'CASSETTE_INVALID',
    });
    expect(await readFile(full, 'utf8')).toBe('mine');
    await recordTo(empty, scripted(), toOptions());
    expect(await linesOf(empty)).toHaveLength(1);
  });

  it('[K24] continues a recording of the same model, without a partial last line', async () => {
    const file = join(await tempFolder(), 'run.cassette');
    await (await recordTo(file, scripted(), toOptions())).chat(REQUEST, silence());
    const whole = await readFile(file, 'utf8');
    await writeFile(file, `${whole}{"request":{"mess`);
    const again = await recordTo(file, scripted(), { ...toOptions(), append: true });
    await again.chat(REQUEST, silence());
    expect((await loadCassette(file)).exchanges).toHaveLength(2);
    expect((await readFile(file, 'utf8')).startsWith(whole)).toBe(true);
    await expect(recordTo(file, createRehearsal(), { ...toOptions(), append: true })).rejects.toThrow(
      'is a recording of model-x, not of rehearsal',
    );
  });

  it('[K24] rejects a file that cannot be created', async () => {
    const folder = await tempFolder();
    const file = join(folder, 'file');
    await writeFile(file, '');
    await expect(recordTo(join(file, 'x'), scripted(), toOptions())).rejects.toMatchObject({
      code: 'DISK',
    });
    await expect(recordTo(folder, scripted(), toOptions())).rejects.toMatchObject({ code: 'DISK' });
  });

  it('[K24] ends with one warning if the file is lost, and the run continues', async () => {
    const file = join(await tempFolder(), 'run.cassette');
    const warnings: string[] = [];
    const recorder = await recordTo(file, scripted(), toOptions(warnings));
    await rm(file);
    await mkdir(file);
    expect(await recorder.chat(REQUEST, silence())).toEqual(FAILED);
    expect(await recorder.chat(REQUEST, silence())).toEqual(FAILED);
    expect(warnings).toEqual([
      `The recording "${file}" ended early because there is a folder where a file is needed. The run continues without it.`,
    ]);
  });
});

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ChatOutcome, ChatProgress, ModelError } from '../llm-adapter.ts';
import { withRetries } from './retry.ts';

const REPLY: ChatOutcome = {
  kind: 'reply',
  reply: {
    content: 'x',
    toolCalls: [],
    reasoning: undefined,
    finishReason: 'stop',
    extra: undefined,
    usage: undefined,
  },
};
const BUSY: ModelError = { code: 'LLM_HTTP_ERROR', message: 'Busy.', isRetryable: true };

async function tried(outcomes: ChatOutcome[], baseDelayMs = 0, random = 0) {
  const retries: Extract<ChatProgress, { type: 'retry' }>[] = [];
  const stop = new AbortController();
  let tries = 0;
  const outcome = await withRetries(
    async () => outcomes[tries++] ?? REPLY,
    { tries: 5, baseDelayMs, random: () => random },
    {
      signal: stop.signal,
      onProgress(progress) {
        if (progress.type !== 'retry') return;
        retries.push(progress);
        // Long delays are skipped.
        if (progress.delayMs > 100) stop.abort();
      },
    },
  );
  return { outcome, tries, retries };
}

const failed = (error: ModelError): ChatOutcome => ({ kind: 'failed', error });

describe('retries', () => {
  it('[N42] wait as long as the provider asks, up to an hour, and report the delay', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const waits: number[] = [];
    let tries = 0;
    const busy = failed({ ...BUSY, retryAfterMs: 900_000 });
    const asked = withRetries(
      async () => (tries++ === 0 ? busy : REPLY),
      { tries: 5, baseDelayMs: 1, random: () => 0 },
      {
        signal: new AbortController().signal,
        onProgress: (progress) => progress.type === 'retry' && waits.push(progress.delayMs),
      },
    );
    await vi.advanceTimersByTimeAsync(899_000);
    expect([tries, waits]).toEqual([1, [900_000]]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await asked).toBe(REPLY);
    const longer = await tried([failed({ ...BUSY, retryAfterMs: 3_700_000 })]);
    expect(longer).toMatchObject({ outcome: { kind: 'failed' }, tries: 1, retries: [] });
  });

  it('[N42] end with the first reply, and every attempt is announced', async () => {
    const { outcome, tries, retries } = await tried([failed(BUSY), failed(BUSY)]);
    expect(outcome).toBe(REPLY);
    expect(tries).toBe(3);
    expect(retries).toEqual([
      { type: 'retry', attempt: 2, delayMs: 0, error: BUSY },
      { type: 'retry', attempt: 3, delayMs: 0, error: BUSY },
    ]);
  });

  it('[N42] stop after five attempts with the last error', async () => {
    const { outcome, tries } = await tried(Array.from({ length: 9 }, () => failed(BUSY)));
    expect(outcome).toEqual({ kind: 'failed', error: BUSY });
    expect(tries).toBe(5);
  });

  it('[N42] double the delay each time, with jitter, up to 30 seconds', async () => {
    const busy = Array.from({ length: 9 }, () => failed(BUSY));
    expect((await tried(busy, 1, 1)).retries.map(({ delayMs }) => delayMs)).toEqual([1, 2, 4, 8]);
    expect((await tried(busy, 10, 0)).retries.map(({ delayMs }) => delayMs)).toEqual([5, 10, 20, 40]);
    expect((await tried(busy, 1e9, 1)).retries.map(({ delayMs }) => delayMs)).toEqual([30_000]);
  });

  it('[N42] wait at least as long as the provider asks', async () => {
    const { retries } = await tried(
      [failed({ ...BUSY, retryAfterMs: 30 }), failed({ ...BUSY, retryAfterMs: 1 })],
      4,
      1,
    );
    expect(retries.map(({ delayMs }) => delayMs)).toEqual([30, 8]);
  });

  it('[N42] do not repeat permanent errors', async () => {
    expect((await tried([failed({ ...BUSY, isRetryable: false })])).tries).toBe(1);
    expect((await tried([{ kind: 'aborted' }])).tries).toBe(1);
  });

  it('[N12] end at once when aborted during a delay', async () => {
    const { outcome, tries } = await tried([failed({ ...BUSY, retryAfterMs: 60_000 })]);
    expect(outcome).toEqual({ kind: 'aborted' });
    expect(tries).toBe(1);
  });
});

import { appendFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunEvent } from '@crewagent/protocol/events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../../testing/temp-folder.ts';
import { createLogTail, openRunLog } from './run-log.ts';

const now = (): Date => new Date('2026-01-31T09:30:00.000Z');

describe('following a log', () => {
  it('[H40] reports every event once and in order, whenever it is read', async () => {
    const folder = await tempFolder();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 5 }), { maxLength: 10 }), async (bursts) => {
        const file = join(folder, `${count++}.jsonl`);
        const tail = createLogTail(file);
        const seen: number[] = [];
        const read = (): Promise<void> => tail.read(({ seq }) => seen.push(seq));
        await read();
        const log = await openRunLog({ file, runId: 'r', now });
        for (const burst of bursts) {
          for (let one = 0; one < burst; one++)
            log.append({ type: 'warning', message: 'x'.repeat(burst * 50) });
          await read();
          expect(seen.length).toBe(log.lastSeq);
        }
        await log.close();
        expect(seen).toEqual(seen.map((_, index) => index + 1));
      }),
    );
  });

  it('[H40] waits for a complete line, and continues after an incomplete one was truncated', async () => {
    const file = join(await tempFolder(), 'log.jsonl');
    const tail = createLogTail(file);
    const seen: RunEvent[] = [];
    const read = (): Promise<void> => tail.read((event) => seen.push(event));
    const first = await openRunLog({ file, runId: 'r', now });
    first.append({ type: 'warning', message: 'one' });
    await first.close();
    await appendFile(file, '{"v":1,"seq":2,"ts":');
    await read();
    expect(seen.map(({ seq }) => seq)).toEqual([1]);
    // The next writer truncates it.
    const second = await openRunLog({ file, runId: 'r', now });
    second.append({ type: 'warning', message: 'two' });
    await second.close();
    await read();
    expect(seen).toMatchObject([{ message: 'one' }, { message: 'two' }]);
  });

  it('[H40] reports no event twice when the log is truncated and written again', async () => {
    const file = join(await tempFolder(), 'log.jsonl');
    const tail = createLogTail(file);
    const seen: number[] = [];
    const read = (): Promise<void> => tail.read(({ seq }) => seen.push(seq));
    const log = await openRunLog({ file, runId: 'r', now });
    for (let count = 0; count < 3; count++) log.append({ type: 'warning', message: 'x' });
    await log.close();
    await read();
    await truncate(file, 0);
    const rewritten = await openRunLog({ file, runId: 'r', now });
    for (let count = 0; count < 2; count++) rewritten.append({ type: 'warning', message: 'x' });
    await read();
    rewritten.append({ type: 'warning', message: 'x' });
    rewritten.append({ type: 'warning', message: 'x' });
    await rewritten.close();
    await read();
    expect(seen).toEqual([1, 2, 3, 4]);
  });
});

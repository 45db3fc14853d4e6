import { readFileSync } from 'node:fs';
import { appendFile, readFile, stat, truncate, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunEvent, type RunFact, runEventSchema } from '@crewagent/protocol/events';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sha256Of } from '../../../base/sha256.ts';
import { canLosePower, watchDisk } from '../../../testing/lossy-disk.ts';
import { tempFolder } from '../../../testing/temp-folder.ts';
import type { RunLog } from '../../work-store.ts';
import { openRunLog, readRunLog } from './run-log.ts';

const now = (): Date => new Date('2026-01-31T09:30:00.000Z');
const open = (file: string): Promise<RunLog> => openRunLog({ file, runId: 'r1', now });
const warning = (message: string): RunFact => ({ type: 'warning', message });

async function logFile(messages: readonly string[] = []): Promise<string> {
  const file = join(await tempFolder(), 'execution.jsonl');
  const log = await open(file);
  for (const message of messages) log.append(warning(message));
  await log.close();
  return file;
}

async function readAll(file: string) {
  const events: RunEvent[] = [];
  const reading = await readRunLog(file, (event) => events.push(event));
  return {
    ...reading,
    events,
    messages: events.map((event) => (event.type === 'warning' ? event.message : '')),
  };
}

describe('the log of a run', () => {
  it.skipIf(!canLosePower)('[W7] survives a power loss after sync', async () => {
    const folder = await tempFolder();
    const disk = await watchDisk(folder);
    onTestFinished(() => disk.stop());
    const log = await open(join(folder, 'new.jsonl'));
    onTestFinished(() => log.close());
    log.append(warning('a line'));
    await log.sync();
    expect(disk.losePower().get('new.jsonl')?.toString()).toContain('a line');
  });

  it('[E1] returns the appended events, each line chained to the previous one', async () => {
    const file = await logFile();
    const log = await open(file);
    const appended = [
      log.append({ type: 'run.resumed', nodeId: 'a' }),
      log.append(warning('ü \u2028 \0 "\n')),
      log.append({ type: 'phase.changed', phase: 'WaitingUser', reason: { code: 'reply', message: 'm' } }),
    ];
    await log.sync();
    await log.close();
    expect(appended.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    for (const event of appended) expect(runEventSchema.parse(event)).toEqual(event);
    expect(await readAll(file)).toMatchObject({ events: appended, lastSeq: 3, isIntact: true });

    let previous = '';
    for (const line of (await readFile(file, 'utf8')).trimEnd().split('\n')) {
      const { hash, ...event } = JSON.parse(line) as RunEvent & { hash: string };
      expect(Object.keys(JSON.parse(line) as object).at(-1)).toBe('hash');
      expect(hash).toBe(sha256Of(Buffer.from(previous + JSON.stringify(event))));
      previous = hash;
    }
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('[E1] is continued by the next writer, which gets the existing events', async () => {
    const file = await logFile(['one', 'two']);
    const existing: RunEvent[] = [];
    const log = await openRunLog({ file, runId: 'r1', now, onEvent: (event) => existing.push(event) });
    expect(existing.map(({ seq }) => seq)).toEqual([1, 2]);
    expect(log.append(warning('three')).seq).toBe(3);
    await log.close();
    expect(() => log.append(warning('four'))).toThrow('closed');
    expect(await readAll(file)).toMatchObject({ messages: ['one', 'two', 'three'], isIntact: true });
  });

  it.skipIf(!canLosePower)('[W6] is synced even if it is closed meanwhile', async () => {
    const folder = await tempFolder();
    const disk = await watchDisk(folder);
    onTestFinished(() => disk.stop());
    const file = join(folder, 'new.jsonl');
    const log = await open(file);
    log.append(warning('one'));
    await Promise.all([log.sync(), log.close()]);
    expect(disk.losePower().get('new.jsonl')?.toString()).toContain('one');
    const next = await open(file);
    next.append(warning('two'));
    await next.close();
    await next.sync();
    expect(disk.losePower().get('new.jsonl')?.toString()).toContain('two');
    await unlink(file);
    await next.sync();
  });

  it('[E1] stores events of any size', async () => {
    const sizes = [0, 1, 262_000, 262_143, 262_144, 600_000, 3, 2_000_000];
    const file = await logFile(sizes.map((size) => '€'.repeat(size / 2)));
    const { messages, isIntact } = await readAll(file);
    expect(messages.map(({ length }) => length * 2)).toEqual(sizes.map((size) => size - (size % 2)));
    expect(isIntact).toBe(true);
  });

  it('[E1] loses only an incomplete last line', async () => {
    const file = await logFile(['one', 'two', 'three "quoted" ü']);
    const whole = await readFile(file);
    const lastLine = whole.lastIndexOf('\n', whole.length - 2) + 1;
    const tails = [Buffer.alloc(0), Buffer.alloc(1), Buffer.alloc(4_096), Buffer.from('\0\0\0\n\0')];
    for (let cut = lastLine; cut < whole.length; cut++) {
      const tail = tails[cut % tails.length] ?? Buffer.alloc(0);
      await writeFile(file, Buffer.concat([whole.subarray(0, cut), tail]));
      expect(await readAll(file)).toMatchObject({ messages: ['one', 'two'], isIntact: true });
      const log = await open(file);
      expect(log.append(warning('new')).seq).toBe(3);
      await log.close();
      expect(await readAll(file)).toMatchObject({ messages: ['one', 'two', 'new'], isIntact: true });
    }
  });

  it('[E1] reads the lines after a line of NULs, and reports the gap', async () => {
    const file = await logFile(['one', 'two', 'three', 'four']);
    const lines = (await readFile(file, 'utf8')).split('\n');
    lines[1] = '\0'.repeat(lines[1]?.length ?? 0);
    await writeFile(file, lines.join('\n'));
    expect(await readAll(file)).toMatchObject({
      messages: ['one', 'three', 'four'],
      isIntact: false,
      brokenAt: 2,
    });
    const log = await open(file);
    expect([log.brokenAt, log.append(warning('five')).seq]).toEqual([2, 5]);
    await log.close();
    expect((await readAll(file)).messages).toEqual(['one', 'three', 'four', 'five']);
  });

  it('[E1] detects any changed byte, and still reads the other events', async () => {
    const file = await logFile(['one', 'two', 'three', 'four']);
    const whole = await readFile(file);
    const lineEnds = [...whole.entries()].filter(([, byte]) => byte === 10).map(([at]) => at);
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: whole.length - 2 }),
        fc.integer({ min: 1, max: 255 }),
        async (at, flip) => {
          const bytes = Buffer.from(whole);
          bytes[at] = (bytes[at] ?? 0) ^ flip;
          await writeFile(file, bytes);
          const line = lineEnds.findIndex((end) => at <= end);
          const { brokenAt, isIntact, messages } = await readAll(file);
          // A last line with a NUL counts as incomplete.
          if (isIntact) expect([line, bytes[at]]).toEqual([3, 0]);
          else expect(brokenAt).toBe(line + 1);
          const untouched = ['one', 'two', 'three', 'four'].filter((_, index) => Math.abs(index - line) > 1);
          expect(messages).toEqual(expect.arrayContaining(untouched));
        },
      ),
    );
  });

  const tamperings: [what: string, change: (lines: string[]) => string[], brokenAt: number][] = [
    ['was removed', (lines) => lines.toSpliced(1, 1), 2],
    ['was inserted', (lines) => lines.toSpliced(1, 0, lines[0] ?? ''), 2],
    ['was moved', ([a = '', b = '', c = '', ...rest]) => [a, c, b, ...rest], 2],
    ['lost its hash', (lines) => lines.with(2, '{"v":1,"seq":3,"ts":"x","type":"warning","message":"c"}'), 3],
    ['is not JSON', (lines) => lines.with(2, 'rubbish'), 3],
    ['is JSON but not an event', (lines) => lines.with(2, '[null]'), 3],
  ];
  it.each(tamperings)('[E1] detects that a line %s, and reports no event twice', async (_, change, at) => {
    const file = await logFile(['a', 'b', 'c', 'd']);
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    await writeFile(file, `${change(lines).join('\n')}\n`);
    const { brokenAt, isIntact, events } = await readAll(file);
    expect({ brokenAt, isIntact }).toEqual({ brokenAt: at, isIntact: false });
    const seqs = events.map(({ seq }) => seq);
    expect(seqs).toEqual([...new Set(seqs)].toSorted((x, y) => x - y));
    expect(seqs).toContain(4);
  });

  it('[E1] shows only complete events while it is written', async () => {
    const file = await logFile();
    const log = await open(file);
    const readings: Promise<number>[] = [];
    for (let count = 1; count <= 400; count++) {
      log.append(warning('x'.repeat(count * 5)));
      if (count % 20 === 0) {
        readings.push(
          readAll(file).then(({ isIntact, lastSeq }) => {
            expect(isIntact).toBe(true);
            return lastSeq;
          }),
        );
        await new Promise(setImmediate);
      }
    }
    await log.close();
    for (const [index, lastSeq] of (await Promise.all(readings)).entries())
      expect(lastSeq).toBeGreaterThanOrEqual((index + 1) * 20);
    await appendFile(file, '{"v":1,"seq":401,');
    expect(await readAll(file)).toMatchObject({ lastSeq: 400, isIntact: true });
  });

  it('[E1] is empty if it does not exist', async () => {
    const file = join(await tempFolder(), 'none.jsonl');
    expect(await readAll(file)).toMatchObject({ events: [], lastSeq: 0, isIntact: true });
  });

  it('[E1] skips events of unknown types', async () => {
    const file = await logFile(['one']);
    const log = await open(file);
    log.append({ type: 'tea.served' } as unknown as RunFact);
    log.append(warning('three'));
    await log.close();
    expect(await readAll(file)).toMatchObject({ messages: ['one', 'three'], lastSeq: 3, isIntact: true });
  });

  it('[E1] gives a delta the number of the previous event and does not store it', async () => {
    const file = await logFile(['one', 'two']);
    const before = readFileSync(file);
    const log = await open(file);
    const delta = log.stamp({ type: 'message.delta', turn: 1, text: 'Hel' });
    await log.close();
    expect(delta).toMatchObject({ v: 1, seq: 2, runId: 'r1', text: 'Hel' });
    expect(readFileSync(file)).toEqual(before);
  });

  it('[E1] that is a folder, or cannot be read, is reported as one error', async () => {
    const folder = await tempFolder();
    await expect(readRunLog(folder, () => undefined)).rejects.toMatchObject({ code: 'DISK' });
    await expect(open(folder)).rejects.toMatchObject({ code: 'DISK' });
    await expect(open(join(folder, 'no', 'log'))).rejects.toMatchObject({ code: 'DISK' });
  });

  it('[E1] that was truncated to nothing starts over', async () => {
    const file = await logFile(['one']);
    await truncate(file, 0);
    const log = await open(file);
    expect(log.append(warning('first')).seq).toBe(1);
    await log.close();
    expect((await readAll(file)).isIntact).toBe(true);
  });
});

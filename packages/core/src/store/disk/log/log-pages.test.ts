import { appendFile, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../testing/kill-points.ts';
import { tempFolder } from '../../../testing/temp-folder.ts';
import type { LogPages } from '../../work-store.ts';
import { createLogPages } from './log-pages.ts';
import { openRunLog, readRunLog } from './run-log.ts';

const now = (): Date => new Date('2026-01-31T09:30:00.000Z');
const said = (message: string): RunFact => ({ type: 'warning', message });

async function append(file: string, count: number, outputs?: string): Promise<void> {
  const log = await openRunLog({ file, runId: 'r', now, outputs });
  for (let one = 0; one < count; one++) log.append(said(`${log.lastSeq} ${'x'.repeat(one % 50)}`));
  await log.close();
}

/** The same range from a reader of the whole log. */
async function wholeOf(file: string, after: number, limit: number) {
  const events: RunEvent[] = [];
  const { lastSeq } = await readRunLog(file, (event) => {
    if (event.seq > after && events.length < limit) events.push(event);
  });
  return { events, lastSeq };
}

async function expectSame(pages: LogPages, file: string, after: number, limit: number): Promise<void> {
  const { events, lastSeq } = await pages.read({ after, limit });
  expect({ events, lastSeq }).toEqual(await wholeOf(file, after, limit));
}

describe('a log in pages', () => {
  it('[E1] returns in each page the events of the whole log, also while it grows', async () => {
    const folder = await tempFolder();
    let count = 0;
    const step = fc.record({
      grown: fc.nat({ max: 700 }),
      after: fc.nat({ max: 2_000 }),
      limit: fc.nat({ max: 900 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
        const file = join(folder, `${count++}.jsonl`);
        const pages = createLogPages(file);
        for (const { grown, after, limit } of steps) {
          await append(file, grown);
          await expectSame(pages, file, after, limit);
        }
      }),
      cases(8),
    );
  });

  it('[E1] returns the same events from a damaged log, in full pages', async () => {
    const file = join(await tempFolder(), 'log.jsonl');
    await append(file, 1_500);
    const whole = await readFile(file, 'utf8');
    const lines = whole.trimEnd().split('\n');
    const damage = fc.record({
      at: fc.nat({ max: 1_499 }),
      kind: fc.constantFrom('lost', 'garbled', 'renumbered', 'blank', 'unknown', 'moved'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(damage, { minLength: 1, maxLength: 4 }),
        fc.nat({ max: 1_500 }),
        fc.integer({ min: 1, max: 1_000 }),
        async (damages, after, limit) => {
          const changed = [...lines];
          for (const { at, kind } of damages) damageLine(changed, at, kind);
          await writeFile(file, `${changed.join('\n')}\n`);
          const pages = createLogPages(file);
          await expectSame(pages, file, after, limit);
          await expectSame(pages, file, 0, 1_000);
        },
      ),
      cases(10),
    );
  });

  it('[E1] waits for a complete line, and continues after the end was truncated and rewritten', async () => {
    const file = join(await tempFolder(), 'log.jsonl');
    const pages = createLogPages(file);
    expect(await pages.read({ after: 0, limit: 10 })).toMatchObject({ events: [], lastSeq: 0 });
    await append(file, 500);
    await appendFile(file, `{"v":1,"seq":501,${'\0'.repeat(20)}\n`);
    await expectSame(pages, file, 490, 100);
    await appendFile(file, '{"v":1,"seq":501,"ts":');
    await expectSame(pages, file, 490, 100);
    // The next writer truncates both.
    await append(file, 300);
    await expectSame(pages, file, 490, 1_000);
    // Between two reads, the log was truncated and other events were appended.
    const lines = (await readFile(file, 'utf8')).split('\n');
    await truncate(file, Buffer.byteLength(lines.slice(0, 237).join('\n')) + 1);
    await append(file, 900);
    await expectSame(pages, file, 600, 100);
    await expectSame(pages, file, 240, 1_000);
    await rm(file);
    expect(await pages.read({ after: 0, limit: 10 })).toMatchObject({ events: [], lastSeq: 0 });
  });

  it('[E1] returns spilled tool results', async () => {
    const folder = await tempFolder();
    const file = join(folder, 'log.jsonl');
    const outputs = join(folder, 'outputs');
    await append(file, 450, outputs);
    const log = await openRunLog({ file, runId: 'r', now, outputs });
    const content = 'long '.repeat(10_000);
    log.append({ type: 'tool.ended', callId: 'c', name: 'fs.read', outcome: 'ok', content, durationMs: 1 });
    await log.close();
    const { events } = await createLogPages(file, { outputs }).read({ after: 450, limit: 5 });
    expect(events).toMatchObject([{ seq: 451, content }]);
  });

  it('[E1] supports concurrent reads', async () => {
    const file = join(await tempFolder(), 'log.jsonl');
    await append(file, 1_000);
    const pages = createLogPages(file);
    const found = await Promise.all([0, 300, 999, 5_000].map((after) => pages.read({ after, limit: 3 })));
    expect(found.map(({ events }) => events.map(({ seq }) => seq))).toEqual([
      [1, 2, 3],
      [301, 302, 303],
      [1_000],
      [],
    ]);
    expect(found.every(({ lastSeq }) => lastSeq === 1_000)).toBe(true);
  });
});

function damageLine(lines: string[], at: number, kind: string): void {
  const line = lines[at] ?? '';
  if (kind === 'lost') lines.splice(at, 1);
  else if (kind === 'garbled') lines[at] = line.slice(0, -30);
  else if (kind === 'renumbered') lines[at] = line.replace(/"seq":\d+/, '"seq":1234');
  else if (kind === 'blank') lines[at] = '\0'.repeat(line.length);
  else if (kind === 'unknown')
    for (let other = at; other < Math.min(at + 600, lines.length); other++)
      lines[other] = lines[other]?.replace('"warning"', '"marvel"') ?? '';
  else lines.splice(Math.min(lines.length, at + 3), 0, ...lines.splice(at, 1));
}

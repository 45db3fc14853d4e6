import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type EventOf, type RunEvent, type RunFact, runEventSchema } from '@crewagent/protocol/events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256Of } from '../../../base/sha256.ts';
import { driverPath } from '../../../testing/driver-path.ts';
import { killCount } from '../../../testing/kill-points.ts';
import { sampleConversation, sampleOutput } from '../../../testing/sample-conversation.ts';
import { tempFolder } from '../../../testing/temp-folder.ts';
import { toAddress } from '../../work-address.ts';
import { takeWorkLock } from '../locks/work-lock.ts';
import { openDiskStore } from '../open-store.ts';
import { createWork } from '../work-folders.ts';
import { openRunLog, readRunLog } from './run-log.ts';

const now = (): Date => new Date('2026-01-31T09:30:00.000Z');

interface Parts {
  readonly file: string;
  readonly outputs: string;
}

async function createParts(): Promise<Parts> {
  const folder = await tempFolder();
  return { file: join(folder, 'messages.jsonl'), outputs: join(folder, 'outputs') };
}

async function append(parts: Parts, facts: readonly RunFact[]): Promise<RunEvent[]> {
  const log = await openRunLog({ ...parts, runId: 'c', now });
  const events = facts.map((fact) => log.append(fact));
  await log.close();
  return events;
}

async function readAll({ file, outputs }: Parts): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  const { isIntact } = await readRunLog(file, (event) => events.push(event), { outputs });
  expect(isIntact).toBe(true);
  return events;
}

const answered = (content: string): RunFact => ({ ...sampleOutput(0), content }) as RunFact;
const contentsOf = (events: readonly RunEvent[]): string[] =>
  events.map((event) => (event.type === 'tool.ended' ? event.content : ''));

describe('a long tool result', () => {
  it('[V35] is stored in a private file, and every reader gets the event as it was appended', async () => {
    const parts = await createParts();
    const events = await append(parts, [
      sampleOutput(16_384),
      sampleOutput(16_385),
      { type: 'warning', message: 'w'.repeat(40_000) },
      answered(`\uFEFF${'€'.repeat(8_000)}\r\n\0`),
    ]);
    expect(await readAll(parts)).toEqual(events);
    const received: RunEvent[] = [];
    await (await openRunLog({ ...parts, runId: 'c', now, onEvent: (event) => received.push(event) })).close();
    expect(received).toEqual(events);
    // Compared as text, since scripts read the lines.
    expect(received.map((event) => JSON.stringify(event))).toEqual(
      events.map((event) => JSON.stringify(event)),
    );
    for (const event of received) expect(runEventSchema.parse(event)).toEqual(event);

    const lines = (await readFile(parts.file, 'utf8')).trimEnd().split('\n');
    expect(lines.map(({ length }) => length > 16_384)).toEqual([true, false, true, false]);
    const long = [events[1], events[3]] as EventOf<'tool.ended'>[];
    const hashes = long.map(({ content }) => sha256Of(Buffer.from(content)));
    expect((await readdir(parts.outputs)).sort()).toEqual(hashes.toSorted());
    expect(lines[1]).toContain(`"content":"","contentHash":"${hashes[0]}"`);
    for (const [index, hash] of hashes.entries())
      expect(await readFile(join(parts.outputs, hash), 'utf8')).toBe(long[index]?.content);
    if (process.platform === 'win32') return;
    expect((await stat(parts.outputs)).mode & 0o777).toBe(0o700);
    for (const hash of hashes) expect((await stat(join(parts.outputs, hash))).mode & 0o777).toBe(0o600);
  });

  it('[V35] is stored once, and stays in the line without a folder', async () => {
    const parts = await createParts();
    await append(parts, [sampleOutput(40_000), sampleOutput(40_000)]);
    const [name = ''] = await readdir(parts.outputs);
    const before = await stat(join(parts.outputs, name), { bigint: true });
    const events = await append(parts, [sampleOutput(40_000)]);
    expect(await readdir(parts.outputs)).toHaveLength(1);
    expect((await stat(join(parts.outputs, name), { bigint: true })).ino).toBe(before.ino);
    expect((await readAll(parts)).slice(2)).toEqual(events);
    const { file } = await createParts();
    const log = await openRunLog({ file, runId: 'c', now });
    const event = log.append(sampleOutput(40_000));
    await log.close();
    expect(await readAll({ file, outputs: '/none' })).toEqual([event]);
  });

  it('[V35] is read unchanged, whatever it contains', async () => {
    const parts = await createParts();
    const long = fc
      .tuple(fc.string({ unit: 'binary' }), fc.integer({ min: 0, max: 6_000 }))
      .map(([text, times]) => answered(`${text}\ud83d`.slice(0, 40).repeat(times)));
    const texts = fc.oneof(
      long,
      fc.string({ unit: 'binary' }).map((text) => answered(text.repeat(4_000))),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(texts, { maxLength: 4 }), async (facts) => {
        await rm(parts.file, { force: true });
        const events = await append(parts, facts);
        expect(await readAll(parts)).toEqual(events);
      }),
      { numRuns: 40 },
    );
  });

  it('[V35] is read as an error if its file is missing, changed or unreadable', async () => {
    const letters = [...'abcdef'];
    const parts = await createParts();
    const events = await append(
      parts,
      letters.map((letter) => sampleOutput(20_000, letter)),
    );
    const fileOf = (index: number): string =>
      join(parts.outputs, sha256Of(Buffer.from((letters[index] ?? '').repeat(20_000))));
    await rm(fileOf(0));
    await writeFile(fileOf(1), 'something else');
    await writeFile(fileOf(2), '');
    await rm(fileOf(3));
    await mkdir(fileOf(3));
    await chmod(fileOf(4), 0o000);
    const isBlocked = process.platform !== 'win32' && process.getuid?.() !== 0;
    const read = await readAll(parts);
    const lost = letters.map((_, index) => index < 4 || (index === 4 && isBlocked));
    for (const [index, event] of read.entries()) {
      if (!lost[index]) {
        expect(event).toEqual(events[index]);
        continue;
      }
      expect({ ...event, content: '' }).toEqual({ ...events[index], content: '' });
      expect(JSON.parse(contentsOf([event])[0] ?? '')).toEqual({
        ok: false,
        error: {
          code: 'E_DISK',
          message: 'The result of this call is no longer on disk; call the tool again if it is still needed.',
        },
      });
    }
    // The log can be continued, and storing the same result repairs the file.
    const [again] = await append(parts, [sampleOutput(20_000, 'b')]);
    expect((await readAll(parts)).slice(-1)).toEqual([again]);
    expect((await readAll(parts))[1]).toEqual(events[1]);
    // A reader without the folder gets the same error.
    const received: RunEvent[] = [];
    await readRunLog(parts.file, (event) => received.push(event));
    expect(contentsOf(received).every((content) => content.includes('E_DISK'))).toBe(true);
  });

  const hashes = ['../../secret', ['a'.repeat(64)], 'A'.repeat(64), 7, null, ''];
  it.each(hashes)('[V35] is only read from the folder of outputs: %j', async (contentHash) => {
    const parts = await createParts();
    await mkdir(parts.outputs);
    await writeFile(join(parts.outputs, '..', 'secret'), 'secret');
    const log = await openRunLog({ file: parts.file, runId: 'c', now });
    log.append({ ...sampleOutput(0), contentHash } as unknown as RunFact);
    await log.close();
    expect(contentsOf(await readAll(parts))).toEqual([expect.stringContaining('E_DISK')]);
  });

  it('[V35] stays in the line if the folder is not writable', async () => {
    const parts = await createParts();
    await writeFile(parts.outputs, 'a file');
    const events = await append(parts, [sampleOutput(40_000), sampleOutput(10)]);
    expect(await readAll(parts)).toEqual(events);
    expect(await readFile(parts.outputs, 'utf8')).toBe('a file');
    expect((await stat(parts.file)).size).toBeGreaterThan(40_000);
  });

  it('[V35] is complete or absent after the writer was killed', async () => {
    const driver = driverPath('conversation-driver');
    const store = openDiskStore(join(await tempFolder(), 'store'));
    const record = await createWork(store, sampleConversation(), { now });
    const { log: file, outputs = '' } = store.work(toAddress(record));
    let last = 2;
    for (let kill = 0; kill < killCount(6); kill++) {
      const child = spawn(process.execPath, [driver, 'append forever', store.root, record.workId], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
      for (let data = 0; data < 2 + kill; data++) await once(child.stdout, 'data');
      child.kill('SIGKILL');
      await once(child, 'close');
      const events = await readAll({ file, outputs });
      const lastReported = Number(output.split('\n').at(-2));
      expect(lastReported).toBeGreaterThan(last);
      expect(events.length).toBeGreaterThanOrEqual(lastReported);
      for (const [index, content] of contentsOf(events.slice(2)).entries())
        expect(content).toBe(
          String.fromCharCode(97 + ((index + 2) % 26)).repeat((index + 2) % 2 === 0 ? 40_000 : 100),
        );
      last = events.length;
    }
    const lock = await takeWorkLock(store, toAddress(record));
    await (await openRunLog({ file, outputs, runId: record.workId, now })).close();
    await lock.release();
    for (const name of await readdir(outputs)) expect(name).toMatch(/^[0-9a-f]{64}$/);
  });
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRuntimeRig } from '../../testing/rigs/runtime-rig.ts';
import { readTree, tempFolder } from '../../testing/temp-folder.ts';
import { loadCassette } from './cassette-file.ts';

const PACKAGE = join(import.meta.dirname, '../../../../../examples/hello-branch');
const ANSWERS = { projectName: 'Larder', goal: 'Lists', existing: 'nothing' };

/** A whole run by the real engine, with a question. */
async function run(
  options: { recordTo?: string; replay?: string },
  answers: Readonly<Record<string, string>> = ANSWERS,
  {
    person,
    ...machine
  }: { name?: string; now?: () => Date; person?: { name: string; language: string } } = {},
) {
  const rig = await createRuntimeRig({}, machine);
  if (person) await rig.runtime.store.settings.update({ person });
  const { recordTo, replay } = options;
  const { engine } = await rig.create({
    package: PACKAGE,
    model: replay === undefined ? { model: 'rehearsal' } : { replay },
    ...(recordTo === undefined ? {} : { recordTo }),
  });
  await engine.start();
  const stop = await engine.answer(answers);
  expect(rig.bugs).toEqual([]);
  return { stop, files: await readTree(rig.project), root: rig.root };
}

describe('a recorded run', () => {
  it('[K24] replays to the same end in another run, at another time, in another folder', async () => {
    const file = join(await tempFolder(), 'run.cassette');
    const recorded = await run({ recordTo: file });
    const replayed = await run({ replay: file });
    expect([recorded.stop, replayed.stop]).toEqual([{ phase: 'Completed' }, { phase: 'Completed' }]);
    expect(replayed.files).toEqual(recorded.files);
    expect((await loadCassette(file)).exchanges.length).toBeGreaterThan(10);
    const text = await readFile(file, 'utf8');
    expect([text.includes(recorded.root), text.includes('sk-test')]).toEqual([false, false]);
  });

  it('[K24] replays on another day, in a folder of another name, for another user', async () => {
    const file = join(await tempFolder(), 'run.cassette');
    const first = { name: 'larder', now: () => new Date('2026-01-31T12:00:00Z') };
    await run({ recordTo: file }, ANSWERS, { ...first, person: { name: 'Ann', language: 'en' } });
    const later = { name: '2nd: "checkout"', now: () => new Date('2026-02-02T12:00:00Z') };
    const person = { name: 'Bob', language: 'zh-CN' };
    const { stop } = await run({ replay: file }, ANSWERS, { ...later, person });
    expect(stop).toEqual({ phase: 'Completed' });
  });

  it('[K24] stops with a message if the person answers something else', async () => {
    const file = join(await tempFolder(), 'run.cassette');
    await run({ recordTo: file });
    const { stop } = await run({ replay: file }, { ...ANSWERS, goal: 'Other lists' });
    expect(stop).toMatchObject({ phase: 'WaitingUser', reason: { code: 'CASSETTE_MISMATCH' } });
    expect(stop.reason?.message).toMatch(
      /^Request 2 differs from the recorded one: message \d+ \(tool\) differs\./,
    );
  });
});

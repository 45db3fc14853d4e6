import { renameSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createScriptedModel, type ScriptedCall } from '../testing/models/scripted-model.ts';
import { rigFor } from '../testing/rigs/branching-run.ts';
import type { RunRig } from '../testing/rigs/run-rig.ts';

const read = (path: string): ScriptedCall => ({ name: 'fs_read', arguments: { path } });
const LARGE = `${'A line of a large file.\n'.repeat(400_000)}`;

/** `+name` when a call starts, `-name` when it ends. */
function orderOf(rig: RunRig): string[] {
  return rig.events.flatMap((event) => {
    if (event.type === 'tool.started') return [`+${event.path ?? event.name}`];
    return event.type === 'tool.ended' ? [`-${event.effect?.path ?? event.name}`] : [];
  });
}

describe('calls of one reply that only read', () => {
  it('[L155] run at once, and their results keep the order of the calls; others run alone', async () => {
    const model = createScriptedModel([
      {
        calls: [
          read('@project/large.txt'),
          read('@project/a.md'),
          read('@project/b.md'),
          { name: 'fs_write', arguments: { path: '@project/artifacts/c.md', content: 'C\n' } },
          read('@project/artifacts/c.md'),
        ],
      },
      'Read. And now?',
    ]);
    const rig = await rigFor([], { model, project: { 'large.txt': LARGE, 'a.md': 'A\n', 'b.md': 'B\n' } });
    await rig.engine.start();
    expect(orderOf(rig)).toEqual([
      '+@project/large.txt',
      '+@project/a.md',
      '+@project/b.md',
      '-@project/large.txt',
      '-@project/a.md',
      '-@project/b.md',
      '+@project/artifacts/c.md',
      '-@project/artifacts/c.md',
      '+@project/artifacts/c.md',
      '-@project/artifacts/c.md',
    ]);
    const sent = model.requests[1]?.messages.filter(({ role }) => role === 'tool');
    expect(sent?.map(({ content }) => /"path":"([^"]*)"/.exec(String(content))?.[1])).toEqual([
      '@project/large.txt',
      '@project/a.md',
      '@project/b.md',
      '@project/artifacts/c.md',
      '@project/artifacts/c.md',
    ]);
  });

  it('[L155] are all made again after a fault of the disk, none out of order', async () => {
    let project = '';
    const model = createScriptedModel((_, index) => {
      if (index > 0) return 'Read. And now?';
      renameSync(project, `${project}-away`);
      return { calls: [read('@project/a.md'), read('@project/b.md')] };
    });
    const rig = await rigFor([], { model, project: { 'a.md': 'A\n', 'b.md': 'B\n' } });
    project = rig.project;
    expect(await rig.engine.start()).toMatchObject({ reason: { code: 'FOLDER_NOT_FOUND' } });
    expect(rig.eventsOf('tool.ended')).toEqual([]);
    renameSync(`${project}-away`, project);
    await rig.engine.resume();
    expect(orderOf(rig).filter((line) => line.startsWith('-'))).toEqual(['-@project/a.md', '-@project/b.md']);
    expect(rig.bugs).toEqual([]);
  });
});

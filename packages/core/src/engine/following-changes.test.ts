import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunEvent } from '@crewagent/protocol/events';
import { foldStory } from '@crewagent/protocol/story/fold-story';
import { describe, expect, it } from 'vitest';
import { createScriptedModel } from '../testing/models/scripted-model.ts';
import { rigFor } from '../testing/rigs/branching-run.ts';
import type { RunRig, RunRigOptions } from '../testing/rigs/run-rig.ts';

const write = (path: string, content: string) => ({ name: 'fs_write', arguments: { path, content } });
const textOf = (rig: RunRig, path: string): Promise<string> => readFile(join(rig.project, path), 'utf8');

async function startedWith(
  calls: readonly ReturnType<typeof write>[],
  options: Partial<RunRigOptions> = {},
): Promise<RunRig> {
  const model = createScriptedModel([{ calls: [...calls] }, 'Done.', 'Done.']);
  const rig = await rigFor([], { model, settings: { tools: { approval: 'ask' } }, ...options });
  await rig.engine.start();
  return rig;
}

const callIds = (rig: RunRig): string[] =>
  (rig.eventsOf('approval.requested').at(-1)?.following ?? []).map(({ callId }) => callId);
const viewOf = (rig: RunRig) => foldStory('run', rig.events as readonly RunEvent[]);

describe('changes that follow one that waits for approval', () => {
  const THREE = [write('a.md', 'A\n'), write('docs/b.md', 'B\n'), write('c.md', 'C\n')];

  it('[L21] are described with it, and each is decided on with one response', async () => {
    const rig = await startedWith(THREE, { project: { 'c.md': 'old\n' } });
    const [request] = rig.eventsOf('approval.requested');
    expect(request?.following).toMatchObject([
      { tool: 'fs.write', action: { target: '@project/docs/b.md' } },
      { action: { preview: { text: expect.stringContaining('-old\n+C') as string } } },
    ]);
    expect(viewOf(rig).pending).toMatchObject({ following: [{ tool: 'fs.write' }, { tool: 'fs.write' }] });
    expect(existsSync(join(rig.project, 'docs/b.md'))).toBe(false);
    const [second = '', third = ''] = callIds(rig);
    await rig.engine.approve({
      decision: 'once',
      note: 'As agreed.',
      following: [
        { callId: second, decision: 'once' },
        { callId: third, decision: 'no' },
      ],
    });
    expect(rig.eventsOf('approval.requested')).toHaveLength(1);
    expect(rig.eventsOf('approval.resolved')).toMatchObject([
      { callId: second, decision: 'once', path: '@project/docs/b.md' },
      { callId: third, decision: 'no', note: 'As agreed.' },
      { callId: request?.callId, decision: 'once' },
    ]);
    expect([await textOf(rig, 'a.md'), await textOf(rig, 'docs/b.md'), await textOf(rig, 'c.md')]).toEqual([
      'A\n',
      'B\n',
      'old\n',
    ]);
    const { timeline, pending } = viewOf(rig);
    expect(pending).toBeUndefined();
    const tools = timeline.filter((item) => item.kind === 'tool');
    expect(tools.map(({ approval, status }) => [approval?.decision, status])).toEqual([
      ['once', 'ok'],
      ['once', 'ok'],
      ['no', 'refused'],
    ]);
  });

  it('[L21] are asked about one after the other if only the first is decided on', async () => {
    const rig = await startedWith(THREE);
    await rig.engine.approve({ decision: 'once' });
    expect(rig.eventsOf('approval.requested')).toMatchObject([
      { following: [{}, {}] },
      { action: { target: '@project/docs/b.md' }, following: [{ action: { target: '@project/c.md' } }] },
    ]);
    expect(existsSync(join(rig.project, 'docs/b.md'))).toBe(false);
  });

  it('[L21] need approval again if they are no longer what was shown', async () => {
    const rig = await startedWith(THREE);
    await writeFile(join(rig.project, 'c.md'), 'mine\n');
    const following = callIds(rig).map((callId) => ({ callId, decision: 'once' as const }));
    expect(await rig.engine.approve({ decision: 'once', following })).toMatchObject({
      reason: { code: 'approval', details: { path: '@project/c.md' } },
    });
    expect(await textOf(rig, 'c.md')).toBe('mine\n');
    expect(await textOf(rig, 'docs/b.md')).toBe('B\n');
    await rig.engine.approve({ decision: 'once' });
    expect(await textOf(rig, 'c.md')).toBe('C\n');
  });

  it('[L21] are not decided on without having been shown', async () => {
    const rig = await startedWith(THREE);
    expect(() =>
      rig.engine.approve({ decision: 'once', following: [{ callId: 'other', decision: 'once' }] }),
    ).toThrow(/was not shown/);
    expect(rig.eventsOf('approval.resolved')).toEqual([]);
  });

  it('[L21] leave out what runs later, a second change of a file, results, and all that is no change', async () => {
    const rig = await startedWith([
      write('a.md', 'A\n'),
      write('.github/workflows/ci.yml', 'on: push\n'),
      write('a.md', 'AA\n'),
      write('artifacts/free.md', 'free\n'),
      write('../outside.md', 'no\n'),
      write('bytes.md', 'x'.repeat(500_000)),
      { name: 'fs_read', arguments: { path: 'a.md', content: '' } },
      write('b.md', 'B\n'),
    ]);
    const [request] = rig.eventsOf('approval.requested');
    expect(request?.following?.map(({ action }) => action.target)).toEqual(['@project/b.md']);
  });

  it('[L21] are not described with a file that runs later', async () => {
    const rig = await startedWith([write('.github/workflows/ci.yml', 'on: push\n'), write('b.md', 'B\n')]);
    expect(rig.eventsOf('approval.requested')[0]?.following).toBeUndefined();
  });

  it('[L21] keep their decisions over a restart before they are made', async () => {
    const rig = await startedWith(THREE);
    const [second = ''] = callIds(rig);
    // The process ended after the decision on the second change was recorded, and before that on the first.
    rig.engine.emit({
      type: 'approval.resolved',
      callId: second,
      tool: 'fs.write',
      path: '@project/docs/b.md',
      decision: 'no',
    });
    await rig.close();
    const later = await rig.reopen(createScriptedModel(['Done.']));
    await later.engine.approve({ decision: 'once' });
    expect(existsSync(join(later.project, 'docs/b.md'))).toBe(false);
    expect(later.eventsOf('approval.requested').at(-1)).toMatchObject({
      action: { target: '@project/c.md' },
    });
  });
});

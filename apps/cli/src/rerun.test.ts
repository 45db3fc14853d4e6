import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCliRig } from './testing/cli-rig.ts';

const METHOD = join(import.meta.dirname, 'testing/two-inputs.md');

describe('crewagent rerun', () => {
  it('[W24] shows the plan, asks, and runs again only what is out of date', async () => {
    const rig = await createCliRig();
    await writeFile(join(rig.project, 'a.md'), 'first');
    await writeFile(join(rig.project, 'b.md'), 'first');
    expect((await rig.run('run', METHOD, '-p', 'project', '--rehearsal')).code).toBe(0);
    const none = await rig.run('rerun', 'last', '--stale');
    expect([none.code, none.out]).toEqual([
      0,
      expect.stringContaining('Nothing in this run is out of date.'),
    ]);
    await writeFile(join(rig.project, 'b.md'), 'second');
    const status = await rig.run('status', 'project');
    expect(status.out).toMatch(/crewagent rerun \w{8} --stale/);
    const asked = await rig.run('rerun', 'last', '--stale');
    expect([asked.code, asked.err]).toEqual([2, expect.stringContaining('--yes')]);
    const preview = await rig.run('rerun', 'last', '--stale', '--preview');
    expect(preview.out).toContain('runs again');
    expect(preview.out).toContain('b.md has changed since this step read it');
    expect(JSON.parse((await rig.run('rerun', 'last', '--stale', '--preview', '--json')).out)).toMatchObject({
      first: { nodeId: 'second' },
    });
    const before = await readFile(join(rig.project, 'artifacts/a.md'), 'utf8');
    const done = await rig.run('rerun', 'last', '--stale', '--yes', '--plain');
    expect(done.code).toBe(0);
    expect(done.out).toContain('begins at second');
    expect(await readFile(join(rig.project, 'artifacts/a.md'), 'utf8')).toBe(before);
    expect((await rig.run('status', 'project')).out).toContain('Everything is up to date.');
    expect((await rig.run('rerun', 'last')).code).toBe(2);
  });
});

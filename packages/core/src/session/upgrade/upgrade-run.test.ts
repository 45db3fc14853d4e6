import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importPackage } from '../../bmad/import-package.ts';
import { createRuntime } from '../../runtime.ts';
import { answerAll } from '../../testing/drive-to-end.ts';
import { branchingPackage } from '../../testing/packages/branching-package.ts';
import { tempFolder, writeTree } from '../../testing/temp-folder.ts';

const context = { runtimeVersion: '1.0.0', knownServers: new Set<string>() };

async function setUp() {
  const root = await tempFolder();
  const files = branchingPackage();
  const manifest = files['bmad.json'] ?? '';
  await writeTree(join(root, 'one'), files);
  await writeTree(join(root, 'two'), {
    ...files,
    'bmad.json': manifest.replace(/"version": ?"[^"]+"/, '"version": "9.0.0"'),
  });
  await writeTree(join(root, 'project'), { 'a.md': 'x' });
  const runtime = createRuntime({ storeRoot: join(root, 'store') });
  const run = await runtime.createWork({
    package: join(root, 'one'),
    projectPath: join(root, 'project'),
    model: { model: 'rehearsal' },
  });
  await importPackage(join(root, 'two'), runtime.store, context);
  const upgrade = (isAgreed = true) =>
    runtime.upgradeRun({ run: run.record.workId, confirm: () => Promise.resolve(isAgreed) });
  return { runtime, run, upgrade };
}

describe('moving a run to another version', () => {
  it('[S16] is refused while the run is open', async () => {
    const { run, upgrade } = await setUp();
    await expect(upgrade()).rejects.toMatchObject({ code: 'RUN_LOCKED' });
    await run.close();
  });

  it('[S16] is refused for a run that is complete', async () => {
    const { run, upgrade } = await setUp();
    expect(await answerAll(run, await run.engine.start())).toEqual({ phase: 'Completed' });
    await run.close();
    await expect(upgrade()).rejects.toThrow(/The run is complete/);
  });

  it('[S16] changes nothing if the person declines, and is in the log and the story otherwise', async () => {
    const { runtime, run, upgrade } = await setUp();
    await run.close();
    expect((await upgrade(false)).isMoved).toBe(false);
    const before = await runtime.openRun('last');
    expect(before.record.packageVersion).not.toBe('9.0.0');
    await before.close();
    expect((await upgrade()).isMoved).toBe(true);
    const after = await runtime.openRun('last');
    expect(after.record).toMatchObject({ packageVersion: '9.0.0' });
    expect(after.engine.memory.packageHash).toBe(after.record.packageHash);
    expect(await answerAll(after, await after.engine.start())).toEqual({ phase: 'Completed' });
    await after.close();
  });
});

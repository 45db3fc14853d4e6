import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importPackage } from '../bmad/import-package.ts';
import { createStoreLayout } from '../store/disk/layout.ts';
import { lockFile } from '../store/disk/locks/file-lock.ts';
import { writeStoreFile } from '../store/disk/store-file.ts';
import { createRuntimeRig } from '../testing/rigs/runtime-rig.ts';

const context = { runtimeVersion: '0.1.0', knownServers: new Set<string>() };

async function scene() {
  const { runtime, project } = await createRuntimeRig();
  const { store } = runtime;
  const { package: installed } = await importPackage('examples/hello-branch', store, context);
  const { projectId } = await store.projects.open(project, { now: () => new Date() });
  const attempt = await lockFile(`${store.projects.label}.lock`);
  if (!attempt.isAccepted) throw new Error('nobody else has it');
  const { lock } = attempt;
  /** Forgets the project at that moment, as another process could. */
  const forgetWhile = async (making: Promise<unknown>, folder: string): Promise<unknown> => {
    await expect.poll(() => readdir(join(folder, '../.staged')).catch(() => [])).toHaveLength(1);
    await writeStoreFile(store.projects.label, { schemaVersion: 1, projects: [] });
    await lock.release();
    return making.then(
      () => undefined,
      (error: unknown) => error,
    );
  };
  return { runtime, store, project, projectId, hash: installed.hash, forgetWhile };
}

type Scene = Awaited<ReturnType<typeof scene>>;

describe('a project that is forgotten during a start', () => {
  const model = { model: 'rehearsal' };
  const beginnings = [
    [
      'run',
      ({ runtime, project, hash }: Scene) =>
        runtime.createWork({ package: hash, projectPath: project, model }),
    ],
    [
      'conversation',
      ({ runtime, project }: Scene) => runtime.createWork({ kind: 'chat', projectPath: project, model }),
    ],
  ] as const;
  it.each(beginnings)('[H22] begins no %s', async (noun, begin) => {
    const here = await scene();
    const { store, projectId, forgetWhile } = here;
    const error = await forgetWhile(
      begin(here),
      createStoreLayout(store.root).worksFolder(projectId, noun === 'run'),
    );
    expect(error).toMatchObject({ code: 'PROJECT_NOT_FOUND' });
    expect(await readdir(store.root)).not.toContain('projects');
  });
});

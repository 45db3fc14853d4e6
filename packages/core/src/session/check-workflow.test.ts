import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inspectPackage } from '../bmad/load-package.ts';
import { createMountedFs } from '../mounts/mounted-fs.ts';
import { createSecretCheck } from '../mounts/sensitive/secret-files.ts';
import { testContext } from '../testing/inspect.ts';
import { samplePackage, step, workflow } from '../testing/packages/sample-package.ts';
import { tempFolder, writeTree } from '../testing/temp-folder.ts';
import { checkWorkflow, type PackageInUse, workflowOf } from './check-workflow.ts';

const STEPS = Array.from({ length: 8 }, (_, index) => `step-0${index + 1}`);

async function installed(): Promise<PackageInUse & { folder: string; root: string }> {
  const root = await tempFolder();
  const folder = join(root, 'pkg');
  const steps = Object.fromEntries(STEPS.map((id) => [`long/steps/${id}.md`, step(id)]));
  await mkdir(join(root, 'project'));
  await mkdir(join(root, 'state'));
  await writeTree(
    folder,
    samplePackage(
      ({ bmad }) => {
        bmad.workflows = [
          { id: 'short', displayName: 'Short', workflow: 'workflow.md', graph: 'workflow.graph.json' },
          {
            id: 'long',
            displayName: 'Long',
            workflow: 'long/workflow.md',
            graph: 'long/workflow.graph.json',
          },
        ];
      },
      {
        'long/workflow.md': workflow(),
        'long/workflow.graph.json': JSON.stringify({
          schemaVersion: '1.1',
          entryNodeId: 'step-01',
          nodes: STEPS.map((id) => ({ id, type: 'step', file: `long/steps/${id}.md` })),
          edges: STEPS.slice(1).map((to, index) => ({ from: STEPS[index], to, label: 'next' })),
        }),
        ...steps,
      },
    ),
  );
  const inspection = await inspectPackage(folder, testContext);
  if (!inspection.package) throw new Error(JSON.stringify(inspection.diagnostics));
  const roots = { project: join(root, 'project'), pkg: folder, state: join(root, 'state') };
  return { files: createMountedFs(roots, createSecretCheck()), loaded: inspection.package, folder, root };
}

const LONG = { type: 'workflowId', workflowId: 'long' } as const;

async function refusal(pkg: PackageInUse, ref: Parameters<typeof checkWorkflow>[1]): Promise<unknown> {
  try {
    await checkWorkflow(pkg, ref);
    return 'whole';
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return [code, message];
  }
}

describe('checkWorkflow', () => {
  it('[D20] accepts a complete workflow, by id and by path', async () => {
    const pkg = await installed();
    expect(await refusal(pkg, LONG)).toBe('whole');
    expect(await refusal(pkg, { type: 'packagePath', workflowMdPath: './long/workflow.md' })).toBe('whole');
    expect(await refusal(pkg, { type: 'workflowId', workflowId: 'short' })).toBe('whole');
  });

  it.each([['long/workflow.md'], ['long/workflow.graph.json'], ['long/steps/step-03.md']])(
    '[D20] rejects a workflow without %s, and only the workflow that needs it',
    async (file) => {
      const pkg = await installed();
      await rm(join(pkg.folder, file));
      expect(await refusal(pkg, LONG)).toEqual([
        'ValidationFailed',
        `The workflow "long" cannot be started without ${file} (missing); install the package again.`,
      ]);
      expect(await refusal(pkg, { type: 'workflowId', workflowId: 'short' })).toBe('whole');
    },
  );

  it('[D20] lists all missing files, up to five', async () => {
    const pkg = await installed();
    await rm(join(pkg.folder, 'long/steps/step-01.md'));
    await rm(join(pkg.folder, 'long/workflow.graph.json'));
    expect(await refusal(pkg, LONG)).toEqual([
      'ValidationFailed',
      'The workflow "long" cannot be started without long/workflow.graph.json (missing) and long/steps/step-01.md (missing); install the package again.',
    ]);
    await rm(join(pkg.folder, 'long'), { recursive: true });
    expect(await refusal(pkg, LONG)).toEqual([
      'ValidationFailed',
      'The workflow "long" cannot be started without long/workflow.md (missing), long/workflow.graph.json (missing), long/steps/step-01.md (missing), long/steps/step-02.md (missing), long/steps/step-03.md (missing) and 5 more; install the package again.',
    ]);
  });

  it('[D20] rejects a folder or a link out of the package in place of a file', async () => {
    const pkg = await installed();
    await rm(join(pkg.folder, 'long/steps/step-02.md'));
    await mkdir(join(pkg.folder, 'long/steps/step-02.md'));
    await rm(join(pkg.folder, 'long/steps/step-04.md'));
    await writeTree(pkg.root, { 'outside.md': step('step-04') });
    await symlink(join(pkg.root, 'outside.md'), join(pkg.folder, 'long/steps/step-04.md'));
    expect(await refusal(pkg, LONG)).toEqual([
      'ValidationFailed',
      'The workflow "long" cannot be started without long/steps/step-02.md (not readable) and long/steps/step-04.md (not readable); install the package again.',
    ]);
  });

  it('[D20] rejects an unknown workflow and lists the known ones', async () => {
    const pkg = await installed();
    expect(await refusal(pkg, { type: 'workflowId', workflowId: 'gone\u202e' })).toEqual([
      'ValidationFailed',
      'The command cannot be started: sample has no workflow "gone\uFFFD"; it has short, long.',
    ]);
  });
});

describe('workflowOf', () => {
  it('[D20] finds a workflow by its id and by the path of its workflow.md', async () => {
    const { loaded } = await installed();
    expect(workflowOf(loaded, LONG).workflowPath).toBe('long/workflow.md');
    expect(workflowOf(loaded, { type: 'packagePath', workflowMdPath: 'workflow.md' }).ref).toBe('short');
  });

  it('[D20] rejects an unknown workflow and lists the known ones', async () => {
    const { loaded } = await installed();
    const find = () => workflowOf(loaded, { type: 'packagePath', workflowMdPath: 'long' });
    expect(find).toThrow('sample has no workflow "long"; it has short, long.');
    expect(find).toThrow(expect.objectContaining({ code: 'UnknownWorkflow' }) as Error);
  });
});

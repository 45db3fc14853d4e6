import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStoreLayout } from '../store/disk/layout.ts';
import { toAddress } from '../store/work-address.ts';
import { writeTree } from '../testing/file-tree.ts';
import { cases } from '../testing/kill-points.ts';
import { threadPackage } from '../testing/packages/thread-package.ts';
import { createRuntimeRig } from '../testing/rigs/runtime-rig.ts';

const PROJECT = { 'docs/epics.md': '# Epics\n', 'docs/prd.md': '# PRD\n', '.env': 'KEY=1\n' };

async function rigWithPackage() {
  const rig = await createRuntimeRig(PROJECT);
  const pkg = join(rig.root, 'package');
  await writeTree(pkg, threadPackage());
  return { ...rig, request: { package: pkg, model: { model: 'rehearsal' } } };
}

describe('documents of a new run', () => {
  it('[A14] are listed once in its first state, by their mount paths', async () => {
    const { create, runtime, request } = await rigWithPackage();
    const documents = ['@project/docs/epics.md', 'docs/prd.md', '@project/docs/../docs/epics.md'];
    const { record } = await create({ ...request, documents });
    const state = await readFile(
      createStoreLayout(runtime.store.root).work(toAddress(record)).stateDocument,
      'utf8',
    );
    expect(state).toMatch(
      /inputDocuments:\s*(?:\[\s*|\n\s*- )"?@project\/docs\/epics.md"?\s*(?:,\s*|\n\s*- )"?@project\/docs\/prd.md/,
    );
    expect(state.match(/epics\.md/g)).toHaveLength(1);
  });

  it.each([
    ['is missing', '@project/docs/none.md', 'FILE_NOT_FOUND'],
    ['is a folder', '@project/docs', 'USAGE'],
    ['is secret', '@project/.env', 'PermissionDenied'],
    ['leads out', '@project/../outside.md', 'PermissionDenied'],
    ['is a link that leads out', '@project/link.md', 'PermissionDenied'],
    ['is absolute', '/etc/passwd', 'PermissionDenied'],
    ['is in the package', '@pkg/bmad.json', 'PermissionDenied'],
    ['hides a character', '@project/docs/e\u200bpics.md', 'PermissionDenied'],
  ])(
    '[A14] a document that %s is rejected with one sentence and leaves no run behind',
    async (_, wrong, code) => {
      const { create, runtime, request, project, root } = await rigWithPackage();
      await writeTree(root, { 'outside.md': 'not yours' });
      await symlink(join(root, 'outside.md'), join(project, 'link.md'));
      await expect(create({ ...request, documents: ['docs/prd.md', wrong] })).rejects.toMatchObject({
        code,
        message: expect.stringMatching(/^[^\n]{20,300}\.$/) as string,
      });
      expect(await runtime.listRuns()).toEqual([]);
    },
  );

  it('[A14] accepts only files of the project, whatever the path', async () => {
    const { runtime, request, project } = await rigWithPackage();
    await mkdir(join(project, 'a'));
    const part = fc.constantFrom(
      '..',
      '.',
      'docs',
      'epics.md',
      '.env',
      'a',
      '@project',
      '@state',
      '~',
      '',
      '\\',
      'C:',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 5 }), async (parts) => {
        const made = runtime.createWork({ ...request, projectPath: project, documents: [parts.join('/')] });
        const run = await made.catch(() => undefined);
        if (!run) return;
        await run.close();
        const state = await readFile(
          createStoreLayout(runtime.store.root).work(toAddress(run.record)).stateDocument,
          'utf8',
        );
        expect(state).toContain('@project/docs/epics.md');
      }),
      cases(30),
    );
  });
});

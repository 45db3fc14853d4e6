import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeTree } from '../packages/core/src/testing/file-tree.ts';
import { textReply, toolCallReply } from '../packages/core/src/testing/models/provider-replies.ts';
import { samplePackage, step } from '../packages/core/src/testing/packages/sample-package.ts';
import { checkBothThemes } from './check-both-themes.ts';
import { modelForTest, pageForTest } from './for-one-test.ts';
import { hasChromium } from './whole-page.ts';

const one = (name: string, args: Record<string, unknown>) => toolCallReply([{ name, arguments: args }]);
const LEAVE = one('runtime_complete_node', { nodeId: 'step-01', next: 'end-99' });

describe.skipIf(!hasChromium)('how models behaved', () => {
  it('the settings have the figures of a run that the model made difficult', async () => {
    const model = await modelForTest([
      one('no_such_tool', {}),
      one('runtime_complete_node', { nodeId: 'step-01', next: 'nowhere' }),
      LEAVE,
      one('fs_write', { path: 'artifacts/prd.md', content: 'x' }),
      LEAVE,
      one('runtime_complete_node', { nodeId: 'end-99' }),
      textReply('Done.'),
    ]);
    const whole = await pageForTest({ env: model.env });
    const api = whole.api();
    const page = await whole.open({ path: '/settings/model' });
    await page.getByText('No model has worked on a run yet.', { exact: false }).waitFor();
    const folder = join(whole.folder, 'home', 'sample');
    await mkdir(folder);
    const keys = 'produces: [{path: artifacts/prd.md}]\n';
    await writeTree(folder, samplePackage(undefined, { 'steps/step-01.md': step('step-01', 'step', keys) }));
    const { hash: packageHash } = (await api.packages.importPath({ body: { path: folder } })).package;
    const { projectId } = await api.projects.open({ body: { path: whole.project } });
    const body = { kind: 'run', projectId, packageHash, approval: 'autopilot' } as const;
    const { workId } = await api.works.create({ body });
    await expect
      .poll(async () => (await api.works.show({ workId })).work.phase, { timeout: 20_000 })
      .toBe('Completed');
    await page.reload();
    const row = page.getByRole('row', { name: /^scripted/ });
    await row.waitFor();
    expect(await row.getByRole('cell').allTextContents()).toEqual([
      ...['1 of 1', '1', '1', '0', '1', '0', '43%', '7', '770', '–'],
    ]);
    await checkBothThemes(page);
  });
});

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeTree } from '../../../core/src/testing/file-tree.ts';
import { startFakeProvider } from '../../../core/src/testing/models/fake-provider.ts';
import { textReply, toolCallReply } from '../../../core/src/testing/models/provider-replies.ts';
import { samplePackage, step } from '../../../core/src/testing/packages/sample-package.ts';
import { createServerRig, prepare } from '../testing/server-rig.ts';

const one = (name: string, args: Record<string, unknown>) => toolCallReply([{ name, arguments: args }]);
const LEAVE = one('runtime_complete_node', { nodeId: 'step-01', next: 'end-99' });

it('[H28] the report has a row per model and package, with exact figures', async () => {
  const rig = await createServerRig();
  const report = (query: { package?: string; since?: string } = {}) => rig.client.models.report({ query });
  expect(await report()).toEqual({ rows: [] });
  const provider = await startFakeProvider([
    one('no_such_tool', {}),
    LEAVE,
    one('fs_write', { path: 'artifacts/prd.md', content: 'x' }),
    LEAVE,
    one('runtime_complete_node', { nodeId: 'end-99' }),
    textReply('Done.'),
  ]);
  const prices = { input: 1, output: 10 };
  const settings = { provider: 'generic', baseUrl: provider.url, model: 'weak', prices } as const;
  await rig.client.models.put({ name: 'mine', body: { settings } });
  const folder = join(rig.root, 'sample');
  const keys = 'produces: [{path: artifacts/prd.md}]\n';
  await writeTree(folder, samplePackage(undefined, { 'steps/step-01.md': step('step-01', 'step', keys) }));
  const ready = await prepare(rig, folder);
  const { workId } = await rig.client.works.create({
    body: { ...ready, kind: 'run', model: 'mine', approval: 'autopilot' },
  });
  await expect
    .poll(async () => (await rig.client.works.show({ workId })).work.phase, { timeout: 20_000 })
    .toBe('Completed');
  const row = {
    model: 'weak',
    package: 'sample',
    runs: 1,
    runsProved: 1,
    movesRefused: 0,
    outputsIncomplete: 1,
    personNotHeard: 0,
    invalidCalls: 1,
    loops: 0,
    wastedTurns: 2,
    turns: 6,
    nodesProved: 1,
    usage: {
      promptTokens: 600,
      completionTokens: 60,
      cachedTokens: 0,
      costUsd: expect.closeTo(0.0012) as number,
    },
  };
  expect(await report()).toEqual({ rows: [row] });
  expect(await report({ package: 'Sample', since: '2020-01-01' })).toEqual({ rows: [row] });
  expect(await report({ package: 'other' })).toEqual({ rows: [] });
  expect(await report({ since: '2999-01-01T00:00:00+01:00' })).toEqual({ rows: [] });
  expect((await rig.call('/api/v1/models/report?since=yesterday')).status).toBe(400);
  await provider.close();
  expect(rig.bugs).toEqual([]);
});

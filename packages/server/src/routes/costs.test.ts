import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeTree } from '../../../core/src/testing/file-tree.ts';
import { startFakeProvider } from '../../../core/src/testing/models/fake-provider.ts';
import { textReply, toolCallReply } from '../../../core/src/testing/models/provider-replies.ts';
import { samplePackage } from '../../../core/src/testing/packages/sample-package.ts';
import { createServerRig, prepare } from '../testing/server-rig.ts';

it('[H28] costs are summed by day, model, package and Work; a price that is not known is no 0', async () => {
  const rig = await createServerRig();
  const show = () => rig.client.costs.show({ query: { days: '7' } });
  expect(await show()).toMatchObject({ total: { requests: 0 }, days: [], works: [], remaining: 0 });
  const provider = await startFakeProvider([
    toolCallReply([{ name: 'runtime_complete_node', arguments: { nodeId: 'step-01', next: 'end-99' } }]),
    toolCallReply([{ name: 'runtime_complete_node', arguments: { nodeId: 'end-99' } }]),
    textReply('Done.'),
    textReply('Hello.'),
  ]);
  const base = { provider: 'generic', baseUrl: provider.url } as const;
  const prices = { input: 1, output: 10 };
  await rig.client.models.put({ name: 'paid', body: { settings: { ...base, model: 'paid', prices } } });
  await rig.client.models.put({ name: 'other', body: { settings: { ...base, model: 'other' } } });
  const folder = join(rig.root, 'sample');
  await writeTree(folder, samplePackage());
  const ready = await prepare(rig, folder);
  const { workId } = await rig.client.works.create({
    body: { ...ready, kind: 'run', model: 'paid', approval: 'autopilot' },
  });
  await expect
    .poll(async () => (await rig.client.works.show({ workId })).work.phase, { timeout: 20_000 })
    .toBe('Completed');
  const { workId: chat } = await rig.client.works.create({
    body: { projectId: ready.projectId, kind: 'chat', model: 'other' },
  });
  await rig.client.works.input({ workId: chat, body: { text: 'Hi' } });
  await expect.poll(async () => (await show()).total.requests, { timeout: 20_000 }).toBe(4);

  const report = await show();
  expect(report.days).toHaveLength(1);
  expect(report.models.map(({ name, requests }) => [name, requests])).toEqual([
    ['paid', 3],
    ['other', 1],
  ]);
  expect(report.packages.map(({ name }) => name)).toEqual(['sample', '']);
  expect(report.works.map((work) => work.workId)).toEqual([workId, chat]);
  const [paid, other] = report.models;
  expect(paid?.costUsd).toBeGreaterThan(0);
  expect(paid?.unpricedTokens).toBe(0);
  expect(other?.costUsd).toBe(0);
  expect(other?.unpricedTokens).toBe((other?.promptTokens ?? 0) + (other?.completionTokens ?? 0));
  expect(report.prices).toEqual([{ model: 'paid' }]);
  // From the cache, the same.
  expect(await show()).toEqual(report);
});

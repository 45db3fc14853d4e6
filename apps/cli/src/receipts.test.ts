import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRuntime, toAddress } from '../../../packages/core/src/index.ts';
import { proveWorkRequests } from '../../../packages/core/src/session/show-context.ts';
import { startFakeProvider } from '../../../packages/core/src/testing/models/fake-provider.ts';
import { textReply, toolCallReply } from '../../../packages/core/src/testing/models/provider-replies.ts';
import { samplePackage } from '../../../packages/core/src/testing/packages/sample-package.ts';
import { validationContext } from './context.ts';
import { attach, createCliRig } from './testing/cli-rig.ts';
import { readOldStore, writeOldStore } from './testing/old-store.ts';

async function completedRun() {
  const rig = await createCliRig();
  const leave = (nodeId: string, next?: string) =>
    toolCallReply([{ name: 'runtime_complete_node', arguments: { nodeId, next } }]);
  const provider = attach(
    await startFakeProvider([
      toolCallReply([{ name: 'fs_list', arguments: { path: '@project' } }]),
      leave('step-01', 'end-99'),
      leave('end-99'),
      textReply('Done.'),
    ]),
  );
  const pkg = await rig.write('sample', samplePackage());
  const { code } = await rig.run('run', pkg, '-p', 'project', ...provider.options);
  expect(code).toBe(0);
  return { rig, provider };
}

describe('what a model was sent', () => {
  it('is rebuilt byte for byte from the log, and equals what the provider received', async () => {
    const { rig, provider } = await completedRun();
    const sent = provider.requests.map(({ body }) => body as { tools: unknown; messages: unknown });
    for (const [index, { tools, messages }] of sent.entries()) {
      const turn = String(index + 1);
      const { out: raw, code } = await rig.run('show', 'last', '--request', turn, '--raw');
      expect([code, JSON.parse(raw)]).toEqual([0, { tools, messages }]);
      const shown = JSON.parse((await rig.run('show', 'last', '--request', turn, '--json')).out) as object;
      expect(shown).toMatchObject({
        turn: index + 1,
        turns: sent.length,
        isProved: true,
        sha256: createHash('sha256').update(raw).digest('hex'),
        body: raw,
      });
    }
    const { out } = await rig.run('show', 'last', '--request', '2');
    expect(out).toMatch(/^Request 2 of 4 .*step-01.*\n {2}✔ proved/);
    expect(out).toContain('── Current step (user) ──');
    // Inside of a node a request extends the one before.
    const { out: diff } = await rig.run('show', 'last', '--request', '2', '--diff', '1');
    expect(diff.split('\n').filter((line) => /^-(?!--)/.test(line))).toEqual([]);
    expect(diff).toMatch(/^\+.*fs_list/m);
    expect((await rig.run('show', 'last', '--request', '2', '--diff', '2')).out).toBe(
      'Both requests say the same.\n',
    );
    const missing = await rig.run('show', 'last', '--request', '9');
    expect([missing.code, missing.err]).toEqual([
      2,
      expect.stringContaining('no request 9: the last one is number 4'),
    ]);
  });

  it('texts that repeat are in the log once', async () => {
    const { rig } = await completedRun();
    const { out } = await rig.run('show', 'last', '--log', '--json');
    const events = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; frameId?: string; frame?: object })
      .filter(({ type }) => type === 'turn.started');
    const frames = events.filter(({ frame }) => frame).map(({ frameId }) => frameId);
    expect(events.length).toBeGreaterThan(frames.length);
    expect(new Set(frames).size).toBe(frames.length);
    expect(new Set(events.map(({ frameId }) => frameId))).toEqual(new Set(frames));
  });

  it('is proved for every request of a store that has hashes and no frames', async () => {
    const rig = await createCliRig();
    await writeOldStore(await readOldStore('old-requests'), rig.folder);
    const { store } = createRuntime({ storeRoot: rig.store, onBug: () => undefined });
    const options = { store, context: validationContext, now: () => new Date('2027-01-15T10:00:00.000Z') };
    let proved = 0;
    for (const { record } of await store.works.list()) {
      if (!record) continue;
      const proofs = await proveWorkRequests(toAddress(record), options);
      expect(proofs).toMatchObject({ unproved: [], unhashed: [] });
      proved += proofs.proved.length;
    }
    expect(proved).toBe(43);
    const shown = await rig.run('show', '80d8e5eb', '--request', '2');
    expect([shown.code, shown.out]).toEqual([0, expect.stringMatching(/^Request 2 of 20 .*\n {2}✔ proved/)]);
  });

  it('is found for workflows that the run called', async () => {
    const rig = await createCliRig();
    await writeOldStore(await readOldStore('old-requests'), rig.folder);
    const missing = await rig.run('show', '609ea3b8', '--request', '11');
    expect([missing.code, missing.err]).toEqual([
      2,
      expect.stringContaining('the last one is number 10. Workflows that it called have their own: '),
    ]);
    const id = /(\w{8}) \("Dish", 5\)/.exec(missing.err)?.[1] ?? '';
    const shown = await rig.run('show', '609ea3b8', '--request', '1');
    expect(shown.out).toContain(`crewagent show ${id} --request 1`);
    expect((await rig.run('show', id, '--request', '5')).out).toMatch(/^Request 5 of 5 /);
  });

  it('is said in the language of the terminal', async () => {
    const rig = await createCliRig({ LC_ALL: 'zh_CN.UTF-8' });
    await writeOldStore(await readOldStore('old-requests'), rig.folder);
    const { out } = await rig.run('show', '312477e8', '--request', '1');
    expect(out).toMatch(/^第 1 个请求，共 1 个 .*\n {2}✔ 已证实/);
    expect(out).toContain('── 当前步骤 (user) ──');
  });

  it('is not proved if the log was changed', async () => {
    const { rig } = await completedRun();
    const log = join(await rig.lastRun(), 'logs/execution.jsonl');
    const text = await readFile(log, 'utf8');
    await writeFile(log, text.replace('You are', 'You were'));
    const { code, out } = await rig.run('show', 'last', '--request', '1');
    expect([code, out]).toEqual([1, expect.stringContaining('not what was sent')]);
  });
});

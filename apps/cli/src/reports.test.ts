import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RehearsalReport } from '@crewagent/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Outcome, ROOT, type Running, startCommand } from './testing/running-command.ts';
import { tempDir } from './testing/temp-dir.ts';

const examples = join(ROOT, 'examples');

/** A working folder with its own store and temporary folder. */
function createCommands() {
  const cwd = tempDir();
  const temp = join(cwd, 'temp');
  mkdirSync(temp);
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) vi.stubEnv(name, temp);
  const env = {
    ...process.env,
    CREWAGENT_HOME: join(cwd, 'store'),
    FORCE_COLOR: undefined,
    CREWAGENT_MODEL: undefined,
  };
  const start = (...args: string[]): Running => startCommand(args, { cwd, env });
  const crewagent = (...args: string[]): Promise<Outcome> => start(...args).ended;
  return { cwd, temp, start, crewagent };
}

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A copy of the package that `new` creates, whose first step cannot be left. */
async function writeStuckPackage(
  cwd: string,
  crewagent: (...args: string[]) => Promise<Outcome>,
): Promise<void> {
  await crewagent('new', 'stuck');
  const file = join(cwd, 'stuck', 'workflow.graph.json');
  const graph = JSON.parse(readFileSync(file, 'utf8')) as { edges: unknown[] };
  // Two indistinguishable edges: a run cannot choose between them.
  writeFileSync(file, JSON.stringify({ ...graph, edges: graph.edges.flatMap((edge) => [edge, edge]) }));
}

describe('rehearse', () => {
  it('[X1] prints a line per workflow and exits with 0', async () => {
    const { temp, crewagent } = createCommands();
    const { code, out, err } = await crewagent('rehearse', join(examples, 'multi-workflows'));
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const [, head, linear, record, ...rest] = out.split('\n');
    expect(head).toMatch(/^ {2}workflow +nodes +edges +halts +checks +runs +warnings$/);
    // All halts and checks of the examples are covered.
    expect(linear).toMatch(/^ {2}hello-linear +3\/3 +2\/2 +(\d+)\/\1 +(\d+)\/\2 +1 +0$/);
    expect(record).toMatch(/^ {2}decision-record +6\/6 +6\/6 +(\d+)\/\1 +(\d+)\/\2 +2 +0$/);
    expect(rest).toEqual(['']);
    expect(readdirSync(temp)).toEqual([]);
  });

  it('[X1] prints the whole report as one line of JSON', async () => {
    const { crewagent } = createCommands();
    const { code, out } = await crewagent(
      'rehearse',
      join(examples, 'create-story-micro'),
      '--project',
      join(examples, 'demo-project'),
      '--json',
    );
    expect([code, out.trimEnd().split('\n').length]).toEqual([0, 1]);
    const report = JSON.parse(out) as RehearsalReport;
    expect(report).toMatchObject({ ok: true, workflows: [{ ok: true, nodes: { covered: 6, total: 6 } }] });
  });

  it('[X1] exits with 1 and lists what was missed', async () => {
    const { cwd, crewagent } = createCommands();
    await writeStuckPackage(cwd, crewagent);
    const { code, out } = await crewagent('rehearse', 'stuck');
    expect(code).toBe(1);
    expect(out).toMatch(/missed {2}edge \S+ → \S+ \(next\): a run could not continue from/);
    expect(out).toMatch(/stopped run 1 /);
    expect(out).toMatch(/\n {2}failed: \d+ runs? did not complete, \d+ nodes or edges not covered\n$/);
  });

  it('[K32] says which files that steps name are missing', async () => {
    const { cwd, crewagent } = createCommands();
    await crewagent('new', 'mine');
    const [step = ''] = readdirSync(join(cwd, 'mine/steps')).sort();
    const file = join(cwd, 'mine/steps', step);
    const text = `${readFileSync(file, 'utf8').trimEnd()}\n`;
    writeFileSync(file, `${text}Read @pkg/assets/form.md.\n`);
    const where = { file: `steps/${step}`, line: text.split('\n').length };
    const { code, out } = await crewagent('rehearse', 'mine');
    expect(code).toBe(1);
    expect(out).toContain(
      `\n  failed: 1 file that steps name is not in the package\n    ${where.file}:${where.line}  `,
    );
    const { failures } = JSON.parse((await crewagent('rehearse', 'mine', '--json')).out) as RehearsalReport;
    expect(failures).toMatchObject([{ kind: 'missing-file', ...where }]);
  });

  it('[K41] tries a package as readers: 1 if a lazy one completes it, with the steps that prove nothing', async () => {
    const { cwd, temp, crewagent } = createCommands();
    await crewagent('new', 'chain');
    writeChain(join(cwd, 'chain'), 2);
    const { code, out } = await crewagent('rehearse', 'chain', '--as', 'lazy', '--as', 'literal');
    expect(code).toBe(1);
    expect(out.split('\n').slice(1)).toEqual([
      '  workflow     as       nodes  turns  result',
      '  workflow.md  lazy     2/2    3      completed',
      '  workflow.md  literal  2/2    3      completed',
      '',
      '  workflow.md, lazy',
      '  got away n0: nothing to prove chain/n0.md',
      '  got away n1: nothing to prove chain/n1.md',
      '',
      '  failed: a lazy model can complete 1 workflow',
      '    workflow.md: a lazy model can complete it: these steps prove nothing: n0, n1. Add produces or waits to their frontmatter.',
      '',
    ]);
    expect(readdirSync(temp)).toEqual([]);
  });

  it('[K41] rejects another reader, and prints the trials of all of them as JSON', async () => {
    const { crewagent } = createCommands();
    const story = join(examples, 'create-story-micro');
    const refused = await crewagent('rehearse', story, '--as', 'clever');
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toContain('lazy, literal, asking, all');
    const { code, out } = await crewagent('rehearse', story, '--as', 'all', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      ok: true,
      workflows: [],
      trials: [
        { as: 'lazy', isCompleted: false, stop: { code: 'E_OUTPUT_INCOMPLETE' } },
        { as: 'literal', isCompleted: true },
        { as: 'asking', isCompleted: true },
      ],
    });
  });

  it('[X1] exits with 2 and diagnostics for an invalid package', async () => {
    const { cwd, crewagent } = createCommands();
    mkdirSync(join(cwd, 'empty'));
    const refused = await crewagent('rehearse', 'empty');
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toContain('NOT_A_PACKAGE');
    for (const args of [['nowhere'], [join(examples, 'hello-branch'), '--workflow', 'x']])
      expect(await crewagent('rehearse', ...args)).toMatchObject({ code: 2, out: '' });
    expect(existsSync(join(cwd, 'store'))).toBe(false);
  });

  it('[X1] exits with 130 on interrupt and leaves no files behind', async () => {
    const { cwd, temp, start, crewagent } = createCommands();
    await crewagent('new', 'long');
    writeChain(join(cwd, 'long'), 80);
    const rehearsal = start('rehearse', 'long', '--json');
    while (readdirSync(temp).length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    rehearsal.kill('SIGINT');
    const { code, out } = await rehearsal.ended;
    expect(code).toBe(130);
    expect(JSON.parse(out)).toMatchObject({ ok: false, isStopped: true });
    expect(readdirSync(temp)).toEqual([]);
  });
});

describe('export', () => {
  it('[X20] prints Markdown, derives the format from the file name, and overwrites only with --force', async () => {
    const { cwd, crewagent } = createCommands();
    mkdirSync(join(cwd, 'project'));
    const story = join(examples, 'create-story-micro');
    const ran = await crewagent('run', story, '--rehearsal', '-p', 'project', '-i', 'story 1.2');
    expect(ran).toMatchObject({ code: 0 });
    const printed = await crewagent('export', 'last');
    expect([printed.code, printed.err]).toEqual([0, '']);
    expect(printed.out).toMatch(/^# Create a story\n/);
    expect((await crewagent('export', 'last', '--format', 'json')).out).toMatch(
      /^\{\n {2}"format": "crewagent-run"/,
    );
    for (const [name, start] of [
      ['run.md', '# Create a story'],
      ['run.html', '<!doctype html>'],
      ['run.json', '{'],
    ] as const) {
      expect(await crewagent('export', 'last', '-o', name)).toMatchObject({ code: 0, err: '' });
      const text = readFileSync(join(cwd, name), 'utf8');
      expect(text.startsWith(start)).toBe(true);
      expect(text).not.toContain(cwd);
    }
    expect(readdirSync(cwd).filter((name) => name.startsWith('.'))).toEqual([]);

    // A file is overwritten only with --force, and an unknown extension is rejected.
    writeFileSync(join(cwd, 'run.md'), 'mine');
    expect(await crewagent('export', 'last', '-o', 'run.md')).toMatchObject({ code: 2, out: '' });
    expect(readFileSync(join(cwd, 'run.md'), 'utf8')).toBe('mine');
    expect(await crewagent('export', 'last', '-o', 'run.md', '--force')).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, 'run.md'), 'utf8')).toMatch(/^# Create a story/);
    expect((await crewagent('export', 'last', '-o', 'run.txt')).err).toContain('--format');
    expect(await crewagent('export', 'last', '-o', 'run.txt', '--format', 'md')).toMatchObject({ code: 0 });
    expect(await crewagent('export', 'nobody')).toMatchObject({ code: 2 });
  });
});

/** Replaces the package's workflow by a chain of `length` steps. */
function writeChain(folder: string, steps: number): void {
  const ids = Array.from({ length: steps }, (_, index) => `n${index}`);
  const manifest = JSON.parse(readFileSync(join(folder, 'bmad.json'), 'utf8')) as {
    entry: { graph: string };
  };
  const nodes = ids.map((id, index) => ({
    id,
    type: index === steps - 1 ? 'end' : 'step',
    file: `chain/${id}.md`,
  }));
  const edges = ids
    .slice(1)
    .map((id, index) => ({ from: ids[index], to: id, label: 'next', isDefault: true }));
  mkdirSync(join(folder, 'chain'));
  for (const { id, type, file } of nodes)
    writeFileSync(
      join(folder, file),
      `---\nschemaVersion: "1.1"\nnodeId: ${id}\ntype: ${type}\n---\n\n# ${id}\n`,
    );
  const graph = { schemaVersion: '1.1', entryNodeId: 'n0', nodes, edges };
  writeFileSync(join(folder, manifest.entry.graph), JSON.stringify(graph));
}

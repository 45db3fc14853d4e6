import { readdir, readFile, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { VERSION } from '@crewagent/protocol/version';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { errnoOf } from '../base/errno.ts';
import { importPackage } from '../bmad/import-package.ts';
import { inspectPackage } from '../bmad/load-package.ts';
import { openDiskStore } from '../store/disk/open-store.ts';
import { openUserStore } from '../store/disk/open-user-store.ts';
import { branchingPackage } from '../testing/packages/branching-package.ts';
import { type Bend, first, samplePackage, step } from '../testing/packages/sample-package.ts';
import { readTree, tempFolder, writeTree } from '../testing/temp-folder.ts';
import { COPY_LIMITS } from './project.ts';
import { type RehearsalReport, type RehearsalRequest, rehearsePackage } from './rehearse-package.ts';

const examples = fileURLToPath(new URL('../../../../examples/', import.meta.url));
const context = { runtimeVersion: VERSION, knownServers: new Set<string>() };

afterEach(() => vi.unstubAllEnvs());

type Options = Partial<Omit<RehearsalRequest, 'context'>>;

async function writePackage(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(await tempFolder(), 'package');
  await writeTree(folder, files);
  return folder;
}

async function rehearseFiles(files: Readonly<Record<string, string>>, options: Options = {}) {
  return rehearsePackage({ package: await writePackage(files), context, ...options });
}

/** A package with these edges; ids that start with "end" are ends, with "if" decisions. */
function graphPackage(edges: readonly (readonly [string, string, string?])[], bend: Bend = () => undefined) {
  const ids = [...new Set(edges.flatMap((edge) => [edge[0], edge[1]]))];
  const typeOf = (id: string): string =>
    id.startsWith('end') ? 'end' : id.startsWith('if') ? 'decision' : 'step';
  const files = {
    // The steps of the sample itself, which this graph does not have.
    'steps/step-01.md': undefined,
    'steps/end-99.md': undefined,
    ...Object.fromEntries(ids.map((id) => [`steps/${id}.md`, step(id, typeOf(id))])),
  };
  return samplePackage((documents) => {
    documents.graph.entryNodeId = first(ids);
    documents.graph.nodes = ids.map((id) => ({ id, type: typeOf(id), file: `steps/${id}.md` }));
    documents.graph.edges = edges.map(([from, to, label = 'next']) => ({ from, to, label }));
    bend(documents);
  }, files);
}

function only({ workflows }: RehearsalReport) {
  return first(workflows);
}

function missedOf(report: RehearsalReport): string[] {
  return only(report).missed.map((entry) =>
    entry.kind === 'node'
      ? `${entry.id}: ${entry.reason}`
      : `${entry.from} ${entry.to} ${entry.label}: ${entry.reason}`,
  );
}

/** A private folder for temp files, so that leftovers can be detected. */
async function ownTemp(): Promise<string> {
  const folder = await tempFolder();
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) vi.stubEnv(name, folder);
  return folder;
}

describe('coverage', () => {
  it.each([
    ['create-story-micro', [['workflow.md', 6, 5, 1]]],
    ['create-story-micro-zh', [['workflow.md', 6, 5, 1]]],
    ['hello-branch', [['workflow.md', 5, 5, 2]]],
    ['hello-branch-zh', [['workflow.md', 5, 5, 2]]],
    [
      'multi-workflows',
      [
        ['hello-linear', 3, 2, 1],
        ['decision-record', 6, 6, 2],
      ],
    ],
  ])('[X1] %s is covered completely', async (name, expected) => {
    const report = await rehearsePackage({ package: join(examples, name), context });
    expect(report.ok).toBe(true);
    expect(
      report.workflows.map(({ ref, nodes, edges, runs }) => [ref, nodes.covered, edges.covered, runs.length]),
    ).toEqual(expected);
    for (const { nodes, edges, missed, runs } of report.workflows) {
      expect([nodes.covered, edges.covered, missed]).toEqual([nodes.total, edges.total, []]);
      expect(runs.map(({ phase, warnings }) => [phase, warnings])).toEqual(runs.map(() => ['Completed', []]));
    }
  });

  it('[X1] only the named workflow is rehearsed, including its loop', async () => {
    const report = await rehearsePackage({
      package: join(examples, 'multi-workflows'),
      workflow: 'decision-record',
      context,
    });
    expect(report.workflows.map(({ ref }) => ref)).toEqual(['decision-record']);
    expect(only(report).runs.map(({ path }) => path.filter((id) => id === 'step-03-draft').length)).toEqual([
      1, 2,
    ]);
  });

  it('[X1] edges are distinguished by label and by target', async () => {
    const files = graphPackage([
      ['if-1', 'b', 'go'],
      ['if-1', 'c', 'go'],
      ['if-1', 'c', 'Run'],
      ['b', 'end', 'next'],
      ['c', 'end', 'next'],
    ]);
    const report = await rehearseFiles(files);
    expect([report.ok, only(report).edges]).toEqual([true, { covered: 5, total: 5 }]);
    expect(only(report).runs).toHaveLength(3);
  });

  it('[X1] a workflow of one node is rehearsed once', async () => {
    const report = await rehearseFiles(
      samplePackage(({ graph }) => {
        graph.nodes = graph.nodes.slice(0, 1);
        graph.edges = [];
      }),
    );
    expect([report.ok, only(report).nodes, only(report).runs.length]).toEqual([
      true,
      { covered: 1, total: 1 },
      1,
    ]);
  });

  it('[X1] both edges of a decision without a default are followed', async () => {
    const report = await rehearseFiles(
      graphPackage([
        ['if-1', 'b', 'left'],
        ['if-1', 'c', 'right'],
        ['b', 'end'],
        ['c', 'end'],
      ]),
    );
    expect(report.diagnostics.map(({ code }) => code)).toEqual(['DECISION_WITHOUT_DEFAULT']);
    expect([report.ok, missedOf(report)]).toEqual([true, []]);
  });
});

describe('missed nodes and edges', () => {
  it('[X1] unreachable nodes and edges, edges after an end, and self-loops are listed but do not fail the package', async () => {
    const report = await rehearseFiles(
      graphPackage([
        ['a', 'end'],
        ['a', 'a', 'again'],
        ['end', 'a', 'anew'],
        ['lost', 'end'],
      ]),
    );
    expect(report.ok).toBe(true);
    expect(missedOf(report)).toEqual([
      'lost: unreachable',
      'a a again: stays',
      'end a anew: behind-end',
      'lost end next: unreachable',
    ]);
    expect(only(report).nodes).toEqual({ covered: 2, total: 3 });
  });

  it('[X1] a node that no run can leave is tried once for each of its edges', async () => {
    // Two identical edges: a run cannot say which one it follows.
    const report = await rehearseFiles(
      graphPackage([
        ['a', 'b'],
        ['b', 'c', 'same'],
        ['b', 'c', 'same'],
        ['c', 'end'],
        ['a', 'end', 'short'],
      ]),
    );
    expect(report.ok).toBe(false);
    expect(missedOf(report)).toEqual(['b: failed', 'c: failed', 'b c same: failed', 'c end next: failed']);
    const [same] = only(report).missed.filter((entry) => entry.kind === 'edge');
    expect(same?.message).toMatch(/^a run could not continue from "b": /);
    expect(only(report).runs.map(({ path, phase }) => [path.join(' '), phase])).toEqual([
      ['a b', 'WaitingUser'],
      ['a end', 'Completed'],
    ]);
  });

  it('[X1] a cycle without an exit is followed once and then stopped', async () => {
    const report = await rehearseFiles(
      graphPackage([
        ['a', 'b'],
        ['b', 'c'],
        ['c', 'b', 'again'],
      ]),
    );
    const { ok, edges, runs } = only(report);
    expect([ok, edges]).toEqual([false, { covered: 3, total: 3 }]);
    expect(runs.map(({ path, reason }) => [path.join(' '), reason?.code])).toEqual([
      ['a b c b', 'no-way-out'],
    ]);
  });

  it('[X1] the number of runs is limited, and the rest is reported', async () => {
    const branches = ['b', 'c', 'd', 'e'];
    const files = graphPackage(branches.flatMap((id) => [['if-1', id, id] as const, [id, 'end'] as const]));
    const report = await rehearseFiles(files, { maxRuns: 3 });
    expect([report.ok, only(report).runs.length]).toEqual([false, 3]);
    expect(missedOf(report)).toEqual(['e: limit', 'if-1 e e: limit', 'e end next: limit']);
  });

  it('[X1] a run that deviates from its route is stopped', async () => {
    // Label and target of the second edge also occur in the first one.
    const files = graphPackage([
      ['if-1', 'b', 'go'],
      ['if-1', 'b', 'GO'],
      ['b', 'end'],
    ]);
    const report = await rehearseFiles(files);
    expect(missedOf(report)).toEqual(['if-1 b GO: failed']);
    expect(only(report).runs.map(({ reason }) => reason?.code)).toEqual([undefined, 'another-way']);
  });
});

describe('runs', () => {
  it('[X1] reports the files of each run and what was missing', async () => {
    const files = graphPackage(
      [
        ['a', 'if-1'],
        ['if-1', 'end', 'done'],
        ['if-1', 'stuck', 'away'],
      ],
      ({ graph }) => {
        const [a] = graph.nodes;
        if (a) a.outputs = ['artifacts/a.md', 'notes/{missing}.md', '@pkg/steps/no.md'];
      },
    );
    const report = await rehearseFiles(files);
    expect(report.ok).toBe(true);
    const [straight, away] = only(report).runs;
    expect(straight).toMatchObject({ path: ['a', 'if-1', 'end'], phase: 'Completed' });
    expect(straight?.files).toEqual(['artifacts/a.md']);
    expect(straight?.turns).toBeGreaterThan(3);
    expect(straight?.warnings.map(({ code }) => code)).toEqual([
      'TOOL_ARGS_INVALID',
      'E_SANDBOX_VIOLATION',
      'OUTPUT_MISSING',
    ]);
    expect(straight?.warnings.at(-1)?.message).toContain('without its declared output @pkg/steps/no.md');
    expect(away?.path).toEqual(['a', 'if-1', 'stuck']);
    expect(away?.warnings.map(({ code }) => code)).toContain('dead-end');
  });

  it('[X1] questions of every kind are answered', async () => {
    const questions = [
      { id: 'name', prompt: 'Name?', type: 'text' },
      { id: 'size', prompt: 'Size?', type: 'choice', options: ['small', 'large'] },
      { id: 'days', prompt: 'Days?', type: 'multi', options: ['mon', 'tue'] },
      { id: 'sure', prompt: 'Sure?', type: 'confirm' },
      {
        id: 'more',
        prompt: 'More?',
        type: 'form',
        schema: { properties: { age: { type: 'integer' }, kind: { enum: ['x', 'y'] }, free: {} } },
      },
    ];
    const asking = `---\nschemaVersion: "1.1"\nnodeId: step-01\ntype: step\nsetsVariables: [size]\noutputs: [artifacts/answers.json]\n---\n\nWAIT\n\n\`\`\`json\n${JSON.stringify({ questions })}\n\`\`\`\n`;
    const project = await tempFolder();
    const files = samplePackage(undefined, { 'steps/step-01.md': asking });
    const report = await rehearseFiles(files, { projectPath: project });
    expect([report.ok, only(report).runs[0]?.files]).toEqual([true, ['artifacts/answers.json']]);
    expect(await readdir(project)).toEqual([]);
  });

  it('[K32] every option of a letter menu is chosen, those that lead on last', async () => {
    const menu = `${step('step-01')}Show: [C] Continue [A] Ask deeper questions [P] Hear other voices\nALWAYS halt and wait for user input.\n`;
    const report = await rehearseFiles(samplePackage(undefined, { 'steps/step-01.md': menu }));
    expect(report.ok).toBe(true);
    expect(only(report).runs.map(({ choices }) => choices.map(({ option }) => option.slice(0, 3)))).toEqual([
      ['[A]', '[P]', '[C]'],
    ]);
    const files = samplePackage(undefined, { 'steps/step-01.md': menu });
    const answered = await rehearseFiles(files, { answers: new Map([['step-01', 'ｃ']]) });
    expect(answered.ok).toBe(true);
    expect(only(answered).runs.map(({ choices }) => choices)).toEqual([[]]);
  });

  it('[K32] options that lead on do not hide the others', async () => {
    const files = graphPackage(
      [
        ['a', 'b', 'revise'],
        ['a', 'end', 'accept'],
        ['b', 'end'],
      ],
      () => undefined,
    );
    files['steps/a.md'] = `${step('a')}[R] Revise [D] Show a diff [A] Accept\n`;
    const report = await rehearseFiles(files);
    expect(report.ok).toBe(true);
    const options = only(report).runs.flatMap(({ choices }) => choices.map(({ option }) => option));
    expect(new Set(options)).toEqual(new Set(['[R] Revise', '[D] Show a diff', '[A] Accept']));
  });

  it('[K32] a missing file that a step names fails the rehearsal', async () => {
    const naming = `${step('step-01')}Fill in ./form.md and assets/none.md.\n`;
    const files = samplePackage(undefined, { 'steps/step-01.md': naming, 'assets/form.md': '# Form\n' });
    const report = await rehearseFiles(files);
    expect(report.ok).toBe(false);
    expect(report.failures).toMatchObject([{ kind: 'missing-file', file: 'steps/step-01.md', line: 8 }]);
    expect(only(report).runs[0]).toMatchObject({
      phase: 'Completed',
      warnings: [
        {
          code: 'broken-reference',
          message: 'A step names "@pkg/assets/none.md", which is not in the package.',
        },
      ],
    });
    const whole = await rehearseFiles({ ...files, 'assets/none.md': '# Here\n' });
    expect([whole.ok, only(whole).runs[0]?.warnings]).toEqual([true, []]);
  });

  it('[K32] a missing step fails the rehearsal', async () => {
    const naming = `${step('step-01')}Then load ./step-07-none.md.\n`;
    const report = await rehearseFiles(samplePackage(undefined, { 'steps/step-01.md': naming }));
    expect([report.ok, only(report).ok]).toEqual([false, true]);
    expect(report.diagnostics.map(({ code }) => code)).toEqual(['REFERENCE_MISSING']);
  });

  it('[X1] a run that only waits gets a message, three times', async () => {
    const report = await rehearseFiles(
      graphPackage([
        ['a', 'end', 'same'],
        ['a', 'end', 'same'],
      ]),
    );
    expect(only(report).runs).toMatchObject([
      { path: ['a'], phase: 'WaitingUser', reason: { code: 'reply' } },
    ]);
  });
});

describe('steps with checks', () => {
  it('are rehearsed: what a rehearsal cannot prove is waived, and missing inputs are done without', async () => {
    const keys = `waits: true
consumes: [docs/none.md]
produces:
  - {path: artifacts/a.md, headings: [Goals], minWords: 40, notContains: ["{{"]}
  - {path: artifacts/list.csv, columns: [id, title]}
  - {path: artifacts/b.json, schema: assets/b.schema.json}
verify: [{run: npm test}]
`;
    const schema = JSON.stringify({ type: 'object', required: ['status'] });
    const report = await rehearseFiles(
      samplePackage(undefined, {
        'steps/step-01.md': step('step-01', 'step', keys),
        'assets/b.schema.json': schema,
      }),
    );
    expect(only(report).runs).toMatchObject([{ phase: 'Completed', path: ['step-01', 'end-99'] }]);
    expect(report.ok).toBe(true);
  });
});

describe('traces', () => {
  it('[X1] nothing is left in the temp folder, and project and store are unchanged', async () => {
    const store = openDiskStore(join(await tempFolder(), 'store'));
    const { package: installed } = await importPackage(join(examples, 'hello-branch'), store, context);
    const project = await tempFolder();
    await writeTree(project, {
      'docs/a.md': 'a',
      '.env': 'KEY=1',
      'node_modules/x/index.js': 'x',
      '.git/config': 'x',
    });
    await symlink(store.root, join(project, 'link'));
    const [storeBefore, projectBefore] = [await readTree(store.root), await readTree(project)];
    const temp = await ownTemp();
    const seen: string[] = [];
    const report = await rehearsePackage({
      package: installed.hash.slice(0, 12),
      store,
      projectPath: project,
      context,
      onProgress: ({ workflow, number, run, edges }) =>
        seen.push(`${workflow} ${number} ${run.phase} ${edges.covered}/${edges.total}`),
    });
    expect([report.ok, report.package.hash]).toEqual([true, installed.hash]);
    expect(seen).toEqual(['workflow.md 1 Completed 3/5', 'workflow.md 2 Completed 5/5']);
    expect(await readdir(temp)).toEqual([]);
    expect(await readTree(store.root)).toEqual(storeBefore);
    expect(await readTree(project)).toEqual(projectBefore);
  });

  it('[X1] a project is copied for each run, without secret and ignored files', async () => {
    const project = await tempFolder();
    await writeTree(project, { 'docs/a.md': 'text', '.env': 'KEY=1', 'node_modules/x.md': 'x' });
    const files = samplePackage(({ graph }) => {
      first(graph.nodes).inputs = ['docs/a.md', 'node_modules/x.md', '.env'];
      first(graph.nodes).outputs = ['docs/a.md'];
    });
    const report = await rehearseFiles(files, { projectPath: project });
    expect(only(report).runs[0]?.files).toEqual(['docs/a.md']);
    expect((await readTree(project))['docs/a.md']).toBe('text');
  });

  it('[X1] nothing is left after an error', async () => {
    const temp = await ownTemp();
    const missing = join(examples, 'nowhere');
    await expect(
      rehearsePackage({ package: join(examples, 'hello-branch'), projectPath: missing, context }),
    ).rejects.toMatchObject({ code: 'FOLDER_NOT_FOUND' });
    expect(await readdir(temp)).toEqual([]);
  });

  it('[X1] a project that is too large is rejected', async () => {
    const project = await tempFolder();
    await writeFile(join(project, 'huge'), '');
    await truncate(join(project, 'huge'), COPY_LIMITS.bytes + 1);
    const temp = await ownTemp();
    await expect(
      rehearsePackage({ package: join(examples, 'hello-branch'), projectPath: project, context }),
    ).rejects.toMatchObject({ code: 'USAGE', message: expect.stringContaining('too large') as string });
    expect(await readdir(temp)).toEqual([]);
  });

  it('[X1] a stop between two runs ends the rehearsal with a partial report', async () => {
    const temp = await ownTemp();
    const controller = new AbortController();
    const report = await rehearsePackage({
      package: join(examples, 'hello-branch'),
      context,
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    expect([report.ok, report.isStopped, only(report).runs.length]).toEqual([false, true, 1]);
    expect(new Set(only(report).missed.map(({ reason }) => reason))).toEqual(new Set(['stopped']));
    expect(await readdir(temp)).toEqual([]);
  });

  it('[X1] a stop during a run ends it', async () => {
    const chain = Array.from({ length: 60 }, (_, index) => [`n${index}`, `n${index + 1}`] as const);
    const folder = await writePackage(graphPackage(chain));
    const temp = await ownTemp();
    const controller = new AbortController();
    const rehearsing = rehearsePackage({ package: folder, context, signal: controller.signal });
    await Promise.race([rehearsing, untilTurn(temp)]);
    controller.abort();
    const report = await rehearsing;
    expect([report.isStopped, only(report).runs.map(({ phase, reason }) => [phase, reason?.code])]).toEqual([
      true,
      [['WaitingUser', 'stopped']],
    ]);
    expect(await readdir(temp)).toEqual([]);
  });

  it('[X1] a rehearsal that is stopped before it starts runs nothing', async () => {
    const temp = await ownTemp();
    const report = await rehearsePackage({
      package: join(examples, 'hello-branch'),
      context,
      signal: AbortSignal.abort(),
    });
    expect([report.ok, report.isStopped, report.workflows]).toEqual([false, true, []]);
    expect(await readdir(temp)).toEqual([]);
  });

  it('[X1] the same package gives the same report', async () => {
    const reports = [await rehearseFiles(branchingPackage()), await rehearseFiles(branchingPackage())];
    expect(reports[1]).toEqual(reports[0]);
    expect(JSON.stringify(reports[0])).not.toMatch(/\d{4}-\d\d-\d\dT/);
  });
});

describe('bad input', () => {
  it('[X1] an invalid package gets the findings of validate', async () => {
    const folder = await writePackage(
      samplePackage(({ graph }) => {
        graph.entryNodeId = 'nowhere';
      }),
    );
    const { diagnostics } = await inspectPackage(folder, context);
    await expect(rehearsePackage({ package: folder, context })).rejects.toMatchObject({
      code: 'PACKAGE_INVALID',
      details: { diagnostics },
    });
  });

  it('[X1] a missing package or folder is reported as one error', async () => {
    const storeRoot = join(await tempFolder(), 'store');
    const store = openUserStore(storeRoot);
    const errorOf = (ref: string, workflow?: string) =>
      rehearsePackage({ package: ref, workflow, store, context }).catch(
        (error: { code: string }) => error.code,
      );
    expect(await errorOf('some-id')).toBe('PACKAGE_NOT_FOUND');
    expect(await errorOf('./nowhere.bmad')).toBe('PACKAGE_NOT_FOUND');
    expect(await errorOf(join(examples, 'hello-branch'), 'other')).toBe('WORKFLOW_NOT_FOUND');
    await expect(readdir(storeRoot)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

/** Resolves when the first run has left its first node. */
async function untilTurn(temp: string): Promise<void> {
  const onlyIn = async (...parts: string[]): Promise<string> => {
    const names = await readdir(join(temp, ...parts));
    return join(...parts, names.find((name) => !name.startsWith('.')) ?? 'nothing');
  };
  for (;;) {
    try {
      const run = await onlyIn(await onlyIn(), 'works');
      const state = await readFile(join(temp, run, 'state', 'workflow.md'), 'utf8');
      if (!state.includes('currentNodeId: n0\n')) return;
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
    }
    await setTimeout(1);
  }
}

describe('a package whose workflows call each other', () => {
  it('is rehearsed at every depth, and covered completely', async () => {
    const report = await rehearsePackage({
      package: join(examples, 'supper-plan'),
      context,
    });
    expect(report.workflows.map(({ ref, ok, nodes, edges }) => [ref, ok, nodes, edges])).toEqual([
      ['workflow.md', true, { covered: 3, total: 3 }, { covered: 3, total: 3 }],
      ['subflows/dish/workflow.md', true, { covered: 4, total: 4 }, { covered: 4, total: 4 }],
      ['subflows/tasting/workflow.md', true, { covered: 2, total: 2 }, { covered: 1, total: 1 }],
    ]);
    expect(report.workflows[0]?.runs[0]?.files).toContain('artifacts/supper/tasting.md');
    expect(report.ok).toBe(true);
  });

  it('a named workflow is rehearsed with those that it calls', async () => {
    const { workflows } = await rehearsePackage({
      package: join(examples, 'supper-plan'),
      workflow: 'subflows/dish/workflow.md',
      context,
    });
    expect(workflows.map(({ ref }) => ref)).toEqual([
      'subflows/dish/workflow.md',
      'subflows/tasting/workflow.md',
    ]);
  });
});

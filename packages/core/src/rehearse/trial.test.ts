import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { READER_KINDS } from '@crewagent/protocol/reader-trials';
import { VERSION } from '@crewagent/protocol/version';
import { describe, expect, it } from 'vitest';
import { samplePackage, step, workflow } from '../testing/packages/sample-package.ts';
import { playToEnd } from '../testing/rigs/play-as.ts';
import { createRunRig } from '../testing/rigs/run-rig.ts';
import { tempFolder, writeTree } from '../testing/temp-folder.ts';
import { createReader } from './models/reader.ts';
import { createRehearsal } from './models/rehearsal.ts';
import { type RehearsalRequest, rehearsePackage } from './rehearse-package.ts';

const context = { runtimeVersion: VERSION, knownServers: new Set<string>() };

/** A package whose first step has these keys and this text. */
const withStep = (keys: string, text = '', more: Record<string, string> = {}): Record<string, string> =>
  samplePackage(undefined, { 'steps/step-01.md': step('step-01', 'step', keys) + text, ...more });

async function rehearse(
  files: Readonly<Record<string, string>>,
  request: Pick<RehearsalRequest, 'as' | 'signal' | 'onTrial'>,
) {
  const folder = join(await tempFolder(), 'package');
  await writeTree(folder, files);
  return rehearsePackage({ package: folder, context, ...request });
}

const MENU = '\nShow the menu: [A] Ask deeper [C] Continue\n\nHALT and wait for the user.\n';
const FULL = `waits: {for: choice, options: [A, C]}
setsVariables: [storyKey]
consumes: [{path: README.md, read: required}]
produces:
  - {path: "artifacts/{storyKey}.md", headings: [Goals, Risks], minWords: 40, contains: ["Decided by"], notContains: ["TODO", "placeholder"]}
  - {path: "artifacts/lists/*.csv", columns: [id, title]}
  - {path: artifacts/data.json, schema: assets/data.schema.json}
verify: [{run: npm test}]
`;
const SCHEMA = { 'assets/data.schema.json': JSON.stringify({ type: 'object', required: ['status'] }) };
const STEP = { workflow: 'workflow.md', nodeId: 'step-01', file: 'steps/step-01.md' };

describe('a lazy reader', () => {
  it('[K41] completes a workflow that proves nothing, which fails the rehearsal with what it got away with', async () => {
    const files = withStep('outputs: [artifacts/a.md]\n', '\nSay what you think, then wait for the user.\n', {
      'steps/end-99.md': step('end-99', 'end') + MENU,
    });
    const { ok, failures, trials, workflows } = await rehearse(files, { as: ['lazy'] });
    expect([ok, workflows]).toEqual([false, []]);
    expect(failures).toEqual([
      {
        kind: 'lazy-completed',
        workflow: 'workflow.md',
        message:
          'a lazy model can complete it: these steps prove nothing: step-01, end-99. Add produces or waits to their frontmatter.',
      },
    ]);
    const END = { ...STEP, nodeId: 'end-99', file: 'steps/end-99.md' };
    expect(trials).toMatchObject([
      {
        as: 'lazy',
        ok: false,
        isCompleted: true,
        nodes: { covered: 2, total: 2 },
        escapes: [
          { kind: 'nothing-to-prove', ...STEP },
          { kind: 'wait-skipped', ...STEP },
          { kind: 'nothing-to-prove', ...END },
          { kind: 'menu-not-shown', ...END },
          { kind: 'one-byte-file', ...STEP, path: 'artifacts/a.md' },
        ],
        circles: [],
      },
    ]);
  });

  it('[K41] is stopped by a step that waits, and by a file that must have content', async () => {
    const waiting = await rehearse(withStep('waits: true\n'), { as: ['lazy'] });
    expect(waiting).toMatchObject({
      ok: true,
      failures: [],
      trials: [
        {
          ok: true,
          nodes: { covered: 0, total: 2 },
          escapes: [],
          stop: { ...STEP, code: 'E_PERSON_NOT_HEARD', checks: [{ id: 'wait', kind: 'wait' }] },
        },
      ],
    });
    const written = await rehearse(withStep('produces: [{path: artifacts/a.md, minWords: 5}]\n'), {
      as: ['lazy'],
    });
    expect(written.trials).toMatchObject([
      { ok: true, stop: { code: 'E_OUTPUT_INCOMPLETE', checks: [{ kind: 'minWords' }] } },
    ]);
  });

  it('[K41] gets a missing input from the person, with the step, and is stopped by what it does not write', async () => {
    const keys =
      'consumes: [{path: docs/a.md, read: required}]\nproduces: [{path: artifacts/a.md, minWords: 5}]\n';
    const { trials } = await rehearse(withStep(keys), { as: ['lazy'] });
    expect(trials).toMatchObject([
      { isCompleted: false, escapes: [], stop: { checks: [{ kind: 'minWords' }] } },
    ]);
  });

  it('[K41] never reads and never asks, claims a choice, and tries a patch before it gives up', async () => {
    const rig = await createRunRig({ package: withStep(FULL, MENU, SCHEMA), model: createReader('lazy') });
    const stop = await rig.engine.start();
    expect(stop).toMatchObject({ phase: 'WaitingUser' });
    const names = rig.eventsOf('tool.ended').map(({ name }) => name);
    expect(new Set(names)).toEqual(new Set(['fs.write', 'runtime.complete_node', 'fs.apply_patch']));
    expect(rig.engine.memory.state.stepsCompleted).toEqual([]);
  });
});

describe('a literal and an asking reader', () => {
  it('[K41] prove every kind of check, in any form, and hear the person', async () => {
    const { ok, trials } = await rehearse(withStep(FULL, MENU, SCHEMA), { as: ['literal', 'asking'] });
    expect(trials).toMatchObject([
      { as: 'literal', ok: true, nodes: { covered: 2, total: 2 }, circles: [], waived: ['verify: npm test'] },
      { as: 'asking', ok: true, nodes: { covered: 2, total: 2 }, circles: [], waived: ['verify: npm test'] },
    ]);
    expect(ok).toBe(true);
  });

  it('[K41] write real files: a person who looks at them finds what was asked for', async () => {
    const keys = 'produces: [{path: artifacts/a.md, headings: [Goals, Risks], minWords: 40}]\n';
    for (const kind of ['literal', 'asking'] as const) {
      const rig = await createRunRig({ package: withStep(keys, MENU), model: createReader(kind) });
      expect(await playToEnd(rig.engine)).toEqual({ phase: 'Completed' });
      expect(rig.eventsOf('checks.judged')).toMatchObject([{ checks: [{ ok: true }, {}, {}, {}] }]);
      const text = await readFile(join(rig.project, 'artifacts/a.md'), 'utf8');
      expect(text).toMatch(/^## Goals$[\s\S]*^## Risks$/m);
    }
  });

  it('[K41] that cannot leave a step fail the rehearsal, with the step and its refusals', async () => {
    const keys = 'produces: [{path: artifacts/a.md, contains: [Decided], notContains: [Decided]}]\n';
    const { ok, failures, trials } = await rehearse(withStep(keys), { as: ['literal', 'asking'] });
    expect(ok).toBe(false);
    expect(failures).toMatchObject([
      { kind: 'reader-stopped', workflow: 'workflow.md', file: STEP.file },
      { kind: 'reader-stopped' },
    ]);
    expect(failures[0]?.message).toContain('a literal model does not complete it: it stopped at "step-01"');
    expect(trials).toMatchObject([
      {
        stop: { ...STEP, code: 'E_OUTPUT_INCOMPLETE', checks: [{ kind: 'contains' }] },
        circles: [{ ...STEP, refusals: [{ code: 'E_OUTPUT_INCOMPLETE', count: 3 }] }],
      },
      { circles: [STEP] },
    ]);
  });

  it('[K41] have a bounded number of turns', async () => {
    const files = samplePackage(
      ({ graph }) => {
        graph.nodes = ['step-01', 'step-02'].map((id) => ({ id, type: 'step', file: `steps/${id}.md` }));
        graph.edges = [
          { from: 'step-01', to: 'step-02', label: 'next' },
          { from: 'step-02', to: 'step-01', label: 'again' },
        ];
      },
      { 'steps/step-02.md': step('step-02'), 'steps/end-99.md': undefined },
    );
    const { ok, trials } = await rehearse(files, { as: ['literal'] });
    expect(ok).toBe(false);
    expect(trials).toMatchObject([{ isCompleted: false, stop: { code: 'too-many-turns' } }]);
    expect(trials[0]?.turns).toBeLessThan(120);
  });
});

describe('trials', () => {
  it('[X1] are the same each time, also where the name of the project is part of a path', async () => {
    const inputs = 'typedInputs: [{name: title, prompt: Title, default: "{directory_name}"}]\n';
    const files = withStep('outputs: ["artifacts/{title}.md"]\n', MENU, { 'workflow.md': workflow(inputs) });
    const [one, other] = [
      await rehearse(files, { as: READER_KINDS }),
      await rehearse(files, { as: READER_KINDS }),
    ];
    expect(one.trials[0]?.escapes).toContainEqual({
      kind: 'one-byte-file',
      ...STEP,
      path: 'artifacts/project.md',
    });
    expect(other.trials).toEqual(one.trials);
  });

  it('[K41] run in the order of the readers and end with a stop', async () => {
    const controller = new AbortController();
    const seen: string[] = [];
    const { ok, isStopped, trials } = await rehearse(withStep('waits: true\n'), {
      as: READER_KINDS,
      signal: controller.signal,
      onTrial({ as }, { covered, total }) {
        seen.push(`${as} ${covered}/${total}`);
        if (as === 'literal') controller.abort();
      },
    });
    expect(seen).toEqual(['lazy 2/6', 'literal 4/6']);
    expect({ ok, isStopped, trials: trials.length }).toEqual({ ok: false, isStopped: true, trials: 2 });
  });
});

describe('the rehearsal', () => {
  it('[K32] changes a file that an earlier rehearsal left as it would write it', async () => {
    const files = withStep('produces: [{path: artifacts/a.md, change: required, minWords: 20}]\n');
    const before = await createRunRig({ package: files, model: createRehearsal() });
    expect(await before.engine.start()).toEqual({ phase: 'Completed' });
    const left = await readFile(join(before.project, 'artifacts/a.md'), 'utf8');
    const project = { 'artifacts/a.md': left };
    const rig = await createRunRig({ package: files, project, model: createRehearsal() });
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    const text = await readFile(join(rig.project, 'artifacts/a.md'), 'utf8');
    expect(text).toContain('Revision: 2');
    expect(text.replace('Revision: 2\n\n', '')).toBe(left);
  });

  it('[K32] counts the halts where the person was heard and the checks that were met', async () => {
    const { workflows } = await rehearse(withStep(FULL, MENU, SCHEMA), {});
    // The command, and the file that was not there to be read, are waived.
    expect(workflows).toMatchObject([{ halts: { covered: 1, total: 1 }, checks: { covered: 3, total: 5 } }]);
    const plain = await rehearse(withStep(''), {});
    expect(plain.workflows).toMatchObject([{ halts: { covered: 0, total: 0 }, checks: { total: 0 } }]);
  });
});

import { createHash } from 'node:crypto';
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeOf, createToolRig, type ToolRig } from '../../testing/rigs/tool-rig.ts';
import { SAMPLE_GRAPH, SAMPLE_STATE } from '../../testing/sample-run.ts';
import { effectiveNode, validateTransition } from '../../workflow/transition.ts';
import { readWorkflowState } from '../../workflow/workflow-state.ts';

const sha256 = (content: string): string => createHash('sha256').update(content).digest('hex');

function patch(rig: ToolRig, update: unknown, more: object = {}): ReturnType<ToolRig['call']> {
  return rig.call('fs.apply_patch', {
    path: '@state/workflow.md',
    patches: [{ operation: 'updateFrontmatter', update }],
    ...more,
  });
}

const move = (to: string, ...done: string[]) => ({
  currentNodeId: { set: to },
  stepsCompleted: { append: done },
});

describe('the state gate', () => {
  it('[S15] rejects an unreadable proposal with the line and the allowed nodes, and keeps the document', async () => {
    const rig = await createToolRig();
    const cases: [string, string][] = [
      ['# no frontmatter', 'E_INVALID_FRONTMATTER'],
      ['---\na: [\n---\n', 'E_INVALID_FRONTMATTER'],
      [SAMPLE_STATE.replace('stepsCompleted: []', 'stepsCompleted: no'), 'E_SCHEMA_VALIDATION'],
      [SAMPLE_STATE.replace('schemaVersion: "1.1"', 'schemaVersion: 1.1'), 'E_SCHEMA_VALIDATION'],
      [SAMPLE_STATE.replace('currentNodeId: ""', 'currentNodeId: end-99'), 'E_INVALID_TRANSITION'],
      [SAMPLE_STATE.replace('runId: 0190-run', 'runId: other'), 'E_PRECONDITION_FAILED'],
      ['', 'E_INVALID_FRONTMATTER'],
    ];
    for (const [content, code] of cases) {
      const result = await rig.call('fs.write', { path: '@state/workflow.md', content });
      expect(codeOf(result)).toBe(code);
      expect(await rig.stateText()).toBe(SAMPLE_STATE);
      if (code !== 'E_INVALID_FRONTMATTER' || content === '# no frontmatter') {
        expect(result).toMatchObject({
          error: { details: { allowedNext: [{ to: 'decide-02', label: 'next' }] } },
        });
      }
    }
    expect(await readdir(rig.state)).toEqual(['workflow.md']);
  });

  it('[S15] accepts thousands of variables and artifacts at once, new and repeated', async () => {
    const rig = await createToolRig({ stateText: SAMPLE_STATE.replace(' # ours', '') });
    const names = Array.from({ length: 4_000 }, (_, index) => `name_${index}`);
    for (const value of ['first', 'second']) {
      const set = Object.fromEntries(names.map((name) => [name, value]));
      const artifacts = { append: names.map((name) => `artifacts/${name}.md`) };
      expect(await patch(rig, { variables: { set }, artifacts })).toMatchObject({ ok: true });
    }
    const parsed = await readWorkflowState(await rig.stateText());
    if (!parsed.ok) throw new Error(parsed.error.message);
    expect(Object.values(parsed.state.variables).filter((value) => value === 'second')).toHaveLength(4_000);
    expect(parsed.state.artifacts).toHaveLength(4_000);
  });

  it('[S15] names the invalid fields', async () => {
    const rig = await createToolRig();
    const content = SAMPLE_STATE.replace('artifacts: []', 'artifacts: [1]');
    expect(await rig.call('fs.write', { path: 'workflow.md', content })).toMatchObject({
      error: { details: { fields: [{ path: 'artifacts.0' }] } },
    });
  });

  it('[S4] adds omitted entries, and returns the new allowed nodes', async () => {
    const rig = await createToolRig();
    const result = await patch(rig, {
      currentNodeId: { set: 'decide-02' },
      variables: { set: { kind: 'green' } },
    });
    expect(result).toMatchObject({
      ok: true,
      notes: ['"step-01" was added to stepsCompleted, because the run left it.'],
      state: {
        currentNodeId: 'decide-02',
        allowedNext: [
          { to: 'step-03a', label: 'green', condition: true },
          { to: 'step-03b', label: 'brown', isDefault: true },
        ],
      },
    });
    await patch(rig, { currentNodeId: { set: 'step-03a' } });
    const parsed = await readWorkflowState(await rig.stateText());
    expect(parsed).toMatchObject({
      ok: true,
      state: {
        stepsCompleted: ['step-01', 'decide-02'],
        decisionLog: [
          { from: 'decide-02', to: 'step-03a', label: 'green', decidedAt: '2026-01-31T09:30:00.000Z' },
        ],
        updatedAt: '2026-01-31T09:30:00.000Z',
      },
    });
    expect(await rig.stateText()).toContain('team: red # ours');
  });

  it('[P3] names the allowed nodes only if they changed', async () => {
    const rig = await createToolRig();
    const set = (kind: string) => patch(rig, { variables: { set: { kind } } });
    expect(await set('red')).toEqual({
      ok: true,
      path: '@state/workflow.md',
      sha256Before: expect.any(String) as string,
      sha256After: sha256(await rig.stateText()),
      diff: expect.stringMatching(
        /^--- @state\/workflow\.md\n\+\+\+ [^\n]+\n@@[^@]+@@\n(?:(?!@@)[^\n]*\n)*$/,
      ) as string,
      state: { sha256: sha256(await rig.stateText()), currentNodeId: 'step-01' },
    });
    await patch(rig, { currentNodeId: { set: 'decide-02' } });
    expect(await set('green')).toMatchObject({
      state: { allowedNext: [{ to: 'step-03a', condition: true }, { to: 'step-03b' }] },
    });
  });

  const WITHOUT_OUTPUT = { ...move('decide-02', 'step-01'), variables: { set: { key: 'k1' } } };

  it('[S9] rejects a move without the declared outputs once, with the list; repeated, it is accepted and reported', async () => {
    const rig = await createToolRig();
    const before = await rig.stateText();
    expect(await patch(rig, WITHOUT_OUTPUT)).toMatchObject({
      error: {
        code: 'E_OUTPUTS_MISSING',
        message: expect.stringContaining('artifacts/k1.md') as string,
        details: { outputsMissing: ['artifacts/k1.md'], allowedNext: [{ to: 'decide-02' }] },
      },
    });
    expect(await rig.stateText()).toBe(before);
    expect(await patch(rig, WITHOUT_OUTPUT)).toMatchObject({
      ok: true,
      notes: ['"step-01" was left without its declared output artifacts/k1.md.'],
    });
    expect(rig.facts).toContainEqual({
      type: 'warning',
      code: 'OUTPUT_MISSING',
      message: '"step-01" was left without its declared output artifacts/k1.md.',
    });
    expect(rig.facts).toContainEqual(
      expect.objectContaining({ type: 'state.changed', outputsMissing: ['artifacts/k1.md'] }),
    );
  });

  it('[S9] does not check an output whose variable is unknown or empty', async () => {
    for (const variables of [{}, { set: { key: '' } }]) {
      const rig = await createToolRig();
      const update = { ...move('decide-02', 'step-01'), ...('set' in variables ? { variables } : {}) };
      expect(await patch(rig, update)).toMatchObject({ ok: true });
      expect(rig.facts.filter(({ type }) => type === 'warning')).toEqual([]);
    }
  });

  it('[S9] always rejects such a move with strictOutputs, until the outputs exist', async () => {
    const rig = await createToolRig({ policy: { strictOutputs: true } });
    for (let tries = 0; tries < 3; tries++)
      expect(codeOf(await patch(rig, WITHOUT_OUTPUT))).toBe('E_OUTPUTS_MISSING');
    await rig.call('fs.write', { path: 'artifacts/k1.md', content: 'x' });
    expect(codeOf(await patch(rig, WITHOUT_OUTPUT))).toBe('ok');
  });

  it('[S4] adds nothing when a move is repeated from the next node', async () => {
    const rig = await createToolRig();
    const update = {
      ...move('decide-02', 'step-01'),
      decisionLog: { append: [{ from: 'step-01', to: 'decide-02', label: 'next' }] },
    };
    await patch(rig, update);
    const after = await readWorkflowState(await rig.stateText());
    expect(await patch(rig, update)).toMatchObject({
      ok: true,
      notes: [/stepsCompleted/, /decision/].map((text) => expect.stringMatching(text) as string),
    });
    const reread = await readWorkflowState(await rig.stateText());
    expect(reread).toEqual(after);
  });

  it('[S4] completes decisions with missing fields, or rejects them', async () => {
    const rig = await createToolRig();
    await patch(rig, {
      ...move('decide-02', 'step-01'),
      decisionLog: { append: [{ from: '', to: '', label: '' }] },
    });
    expect(await readWorkflowState(await rig.stateText())).toMatchObject({
      state: { decisionLog: [{ from: 'step-01', to: 'decide-02', label: 'next' }] },
    });
    const before = await rig.stateText();
    expect(await patch(rig, { decisionLog: { append: [{ from: '', to: '', label: '' }] } })).toMatchObject({
      error: { code: 'E_INVALID_TRANSITION', message: expect.stringContaining('has no "to"') as string },
    });
    expect(await rig.stateText()).toBe(before);
  });

  it('[S12] stores artifacts once and relative to the project, whatever spelling the model adds; comments stay', async () => {
    const rig = await createToolRig({
      stateText: SAMPLE_STATE.replace('artifacts: []', 'artifacts:\n  - notes/a.md # the first'),
    });
    await rig.call('fs.write', { path: 'artifacts/b.md', content: 'x' });
    await patch(rig, {
      artifacts: {
        append: ['@project/artifacts/b.md', './artifacts//b.md', 'notes/a.md', '@project/notes/c.md'],
      },
    });
    const text = await rig.stateText();
    expect(await readWorkflowState(text)).toMatchObject({
      state: { artifacts: ['notes/a.md', 'artifacts/b.md', 'notes/c.md'] },
    });
    expect(text).toContain('notes/a.md # the first');
  });

  it('lists an input document once, whatever spelling the model adds; the first one stays', async () => {
    const rig = await createToolRig({
      stateText: SAMPLE_STATE.replace(
        'artifacts: []',
        'artifacts: []\ninputDocuments:\n  - "@project/docs/prd.md"',
      ),
    });
    await patch(rig, {
      inputDocuments: { append: ['docs/prd.md', './docs//prd.md', 'docs/epics.md'] },
    });
    expect(await readWorkflowState(await rig.stateText())).toMatchObject({
      state: { inputDocuments: ['@project/docs/prd.md', 'docs/epics.md'] },
    });
  });

  it('[S12] records an artifact once, in the same call, whatever the spelling', async () => {
    const rig = await createToolRig();
    const hash = sha256(SAMPLE_STATE);
    const first = await rig.call('fs.write', {
      path: '@project/./artifacts/../artifacts/a.md',
      content: 'x',
    });
    expect(first).toMatchObject({ ok: true, state: { sha256: sha256(await rig.stateText()) } });
    await rig.call('fs.write', { path: 'artifacts/a.md', content: 'y' });
    await rig.call('fs.write', { path: 'docs/b.md', content: 'y' });
    expect(await readWorkflowState(await rig.stateText())).toMatchObject({
      state: { artifacts: ['artifacts/a.md'] },
    });
    expect(codeOf(await patch(rig, { variables: { set: { a: 1 } } }, { ifMatchSha256: hash }))).toBe(
      'E_PRECONDITION_FAILED',
    );
    expect(rig.facts.filter(({ type }) => type === 'artifact.written')).toHaveLength(2);
  });

  it('[S12] undoes a write that cannot be recorded', async () => {
    const rig = await createToolRig({ project: { 'artifacts/old.md': 'old' } });
    await writeFile(join(rig.state, 'workflow.md'), 'damaged');
    expect(codeOf(await rig.call('fs.write', { path: 'artifacts/new.md', content: 'x' }))).toBe(
      'E_INVALID_FRONTMATTER',
    );
    expect(codeOf(await rig.call('fs.write', { path: 'artifacts/old.md', content: 'x' }))).toBe(
      'E_INVALID_FRONTMATTER',
    );
    expect(await readdir(join(rig.project, 'artifacts'))).toEqual(['old.md']);
    expect(await readFile(join(rig.project, 'artifacts/old.md'), 'utf8')).toBe('old');
  });

  it('[S12] uses the artifacts folder from the settings', async () => {
    const rig = await createToolRig({ policy: { artifactsDir: 'out/made' } });
    await rig.call('fs.write', { path: '{artifacts-root}/a.md', content: 'x' });
    await rig.call('fs.write', { path: 'artifacts/b.md', content: 'x' });
    expect(await readWorkflowState(await rig.stateText())).toMatchObject({
      state: { artifacts: ['out/made/a.md'] },
    });
  });

  it('[S13] requires consent for each change after completion', async () => {
    const done = SAMPLE_STATE.replace('currentNodeId: ""', 'currentNodeId: end-99').replace(
      'stepsCompleted: []',
      'stepsCompleted: [end-99]',
    );
    const rig = await createToolRig({ stateText: done });
    expect(codeOf(await patch(rig, { variables: { set: { a: 1 } } }))).toBe(
      'STATE_CHANGE_REQUIRES_CONFIRMATION',
    );
    expect(codeOf(await rig.call('fs.write', { path: 'artifacts/late.md', content: 'x' }))).toBe('ok');
    rig.allowOneChange();
    expect(codeOf(await patch(rig, { variables: { set: { a: 1 } } }))).toBe('ok');
    expect(codeOf(await patch(rig, { variables: { set: { a: 2 } } }))).toBe(
      'STATE_CHANGE_REQUIRES_CONFIRMATION',
    );
  });

  it('[S15] applies or rejects each of eight concurrent patches whole; none is lost', async () => {
    const rig = await createToolRig();
    const names = Array.from({ length: 8 }, (_, index) => `v${index}`);
    const results = await Promise.all(
      names.map((name) => patch(rig, { variables: { set: { [name]: true } } })),
    );
    const made = names.filter((_, index) => results[index]?.ok);
    const refused = results.filter((result) => !result.ok).map(codeOf);
    expect(made.length).toBeGreaterThan(0);
    expect(new Set(refused)).toEqual(refused.length > 0 ? new Set(['E_PRECONDITION_FAILED']) : new Set());
    const parsed = await readWorkflowState(await rig.stateText());
    expect(parsed.ok && Object.keys(parsed.state.variables).sort()).toEqual(made);
    expect(await readdir(rig.state)).toEqual(['workflow.md']);
  });

  it('[S15] records all of four artifacts written concurrently', async () => {
    const rig = await createToolRig();
    const paths = Array.from({ length: 8 }, (_, index) => `artifacts/f${index}.md`);
    const results = await Promise.all(paths.map((path) => rig.call('fs.write', { path, content: 'x' })));
    expect(results.map(codeOf)).toEqual(paths.map(() => 'ok'));
    const parsed = await readWorkflowState(await rig.stateText());
    expect(parsed.ok && [...parsed.state.artifacts].sort()).toEqual(paths);
  });

  it("[S15] does not overwrite a user's concurrent edit", async () => {
    const rig = await createToolRig();
    const base = await rig.gate.read();
    const validated = await rig.gate.validate(base, base.text.replace('variables: {}', 'variables: {a: 1}'));
    await writeFile(join(rig.state, 'workflow.md'), SAMPLE_STATE.replace('team: red', 'team: blue'));
    if (!validated.ok) throw new Error(validated.error.message);
    await expect(rig.gate.commit(validated.change)).rejects.toThrow();
    expect(await rig.stateText()).toContain('team: blue');
  });

  it.skipIf(process.getuid?.() === 0)('[S15] keeps the document after a disk error', async () => {
    const rig = await createToolRig();
    await chmod(rig.state, 0o500);
    expect(codeOf(await patch(rig, { variables: { set: { a: 1 } } }))).toBe('E_DISK');
    await chmod(rig.state, 0o700);
    expect(await rig.stateText()).toBe(SAMPLE_STATE);
  });

  it('[S3] only ever moves along the graph, whatever is requested', async () => {
    const node = fc.constantFrom(
      'step-01',
      'decide-02',
      'step-03a',
      'step-03b',
      'end-99',
      'nowhere',
      '',
      ' step-01 ',
    );
    const update = fc.record(
      {
        currentNodeId: fc.record({ set: node }),
        stepsCompleted: fc.record({ append: fc.array(node, { maxLength: 2 }) }),
        variables: fc.record({
          set: fc.record(
            { workflowStatus: fc.constantFrom('complete', 'open'), kind: fc.constantFrom('green', 'brown') },
            { requiredKeys: [] },
          ),
        }),
      },
      { requiredKeys: [] },
    );
    const action = fc.oneof(
      update.map((value) => ({ kind: 'patch' as const, value })),
      fc
        .tuple(
          fc.constantFrom('currentNodeId: ', 'stepsCompleted: ', 'runId: ', 'artifacts', '---', 'team'),
          fc.string({ maxLength: 8 }),
        )
        .map((value) => ({ kind: 'replace' as const, value })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 12 }), async (actions) => {
        const rig = await createToolRig();
        for (const { kind, value } of actions) {
          const before = await readWorkflowState(await rig.stateText());
          const text = await rig.stateText();
          const result =
            kind === 'patch'
              ? await patch(rig, value)
              : await rig.call('fs.apply_patch', {
                  path: 'workflow.md',
                  patches: [{ operation: 'replace', find: value[0], replace: value[1] }],
                });
          const after = await readWorkflowState(await rig.stateText());
          if (!before.ok || !after.ok) throw new Error('the document became unreadable');
          if (!result.ok) expect(await rig.stateText()).toBe(text);
          expect(
            validateTransition(before.state, after.state, SAMPLE_GRAPH, '2026-01-31T09:30:00Z'),
          ).toMatchObject({ ok: true });
          expect(SAMPLE_GRAPH.nodes.map(({ id }) => id)).toContain(effectiveNode(after.state, SAMPLE_GRAPH));
        }
        expect(rig.bugs).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});

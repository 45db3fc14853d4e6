import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ChangedMeanwhile } from '../../mounts/file-identity.ts';
import { STATE_DOCUMENT } from '../../mounts/mount-path.ts';
import { openVersionedText } from '../../mounts/versioned-text.ts';
import { createToolRig, type ToolRig } from '../../testing/rigs/tool-rig.ts';
import { SAMPLE_GRAPH, SAMPLE_STATE } from '../../testing/sample-run.ts';
import { readWorkflowState, type WorkflowState } from '../../workflow/workflow-state.ts';
import { DamagedState } from './state-file.ts';
import { createStateGate } from './state-gate.ts';

const NOW = '2026-01-31T09:30:00.000Z';

async function commit(rig: ToolRig, edit: (text: string) => string, shown?: string): Promise<void> {
  const base = await rig.gate.read();
  const validated = await rig.gate.validate(base, edit(base.text));
  if (!validated.ok) throw new Error(validated.error.message);
  await rig.gate.commit(validated.change, shown);
}

const factsOf = (rig: ToolRig, type: string) => rig.facts.filter((fact) => fact.type === type);

/** Compares the file with the state that the gate returns. */
async function expectSameAsFile(rig: ToolRig): Promise<WorkflowState> {
  const parsed = await readWorkflowState(await rig.stateText());
  if (!parsed.ok) throw new Error(parsed.error.message);
  expect((await rig.gate.read()).state).toEqual(parsed.state);
  return parsed.state;
}

describe('facts of the state gate', () => {
  it('report what a change added, changed and removed, and nothing else', async () => {
    const stateText = SAMPLE_STATE.replace('variables: {}', 'variables: {same: [1], other: 1, gone: 1}')
      .replace('currentNodeId: ""', 'currentNodeId: decide-02')
      .replace('stepsCompleted: []', 'stepsCompleted: [step-01]')
      .replace('decisionLog: []', 'decisionLog: [{from: a, to: b, label: c}]')
      .replace('artifacts: []', 'artifacts: [artifacts/a.md]');
    const rig = await createToolRig({ stateText });
    await commit(rig, (text) =>
      text
        .replace('{same: [1], other: 1, gone: 1}', '{same: [1], other: 2, added: null}')
        .replace('currentNodeId: decide-02', 'currentNodeId: step-03a')
        .replace('[artifacts/a.md]', '[artifacts/a.md, artifacts/b.md]'),
    );
    expect(factsOf(rig, 'state.changed')).toEqual([
      {
        type: 'state.changed',
        from: 'decide-02',
        to: 'step-03a',
        label: 'green',
        variables: { other: 2, added: null },
        unset: ['gone'],
        stepsAdded: ['decide-02'],
        decisionsAdded: [{ from: 'decide-02', to: 'step-03a', label: 'green', decidedAt: NOW }],
        artifactsAdded: ['artifacts/b.md'],
        notes: expect.any(Array) as string[],
        sha256: (await rig.gate.read()).sha256,
        diff: expect.stringContaining('+currentNodeId: step-03a') as string,
      },
    ]);
    expect((await expectSameAsFile(rig)).decisionLog).toHaveLength(2);
  });

  it('contain the diff that the user was shown, if any', async () => {
    const rig = await createToolRig();
    await commit(rig, (text) => text.replace('variables: {}', 'variables: {a: 1}'), 'as it was shown');
    expect(factsOf(rig, 'state.changed')).toMatchObject([{ diff: 'as it was shown' }]);
  });

  it('[S9] warn of missing outputs only, and only when a node is left', async () => {
    const rig = await createToolRig();
    await commit(rig, (text) => text.replace('variables: {}', 'variables: {key: k}'));
    expect(factsOf(rig, 'state.changed')).toMatchObject([{ notes: [], label: undefined }]);
    expect(factsOf(rig, 'warning')).toEqual([]);
    const leave = (text: string): string => text.replace('currentNodeId: ""', 'currentNodeId: decide-02');
    await expect(commit(rig, leave)).rejects.toThrow('declares outputs that do not exist');
    expect(factsOf(rig, 'warning')).toEqual([]);
    await commit(rig, leave);
    expect(factsOf(rig, 'warning')).toHaveLength(1);
    await commit(rig, (text) => text.replace('currentNodeId: decide-02', 'currentNodeId: step-03b'));
    expect(factsOf(rig, 'warning')).toHaveLength(1);
  });

  it('[S3] report a rejected move with its target; other rejections are not moves', async () => {
    const rig = await createToolRig();
    const base = await rig.gate.read();
    const proposals: [edit: string, instead: string][] = [
      ['currentNodeId: ""', 'currentNodeId: end-99'],
      ['stepsCompleted: []', 'stepsCompleted: [end-99]'],
      ['runId: 0190-run', 'runId: other'],
      ['stepsCompleted: []', 'stepsCompleted: no'],
    ];
    for (const [edit, instead] of proposals)
      expect((await rig.gate.validate(base, base.text.replace(edit, instead))).ok).toBe(false);
    expect(factsOf(rig, 'transition.refused')).toEqual([
      {
        type: 'transition.refused',
        from: 'step-01',
        to: 'end-99',
        message: expect.stringContaining('No edge leads') as string,
      },
      {
        type: 'transition.refused',
        from: 'step-01',
        to: 'step-01',
        message: expect.stringContaining('cannot be completed now') as string,
      },
    ]);
  });

  it('[S4] keeps updatedAt if the model set it, and sets it otherwise', async () => {
    const stateText = SAMPLE_STATE.replace('team: red', 'updatedAt: "2020-01-01T00:00:00.000Z"\nteam: red');
    const rig = await createToolRig({ stateText });
    await commit(rig, (text) => text.replace('2020-01-01', '2021-01-01').replace('{}', '{a: 1}'));
    expect((await expectSameAsFile(rig)).updatedAt).toBe('2021-01-01T00:00:00.000Z');
    await commit(rig, (text) => text.replace('{a: 1}', '{a: 2}'));
    expect((await expectSameAsFile(rig)).updatedAt).toBe(NOW);
  });

  it('[S14] adds nothing but the missing entries to a document', async () => {
    const stateText = SAMPLE_STATE.replace('stepsCompleted: []\n', '').replace('decisionLog: []\n', '');
    const rig = await createToolRig({ stateText });
    await commit(rig, (text) => text.replace('variables: {}', 'variables: {a: 1}'));
    const text = await rig.stateText();
    expect(text).not.toMatch(/stepsCompleted|decisionLog/);
    expect(text).toContain(`updatedAt: "${NOW}"`);
  });
});

describe('a document changed by another program', () => {
  const edited = SAMPLE_STATE.replace('team: red', 'team: blue');

  it('is reported with its diff, once', async () => {
    const rig = await createToolRig();
    await rig.gate.read();
    await writeFile(join(rig.state, 'workflow.md'), edited);
    const change = await rig.gate.outsideChange();
    expect(change).toMatchObject({ diff: expect.stringContaining('+team: blue') as string });
    expect(await rig.gate.outsideChange()).toEqual({ sha256: change.sha256 });
  });

  it('is reported without a diff if its previous text is unknown', async () => {
    const rig = await createToolRig();
    await writeFile(join(rig.state, 'workflow.md'), edited);
    expect(Object.keys(await rig.gate.outsideChange())).toEqual(['sha256']);
  });

  it('is compared with the last text written, even if it was read in between', async () => {
    const rig = await createToolRig();
    await commit(rig, (text) => text.replace('variables: {}', 'variables: {a: 1}'));
    await writeFile(
      join(rig.state, 'workflow.md'),
      (await rig.stateText()).replace('team: red', 'team: blue'),
    );
    await rig.gate.read();
    const { diff } = await rig.gate.outsideChange();
    expect(diff).toContain('+team: blue');
    expect(diff).not.toContain('+variables');
  });
});

describe('a rewind', () => {
  it('[S17] is reported as such, with the removed steps', async () => {
    const stateText = SAMPLE_STATE.replace('currentNodeId: ""', 'currentNodeId: end-99')
      .replace('stepsCompleted: []', 'stepsCompleted: [step-01, end-99]')
      .replace('variables: {}', 'variables: {workflowStatus: complete, a: 1}');
    const rig = await createToolRig({ stateText });
    const written = await rig.gate.rewind('step-01');
    expect(factsOf(rig, 'state.changed')).toEqual([
      {
        type: 'state.changed',
        from: 'end-99',
        to: 'step-01',
        label: undefined,
        isRewind: true,
        stepsRemoved: ['end-99'],
        variables: {},
        unset: ['workflowStatus'],
        stepsAdded: [],
        decisionsAdded: [],
        notes: [],
        sha256: written.sha256,
        diff: expect.stringContaining('+currentNodeId: step-01') as string,
      },
    ]);
    expect(await expectSameAsFile(rig)).toMatchObject({
      currentNodeId: 'step-01',
      stepsCompleted: ['step-01'],
      variables: { a: 1 },
      updatedAt: NOW,
    });
  });

  it('[S15] is retried after concurrent writes and loses nothing', async () => {
    const rig = await createToolRig();
    await Promise.all([rig.gate.rewind('step-01'), rig.gate.recordArtifacts(['artifacts/a.md'])]);
    expect(await expectSameAsFile(rig)).toMatchObject({
      currentNodeId: 'step-01',
      artifacts: ['artifacts/a.md'],
    });
  });
});

describe('a document that cannot be written', () => {
  /** A gate whose writes always fail with `refusal`, and the number of attempts. */
  async function createRefusedGate(refusal: Error) {
    const { files } = await createToolRig();
    let tries = 0;
    const replace = () => {
      tries++;
      return Promise.reject(refusal);
    };
    const document = openVersionedText({ ...files, replace }, STATE_DOCUMENT);
    const gate = createStateGate({
      document,
      files,
      graph: SAMPLE_GRAPH,
      now: () => new Date(NOW),
      resultsOf: () => ({ outputs: [], setsVariables: [] }),
      wasWritten: () => false,
      strictOutputs: false,
      hasConsent: () => false,
      wasMissingReported: () => false,
      onFact: () => undefined,
    });
    return { gate, tries: () => tries };
  }

  it('[S15] is given up on after repeated concurrent changes, with an error that says so', async () => {
    const { gate, tries } = await createRefusedGate(new ChangedMeanwhile());
    await expect(gate.recordArtifacts(['artifacts/a.md'])).rejects.toThrow(ChangedMeanwhile);
    expect(tries()).toBeGreaterThan(1);
    expect(tries()).toBeLessThan(100);
  });

  it('[S15] is not retried after a disk error', async () => {
    const { gate, tries } = await createRefusedGate(Object.assign(new Error('EIO'), { code: 'EIO' }));
    await expect(gate.recordArtifacts(['artifacts/a.md'])).rejects.toThrow('EIO');
    expect(tries()).toBe(1);
  });
});

describe('a document that cannot be updated in place', () => {
  // Valid YAML, but an alias of a list cannot be appended to.
  const shared = (key: string, other: string, value = '[]'): string =>
    SAMPLE_STATE.replace(new RegExp(`^${other}: .*\\n`, 'm'), '').replace(
      new RegExp(`^${key}: .*$`, 'm'),
      `${key}: &shared ${value}\n${other}: *shared`,
    );

  it('[S15] is rejected with the reason by every kind of write, and stays unchanged', async () => {
    const forArtifacts = await createToolRig({ stateText: shared('artifacts', 'inputDocuments') });
    const before = await forArtifacts.stateText();
    await expect(forArtifacts.gate.recordArtifacts(['artifacts/a.md'])).rejects.toThrow(
      'cannot be updated in place',
    );
    expect(await forArtifacts.stateText()).toBe(before);

    const forSteps = await createToolRig({ stateText: shared('stepsCompleted', 'artifacts') });
    const base = await forSteps.gate.read();
    expect(
      await forSteps.gate.validate(base, base.text.replace('currentNodeId: ""', 'currentNodeId: decide-02')),
    ).toMatchObject({
      ok: false,
      error: { code: 'E_INVALID_FRONTMATTER', message: expect.stringContaining('plain keys') as string },
    });

    const forRewind = await createToolRig({ stateText: shared('currentNodeId', 'team', 'decide-02') });
    await expect(forRewind.gate.rewind('step-01')).rejects.toThrow(DamagedState);
    expect(await forRewind.stateText()).toBe(shared('currentNodeId', 'team', 'decide-02'));
  });
});

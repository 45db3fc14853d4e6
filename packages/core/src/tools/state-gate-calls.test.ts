import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createToolRig, type ToolRig } from '../testing/rigs/tool-rig.ts';
import { SAMPLE_STATE } from '../testing/sample-run.ts';
import { MAX_STATE_CHARS } from '../workflow/workflow-state.ts';

const NOW = '2026-01-31T09:30:00.000Z';
const CALL = { workflow: 'other/workflow.md', nodeId: 'step-01', childId: 'child' };
const AT_DECISION = SAMPLE_STATE.replace('currentNodeId: ""', 'currentNodeId: decide-02');
const CALLING = AT_DECISION.replace(
  'team: red',
  `callStack:\n  - workflow: other/workflow.md\n    nodeId: decide-02\n    childId: child\nteam: red`,
);

const factsOf = (rig: ToolRig, type: string) => rig.facts.filter((fact) => fact.type === type);

async function validate(rig: ToolRig, edit: (text: string) => string) {
  const base = await rig.gate.read();
  const validated = await rig.gate.validate(base, edit(base.text));
  if (!validated.ok) throw new Error(validated.error.message);
  return validated.change;
}

describe('a change by the runtime', () => {
  it('[Q11] of the calls under way is written, and reported by events of their own', async () => {
    const rig = await createToolRig();
    const { state, text } = await rig.gate.amend(async () => ({ callStack: [CALL] }));
    expect(state).toMatchObject({ callStack: [CALL], updatedAt: NOW });
    expect(text).toBe(await rig.stateText());
    expect((await rig.gate.read()).state).toEqual(state);
    expect(factsOf(rig, 'state.changed')).toEqual([]);
    expect((await rig.gate.amend(async () => ({ callStack: [] }))).state.callStack).toEqual([]);
  });

  it('[Q1] at the end of a call is written at once, and reported with its edge', async () => {
    const rig = await createToolRig({ stateText: CALLING });
    const { state, sha256 } = await rig.gate.amend(async (latest) => {
      expect(latest.callStack).toHaveLength(1);
      return {
        update: {
          variables: { set: { 'decide-02': { total: 3 } } },
          stepsCompleted: { append: ['decide-02'] },
          artifacts: { append: ['artifacts/a.md'] },
          currentNodeId: { set: 'step-03b' },
        },
        callStack: [],
        label: 'brown',
      };
    });
    expect(state).toMatchObject({ currentNodeId: 'step-03b', callStack: [], artifacts: ['artifacts/a.md'] });
    expect(factsOf(rig, 'state.changed')).toEqual([
      {
        type: 'state.changed',
        from: 'decide-02',
        to: 'step-03b',
        label: 'brown',
        variables: { 'decide-02': { total: 3 } },
        stepsAdded: ['decide-02'],
        decisionsAdded: [],
        artifactsAdded: ['artifacts/a.md'],
        notes: [],
        sha256,
        diff: expect.stringContaining('+currentNodeId: step-03b') as string,
      },
    ]);
  });

  it('[Q1] reports its notes', async () => {
    const rig = await createToolRig();
    await rig.gate.amend(async () => ({ update: {}, notes: ['a note'] }));
    expect(factsOf(rig, 'state.changed')).toMatchObject([{ notes: ['a note'], label: undefined }]);
  });

  it('[Q1] may turn out to be none', async () => {
    const rig = await createToolRig();
    const before = await rig.gate.read();
    expect(await rig.gate.amend(async () => undefined)).toEqual(before);
    expect(await rig.stateText()).toBe(before.text);
    expect(rig.facts).toEqual([]);
  });

  it('[S15] may fill the document up to the limit, but not exceed it by one byte', async () => {
    const rig = await createToolRig();
    const amend = () => rig.gate.amend(async () => ({ callStack: [CALL] }));
    const added = Buffer.byteLength((await amend()).text) - Buffer.byteLength(SAMPLE_STATE);
    const fill = (bytes: number): Promise<void> =>
      writeFile(
        join(rig.state, 'workflow.md'),
        SAMPLE_STATE + 'x'.repeat(bytes - Buffer.byteLength(SAMPLE_STATE)),
      );
    await fill(MAX_STATE_CHARS - added + 1);
    await expect(amend()).rejects.toMatchObject({ code: 'STATE_FULL' });
    await fill(MAX_STATE_CHARS - added);
    expect((await amend()).state.callStack).toEqual([CALL]);
  });

  it('[S15] has no room if the frontmatter alone is too long', async () => {
    const filler = 'x'.repeat(MAX_STATE_CHARS - SAMPLE_STATE.length);
    const stateText = SAMPLE_STATE.replace('variables: {}', `variables:\n  filler: ${filler}`);
    const { gate } = await createToolRig({ stateText });
    await expect(gate.amend(async () => ({ callStack: [CALL] }))).rejects.toMatchObject({
      code: 'STATE_FULL',
    });
  });

  it('[S15] is not made in a document that cannot be updated in place, or that it would make invalid', async () => {
    const stateText = SAMPLE_STATE.replace('currentNodeId: ""', 'currentNodeId: &here decide-02').replace(
      'team: red',
      'team: *here',
    );
    const shared = await createToolRig({ stateText });
    const move = { currentNodeId: { set: 'step-03b' } };
    await expect(shared.gate.amend(async () => ({ update: move }))).rejects.toMatchObject({
      error: { code: 'E_INVALID_FRONTMATTER' },
    });
    const rig = await createToolRig();
    const invalid = [{ workflow: 1, nodeId: 'n' }] as never;
    await expect(rig.gate.amend(async () => ({ callStack: invalid }))).rejects.toMatchObject({
      error: { code: 'E_SCHEMA_VALIDATION' },
    });
    expect(await rig.stateText()).toBe(SAMPLE_STATE);
  });
});

describe('the calls of a node', () => {
  it('[Q11] end when the run leaves the node, and not before', async () => {
    const rig = await createToolRig({ stateText: CALLING });
    const stay = await validate(rig, (text) => text.replace('variables: {}', 'variables: {a: 1}'));
    expect((await rig.gate.commit(stay)).state.callStack).toHaveLength(1);
    const leave = await validate(rig, (text) =>
      text.replace('currentNodeId: decide-02', 'currentNodeId: step-03b'),
    );
    const { state } = await rig.gate.commit(leave);
    expect(state).toMatchObject({ callStack: [], currentNodeId: 'step-03b', variables: { a: 1 } });
    expect(await rig.stateText()).not.toContain('childId: child');
    expect((await rig.gate.read()).state).toEqual(state);
  });

  it('[Q11] are not added to a document without calls', async () => {
    const rig = await createToolRig({ stateText: AT_DECISION });
    const { text } = await validate(rig, (before) =>
      before.replace('currentNodeId: decide-02', 'currentNodeId: step-03b'),
    );
    expect(text).not.toContain('callStack');
  });

  it('[S15] do not end in a document that cannot be updated in place', async () => {
    const stateText = CALLING.replace('callStack:', 'callStack: &calls').replace('team: red', 'team: *calls');
    const { gate } = await createToolRig({ stateText });
    const base = await gate.read();
    const leave = base.text.replace('currentNodeId: decide-02', 'currentNodeId: step-03b');
    expect(await gate.validate(base, leave)).toMatchObject({
      ok: false,
      error: { code: 'E_INVALID_FRONTMATTER' },
    });
  });
});

describe('the note of a model for later nodes', () => {
  it.each([
    ['is reported with the change', { carry: 'remember the salt' }],
    ['is left out if there is none', {}],
  ])('[P5] %s', async (_, carry) => {
    const rig = await createToolRig({ stateText: AT_DECISION });
    const change = await validate(rig, (text) =>
      text.replace('currentNodeId: decide-02', 'currentNodeId: step-03b'),
    );
    await rig.gate.commit({ ...change, ...carry });
    const [fact = {}] = factsOf(rig, 'state.changed');
    expect('carry' in fact ? { carry: fact.carry } : {}).toStrictEqual(carry);
  });
});

describe('a refused transition', () => {
  it.each([
    ['decisionLog', 'decisionLog: []', 'decisionLog: [{from: decide-02, to: "", label: ""}]'],
    ['currentNodeId', 'currentNodeId: decide-02', 'currentNodeId: nowhere'],
  ])('[S3] names the field that is wrong: %s', async (field, before, after) => {
    const rig = await createToolRig({ stateText: AT_DECISION });
    const base = await rig.gate.read();
    expect(await rig.gate.validate(base, base.text.replace(before, after))).toMatchObject({
      ok: false,
      error: { details: { field } },
    });
  });
});

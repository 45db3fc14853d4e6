import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseStagingName } from '../../base/staging.ts';
import { STATE_DOCUMENT } from '../../mounts/mount-path.ts';
import type { MountedFs } from '../../mounts/mounted-fs.ts';
import { openVersionedText } from '../../mounts/versioned-text.ts';
import { createToolRig } from '../../testing/rigs/tool-rig.ts';
import { SAMPLE_GRAPH, SAMPLE_STATE } from '../../testing/sample-run.ts';
import { MAX_STATE_CHARS } from '../../workflow/workflow-state.ts';
import { createStateGate } from './state-gate.ts';
import type { StateGateSources } from './validate-change.ts';

interface GateOptions extends Partial<StateGateSources> {
  readonly stateText?: string;
  readonly adapt?: (files: MountedFs) => MountedFs;
}

/** A gate over a real state document; every node declares an output that does not exist. */
async function createGate({ stateText = SAMPLE_STATE, adapt = (files) => files, ...sources }: GateOptions) {
  const { files, state } = await createToolRig({ stateText });
  const gate = createStateGate({
    document: openVersionedText(adapt(files), STATE_DOCUMENT),
    files,
    graph: SAMPLE_GRAPH,
    now: () => new Date('2026-01-31T09:30:00Z'),
    resultsOf: () => ({ outputs: ['artifacts/missing.md'], setsVariables: [] }),
    wasWritten: () => false,
    strictOutputs: false,
    hasConsent: () => true,
    wasMissingReported: () => false,
    onFact: () => undefined,
    ...sources,
  });
  return { gate, writeState: (text: string) => writeFile(join(state, 'workflow.md'), text) };
}

const AT_END = SAMPLE_STATE.replace('currentNodeId: ""', 'currentNodeId: end-99');
const COMPLETE = AT_END.replace('stepsCompleted: []', 'stepsCompleted: [end-99]');
const leaveStep = (text: string): string => text.replace('currentNodeId: ""', 'currentNodeId: decide-02');

describe('a change decided in an earlier node', () => {
  it('[S23] is rejected, with the current node and its outgoing edges', async () => {
    const { gate } = await createGate({});
    const base = await gate.read();
    expect(gate.checkDecidedAt(base, 'decide-02')).toMatchObject({
      code: 'E_NODE_CHANGED',
      details: { currentNodeId: 'step-01', allowedNext: [{ to: 'decide-02', label: 'next' }] },
    });
    expect(gate.checkDecidedAt(base, 'step-01')).toBeUndefined();
    expect(gate.checkDecidedAt(base, undefined)).toBeUndefined();
  });

  it('[S23] is accepted after completion, where consent decides', async () => {
    const { gate } = await createGate({ stateText: COMPLETE });
    expect(gate.checkDecidedAt(await gate.read(), 'step-01')).toBeUndefined();
  });
});

describe('missing declared outputs', () => {
  it('[S9] prevent completing the workflow at its last node', async () => {
    const { gate } = await createGate({ stateText: AT_END });
    expect(await gate.validate(await gate.read(), COMPLETE)).toMatchObject({
      ok: false,
      error: { code: 'E_OUTPUTS_MISSING', details: { outputsMissing: ['artifacts/missing.md'] } },
    });
  });

  it('[S9] do not prevent a change after completion', async () => {
    const { gate } = await createGate({ stateText: COMPLETE });
    const validated = await gate.validate(await gate.read(), COMPLETE.replace('{}', '{a: 1}'));
    expect(validated).toMatchObject({ ok: true, change: { outputsMissing: [] } });
  });

  it("[S9] are only reported for a user's own edit", async () => {
    const { gate } = await createGate({});
    const validated = await gate.validate(await gate.read(), leaveStep(SAMPLE_STATE), { isPerson: true });
    expect(validated).toMatchObject({ ok: true, change: { outputsMissing: ['artifacts/missing.md'] } });
  });

  it('[S9] can be skipped by repeating the move only without strictOutputs', async () => {
    const offer = 'make the same move again';
    for (const strictOutputs of [false, true]) {
      const { gate } = await createGate({ strictOutputs });
      const validated = await gate.validate(await gate.read(), leaveStep(SAMPLE_STATE));
      expect(!validated.ok && validated.error.message.includes(offer)).toBe(!strictOutputs);
    }
  });
});

describe('the size of the state document', () => {
  /** Appends a body so that the text has this many bytes; most characters take two. */
  function padded(text: string, bytes: number): string {
    const missing = bytes - Buffer.byteLength(text);
    return text + 'é'.repeat(Math.floor(missing / 2)) + 'x'.repeat(missing % 2);
  }

  it('[S15] may reach the limit in bytes, but not exceed it', async () => {
    const { gate } = await createGate({});
    const base = await gate.read();
    const proposal = SAMPLE_STATE.replace('team: red', 'updatedAt: "2021-01-01T00:00:00.000Z"\nteam: red');
    expect(await gate.validate(base, padded(proposal, MAX_STATE_CHARS))).toMatchObject({ ok: true });
    expect(await gate.validate(base, padded(proposal, MAX_STATE_CHARS + 1))).toMatchObject({
      ok: false,
      error: { code: 'E_WRITE_LIMIT' },
    });
  });

  it('[S15] may reach the limit with an artifact, but not exceed it by one byte', async () => {
    const { gate, writeState } = await createGate({});
    const path = 'artifacts/a.md';
    const added =
      Buffer.byteLength((await gate.recordArtifacts([path])).text) - Buffer.byteLength(SAMPLE_STATE);
    await writeState(padded(SAMPLE_STATE, MAX_STATE_CHARS - added + 1));
    await expect(gate.recordArtifacts([path])).rejects.toMatchObject({ code: 'STATE_FULL' });
    await writeState(padded(SAMPLE_STATE, MAX_STATE_CHARS - added));
    expect((await gate.recordArtifacts([path])).state.artifacts).toEqual([path]);
  });

  it('[S15] leaves no room for an artifact if the frontmatter alone is too long', async () => {
    const filler = 'x'.repeat(MAX_STATE_CHARS - SAMPLE_STATE.length);
    const stateText = SAMPLE_STATE.replace('variables: {}', `variables:\n  filler: ${filler}`);
    const { gate } = await createGate({ stateText });
    await expect(gate.recordArtifacts(['artifacts/a.md'])).rejects.toMatchObject({ code: 'STATE_FULL' });
  });
});

describe('a document that cannot be updated in place', () => {
  it('[S15] is rejected if a list would have to be corrected', async () => {
    const { gate } = await createGate({});
    const proposal = SAMPLE_STATE.replace(
      'artifacts: []',
      'artifacts: &shared ["@project/artifacts/a.md"]\ninputDocuments: *shared',
    );
    expect(await gate.validate(await gate.read(), proposal)).toMatchObject({
      ok: false,
      error: { code: 'E_INVALID_FRONTMATTER' },
    });
  });

  it('[S15] is rejected as too long if a list in a long frontmatter would have to be corrected', async () => {
    const { gate } = await createGate({});
    const proposal = SAMPLE_STATE.replace(' # ours', '')
      .replace('variables: {}', `variables:\n  filler: ${'x'.repeat(300_000)}`)
      .replace('artifacts: []', 'artifacts:\n  - "@project/artifacts/a#1.md"');
    expect(await gate.validate(await gate.read(), proposal)).toMatchObject({
      ok: false,
      error: { code: 'E_WRITE_LIMIT' },
    });
  });

  it('[S15] is not rewound, and the error says why', async () => {
    const stateText = SAMPLE_STATE.replace('currentNodeId: ""', 'currentNodeId: &here decide-02').replace(
      'team: red',
      'team: *here',
    );
    const { gate } = await createGate({ stateText });
    await expect(gate.rewind('step-01')).rejects.toMatchObject({ error: { code: 'E_INVALID_FRONTMATTER' } });
  });
});

describe('the temp file of a state document', () => {
  it('[M10] has a name that is swept when its process is dead', async () => {
    const names: string[] = [];
    const { gate } = await createGate({
      adapt: (files) => ({
        ...files,
        replace: (path, content, options) => {
          names.push(options.tempName);
          return files.replace(path, content, options);
        },
      }),
    });
    await gate.recordArtifacts(['artifacts/a.md']);
    expect(names.map(parseStagingName)).toEqual([{ kind: 'writing', pid: process.pid }]);
  });
});

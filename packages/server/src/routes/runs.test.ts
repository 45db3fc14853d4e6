import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunMessage } from '@crewagent/protocol/api/run-messages';
import type { RunView } from '@crewagent/protocol/run-view';
import { describe, expect, it } from 'vitest';
import { branchingPackage } from '../../../core/src/testing/branching-package.ts';
import { writeTree } from '../../../core/src/testing/file-tree.ts';
import { hangBeforeHeaders, textReply, toolCallReply } from '../../../core/src/testing/provider-replies.ts';
import { finishArguments } from '../../../core/src/testing/scripted-model.ts';
import {
  addScriptedModel,
  createServerRig,
  prepare,
  type ReadyToRun,
  type ServerRig,
  until,
} from '../testing/server-rig.ts';

const rests = (message: RunMessage): boolean =>
  message.type === 'event' && message.data.type === 'phase.changed' && message.data.phase !== 'Running';

/** The view where the run next rests, behind what was seen of it; a new run has its first event. */
async function viewAtRest({ client }: ServerRig, runId: string, seen = 1): Promise<RunView> {
  await until(client.runs.events({ runId, query: { after: String(seen) } }), rests);
  return (await client.runs.show({ runId })).view;
}

async function prepareBranching(rig: ServerRig): Promise<ReadyToRun> {
  await writeTree(join(rig.root, 'package'), branchingPackage());
  return prepare(rig, join(rig.root, 'package'));
}

async function startRehearsal(rig: ServerRig) {
  const ready = await prepare(rig);
  const { runId } = await rig.client.runs.create({ body: { ...ready, model: 'rehearsal' } });
  return { runId, view: await viewAtRest(rig, runId) };
}

const ANSWERS = { projectName: 'Nova', goal: 'Ship it', existing: 'nothing' };

describe('a run', () => {
  it('[H25] goes from its start to its end by calls that answer at once', async () => {
    const rig = await createServerRig();
    const { runId, view } = await startRehearsal(rig);
    expect(view.pending).toMatchObject({ kind: 'question' });
    const callId = view.pending?.callId ?? '';
    const status = await rig.client.runs.answer({ runId, body: { callId, answers: ANSWERS } });
    expect(status).toEqual({ runId, phase: 'Running' });
    expect((await viewAtRest(rig, runId, view.lastSeq)).phase).toBe('Completed');
    const { run, log } = await rig.client.runs.show({ runId });
    expect(run).toMatchObject({ phase: 'Completed', package: { name: 'hello-branch' } });
    expect(log.isIntact).toBe(true);
    expect(rig.bugs).toEqual([]);
  });

  it('[H25] is made with what was asked for, and started later', async () => {
    const rig = await createServerRig();
    const ready = await prepare(rig);
    const { runId, phase } = await rig.client.runs.create({
      body: {
        ...ready,
        model: 'rehearsal',
        approval: 'read-only',
        limits: { maxTurns: 3 },
        isHeldBack: true,
      },
    });
    expect(phase).toBe('WaitingUser');
    expect(await rig.client.runs.show({ runId })).toMatchObject({
      tools: { approval: 'read-only' },
      limits: { maxTurns: 3 },
      run: { phase: 'WaitingUser' },
    });
    expect(await rig.client.runs.resume({ runId, body: {} })).toMatchObject({ phase: 'Running' });
  });

  it.each([
    ['a project', { projectId: '01a1de7a-846b-7205-b1df-136fc8f565ee' }, 'PROJECT_NOT_FOUND'],
    ['a package', { packageHash: 'a'.repeat(64) }, 'PACKAGE_NOT_FOUND'],
    ['a workflow', { workflow: 'no' }, 'WORKFLOW_NOT_FOUND'],
    ['an agent', { agent: 'no' }, 'AGENT_NOT_FOUND'],
  ])('[H25] is not made for %s that is not there', async (_, body, code) => {
    const rig = await createServerRig();
    const ready = await prepare(rig);
    await expect(
      rig.client.runs.create({ body: { ...ready, model: 'rehearsal', ...body } }),
    ).rejects.toMatchObject({
      code,
    });
    expect((await rig.client.runs.list()).runs).toEqual([]);
  });

  it('[H25] refuses what does not fit the moment', async () => {
    const rig = await createServerRig();
    await addScriptedModel(rig.client, [hangBeforeHeaders()]);
    const ready = await prepareBranching(rig);
    const { runId } = await rig.client.runs.create({ body: { ...ready, model: 'scripted' } });
    const { runs } = rig.client;
    const notReady = { code: 'RUN_NOT_READY', status: 409 };
    await expect(runs.resume({ runId, body: {} })).rejects.toMatchObject(notReady);
    await expect(runs.answer({ runId, body: { callId: 'x', answers: {} } })).rejects.toMatchObject(notReady);
    await expect(runs.undo({ runId, body: { all: true } })).rejects.toMatchObject(notReady);
    await expect(runs.remove({ runId })).rejects.toMatchObject(notReady);
    const { text, sha256 } = await runs.state({ runId });
    await expect(runs.editState({ runId, body: { text, ifMatchSha256: sha256 } })).rejects.toMatchObject(
      notReady,
    );
    expect(await runs.say({ runId, body: { text: 'hurry' } })).toMatchObject({ phase: 'Running' });
    await runs.stop({ runId });
    expect(await viewAtRest(rig, runId)).toMatchObject({ phase: 'WaitingUser', reason: { code: 'stopped' } });
  });

  it('[H25] is told what was said with its start', async () => {
    const rig = await createServerRig();
    const provider = await addScriptedModel(rig.client, [textReply('Hello.')]);
    const ready = await prepareBranching(rig);
    const { runId } = await rig.client.runs.create({
      body: { ...ready, model: 'scripted', input: 'Mind the gap.' },
    });
    await viewAtRest(rig, runId);
    expect(JSON.stringify(provider.requests[0]?.body)).toContain('Mind the gap.');
  });

  it('[H25] goes on with another model', async () => {
    const rig = await createServerRig();
    const provider = await addScriptedModel(rig.client, [textReply('First.')]);
    const ready = await prepareBranching(rig);
    const { runId } = await rig.client.runs.create({ body: { ...ready, model: 'scripted' } });
    const { lastSeq } = await viewAtRest(rig, runId);
    await rig.client.runs.resume({ runId, body: { model: 'rehearsal' } });
    await viewAtRest(rig, runId, lastSeq);
    expect(provider.requests).toHaveLength(1);
  });
});

describe('an answer', () => {
  it('[H26] is taken once, for the question it is meant for', async () => {
    const rig = await createServerRig();
    const { runId, view } = await startRehearsal(rig);
    const callId = view.pending?.callId ?? '';
    const { runs } = rig.client;
    await expect(runs.answer({ runId, body: { callId: 'other', answers: ANSWERS } })).rejects.toMatchObject({
      code: 'RUN_NOT_READY',
    });
    await expect(runs.answer({ runId, body: { callId, answers: { projectName: 1 } } })).rejects.toMatchObject(
      { code: 'USAGE' },
    );
    await expect(runs.approve({ runId, body: { callId, decision: 'once' } })).rejects.toMatchObject({
      code: 'RUN_NOT_READY',
    });
    const both = await Promise.allSettled([
      runs.answer({ runId, body: { callId, answers: ANSWERS } }),
      runs.answer({ runId, body: { callId, answers: { ...ANSWERS, projectName: 'Other' } } }),
    ]);
    // Which of the two arrives first is not known.
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const done = await viewAtRest(rig, runId, view.lastSeq);
    expect(done.timeline.filter(({ kind }) => kind === 'question')).toHaveLength(1);
  });

  it('[H26] to a change is taken once, with its note', async () => {
    const rig = await createServerRig();
    const write = { name: 'fs_write', arguments: { path: '@project/README.md', content: 'changed' } };
    await addScriptedModel(rig.client, [toolCallReply([write]), textReply('I see.')]);
    const ready = await prepareBranching(rig);
    const { runId } = await rig.client.runs.create({
      body: { ...ready, model: 'scripted', approval: 'ask' },
    });
    const { pending, lastSeq } = await viewAtRest(rig, runId);
    expect(pending).toMatchObject({ kind: 'approval', diff: expect.stringContaining('+changed') as string });
    const body = { callId: pending?.callId ?? '', decision: 'no', note: 'Not this file.' } as const;
    await rig.client.runs.approve({ runId, body });
    await expect(rig.client.runs.approve({ runId, body })).rejects.toMatchObject({ code: 'RUN_NOT_READY' });
    const view = await viewAtRest(rig, runId, lastSeq);
    expect(view.timeline.find(({ kind }) => kind === 'approval')).toMatchObject({
      decision: 'no',
      note: 'Not this file.',
    });
    expect(await readFile(join(rig.project, 'README.md'), 'utf8')).toBe('# Project\n');
  });
});

describe('the state document', () => {
  it('[H27] is changed by a person under the gate', async () => {
    const rig = await createServerRig();
    const { runs } = rig.client;
    await addScriptedModel(rig.client, [textReply('Hello.')]);
    const { runId } = await runs.create({ body: { ...(await prepareBranching(rig)), model: 'scripted' } });
    await viewAtRest(rig, runId);
    const { text, sha256: ifMatchSha256 } = await runs.state({ runId });
    const edit = (change: (text: string) => string) =>
      runs.editState({ runId, body: { text: change(text), ifMatchSha256 } });

    await expect(
      edit((now) => now.replace('currentNodeId: step-01', 'currentNodeId: end-99')),
    ).rejects.toMatchObject({
      code: 'E_INVALID_TRANSITION',
      details: { allowedNext: [{ to: 'decide-02' }] },
    });
    await expect(edit(() => 'nonsense')).rejects.toMatchObject({ code: 'E_INVALID_FRONTMATTER' });
    expect(await runs.state({ runId })).toEqual({ text, sha256: ifMatchSha256 });

    const edited = await edit((now) => now.replace('currentNodeId: step-01', 'currentNodeId: decide-02'));
    expect(edited.notes.length).toBeGreaterThan(0);
    expect(edited.text).toContain('stepsCompleted');
    expect(await runs.state({ runId })).toEqual({ text: edited.text, sha256: edited.sha256 });
    const { events } = await runs.log({ runId });
    expect(events.filter(({ type }) => type === 'state.changed')).toMatchObject([
      { from: 'step-01', to: 'decide-02' },
    ]);
    expect(events.map(({ type }) => type)).toContain('transition.refused');

    await expect(edit((now) => now)).rejects.toMatchObject({
      code: 'E_PRECONDITION_FAILED',
      status: 412,
      details: { sha256: edited.sha256 },
    });
  });

  it('[H27] of a run that is complete is changed once, after a consent', async () => {
    const rig = await createServerRig();
    const { runs } = rig.client;
    const { runId, view } = await startRehearsal(rig);
    await expect(runs.allowChange({ runId })).rejects.toMatchObject({ code: 'RUN_NOT_READY' });
    await runs.answer({ runId, body: { callId: view.pending?.callId ?? '', answers: ANSWERS } });
    expect(await viewAtRest(rig, runId, view.lastSeq)).toMatchObject({ phase: 'Completed' });
    const edit = async (note: string) => {
      const { text, sha256 } = await runs.state({ runId });
      const changed = text.replace(/^variables:$/m, `variables:\n  ${note}: true`);
      return runs.editState({ runId, body: { text: changed, ifMatchSha256: sha256 } });
    };
    await expect(edit('early')).rejects.toMatchObject({ code: 'STATE_CHANGE_REQUIRES_CONFIRMATION' });
    await runs.allowChange({ runId });
    expect((await edit('allowed')).text).toContain('allowed: true');
    await expect(edit('late')).rejects.toMatchObject({ code: 'STATE_CHANGE_REQUIRES_CONFIRMATION' });
  });

  it('[H27] that is damaged is left as it is', async () => {
    const rig = await createServerRig();
    const { runId } = await startRehearsal(rig);
    const { state } = rig.client.runs;
    const { sha256: ifMatchSha256 } = await state({ runId });
    const { projectId } = (await rig.client.runs.show({ runId })).run;
    await writeFile(rig.runtime.store.run({ projectId, runId }).stateDocument, 'nonsense');
    await expect(
      rig.client.runs.editState({ runId, body: { text: '', ifMatchSha256 } }),
    ).rejects.toMatchObject({
      code: 'STATE_DAMAGED',
    });
    expect((await state({ runId })).text).toBe('nonsense');
  });
});

describe('what a run left behind', () => {
  it('[H28] is listed, taken back and brought back, and those who watch are told', async () => {
    const rig = await createServerRig();
    const { runs } = rig.client;
    const write = { name: 'fs_write', arguments: { path: '@project/artifacts/a.md', content: 'A' } };
    await addScriptedModel(rig.client, [
      toolCallReply([write]),
      toolCallReply([{ name: 'fs_apply_patch', arguments: finishArguments('step-01', 'decide-02') }]),
      textReply('Done.'),
    ]);
    const { runId } = await runs.create({ body: { ...(await prepareBranching(rig)), model: 'scripted' } });
    await viewAtRest(rig, runId);
    const { changes } = await runs.changes({ runId });
    expect(changes).toMatchObject([{ path: '@project/artifacts/a.md', kind: 'created', undone: false }]);

    const watching = until(
      runs.events({ runId }),
      (message) =>
        message.type === 'event' &&
        message.data.type === 'changes.undone' &&
        message.data.direction === 'redo',
    );
    const { callId } = changes[0] ?? { callId: '' };
    expect(await runs.undo({ runId, body: { callId } })).toMatchObject({ files: [{ outcome: 'deleted' }] });
    await expect(readFile(join(rig.project, 'artifacts/a.md'))).rejects.toThrow('ENOENT');
    expect(await runs.redo({ runId, body: { all: true } })).toMatchObject({
      files: [{ outcome: 'recreated' }],
    });
    expect(await readFile(join(rig.project, 'artifacts/a.md'), 'utf8')).toBe('A');
    const told = (await watching).filter(({ type }) => type === 'event');
    expect(told.at(-1)).toMatchObject({ data: { type: 'changes.undone', direction: 'redo' } });
  });

  it('[H28] is exported as a file that does nothing', async () => {
    const rig = await createServerRig();
    const { runId } = await startRehearsal(rig);
    for (const [format, type] of [
      ['md', 'text/markdown'],
      ['json', 'application/json'],
      ['html', 'text/html'],
    ] as const) {
      const response = await rig.client.runs.exportFile({ runId, query: { format } });
      expect(response.headers.get('content-type')).toContain(type);
      expect(response.headers.get('content-disposition')).toBe(
        `attachment; filename="run-${runId}.${format}"`,
      );
      expect(response.headers.get('content-security-policy')).toContain('sandbox');
      const text = await response.text();
      expect(text).toContain('hello-branch');
      expect(text).not.toContain(rig.root);
    }
  });

  it('[H28] is paged from its log, and deleted', async () => {
    const rig = await createServerRig();
    const { runs } = rig.client;
    const { runId, view } = await startRehearsal(rig);
    const first = await runs.log({ runId, query: { limit: '2' } });
    expect(first.events.map(({ seq }) => seq)).toEqual([1, 2]);
    expect(first.lastSeq).toBe(view.lastSeq);
    const rest = await runs.log({ runId, query: { after: '2' } });
    expect(rest.events.map(({ seq }) => seq)[0]).toBe(3);
    const watching = until(runs.events({ runId }, { firstWaitMs: 1 }), () => false);
    const refused = expect(watching).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    await runs.remove({ runId });
    await refused;
    await expect(runs.show({ runId })).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    expect((await runs.list()).runs).toEqual([]);
  });

  it('[H28] is listed by project and phase, the damaged apart', async () => {
    const rig = await createServerRig();
    const { runs } = rig.client;
    const { runId } = await startRehearsal(rig);
    const ready = await prepare(rig);
    const other = await runs.create({ body: { ...ready, model: 'rehearsal', isHeldBack: true } });
    const { runs: all } = await runs.list({ query: { project: ready.projectId } });
    expect(all.map((run) => run.runId)).toEqual([other.runId, runId]);
    expect((await runs.list({ query: { phase: 'Completed' } })).runs).toEqual([]);
    expect((await runs.list({ query: { project: '01a1de7a-846b-7205-b1df-136fc8f565ee' } })).runs).toEqual(
      [],
    );
    await writeFile(rig.runtime.store.run({ ...ready, runId }).record, '{');
    const { damaged, runs: left } = await runs.list();
    expect(left.map((run) => run.runId)).toEqual([other.runId]);
    expect(damaged).toMatchObject([{ runId }]);
    expect(JSON.stringify(damaged)).not.toContain(rig.root);
  });
});

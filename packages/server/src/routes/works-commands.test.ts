import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createStoreLayout } from '@crewagent/core';
import type { WorkMessage } from '@crewagent/protocol/api/work-messages';
import type { Story } from '@crewagent/protocol/story/story';
import { describe, expect, it } from 'vitest';
import { writeTree } from '../../../core/src/testing/file-tree.ts';
import {
  hangBeforeHeaders,
  textReply,
  toolCallReply,
} from '../../../core/src/testing/models/provider-replies.ts';
import { finishArguments } from '../../../core/src/testing/models/scripted-model.ts';
import { branchingPackage } from '../../../core/src/testing/packages/branching-package.ts';
import {
  ANSWERS,
  addScriptedModel,
  createServerRig,
  prepare,
  type ReadyToRun,
  type ServerRig,
  shownOf,
  until,
} from '../testing/server-rig.ts';

const isIdleMessage = (message: WorkMessage): boolean =>
  message.type === 'event' && message.data.type === 'phase.changed' && message.data.phase !== 'Running';

/** The view when the run is next idle, after event `seen`; a new run has its first event. */
async function viewWhenIdle({ client }: ServerRig, workId: string, seen = 1): Promise<Story> {
  await until(client.works.events({ workId, query: { after: String(seen) } }), isIdleMessage);
  return (await client.works.show({ workId })).view;
}

async function prepareBranching(rig: ServerRig): Promise<ReadyToRun> {
  await writeTree(join(rig.root, 'package'), branchingPackage());
  return prepare(rig, join(rig.root, 'package'));
}

async function startRehearsal(rig: ServerRig) {
  const ready = await prepare(rig);
  const { workId } = await rig.client.works.create({ body: { ...ready, kind: 'run', model: 'rehearsal' } });
  return { workId, view: await viewWhenIdle(rig, workId) };
}

describe('stopping at a question', () => {
  it('[L7] is one command: the question is skipped, nothing is sent to the model', async () => {
    const rig = await createServerRig();
    const { workId, view } = await startRehearsal(rig);
    const callId = view.pending?.callId ?? '';
    const status = await rig.client.works.stopQuestion({ workId, body: { callId } });
    expect(status).toMatchObject({ phase: 'WaitingUser', reason: { code: 'stopped' } });
    const stopped = (await rig.client.works.show({ workId })).view;
    expect([stopped.pending, stopped.reason?.code]).toEqual([undefined, 'stopped']);
    const { events } = await rig.client.works.log({ workId, query: { after: String(view.lastSeq) } });
    expect(events.map(({ type }) => type)).toEqual(['question.answered', 'phase.changed']);
    expect(rig.bugs).toEqual([]);
  });
});

const UNKNOWN = '01a1de7a-846b-7205-b1df-136fc8f565ee';

describe('a run', () => {
  it('[H25] goes from start to end by calls that answer at once', async () => {
    const rig = await createServerRig();
    const { workId, view } = await startRehearsal(rig);
    expect(view.pending).toMatchObject({ kind: 'question' });
    const callId = view.pending?.callId ?? '';
    const status = await rig.client.works.answer({ workId, body: { callId, answers: ANSWERS } });
    expect(status).toEqual({ workId, mode: 'run', phase: 'Running' });
    expect((await viewWhenIdle(rig, workId, view.lastSeq)).phase).toBe('Completed');
    const { work } = await rig.client.works.show({ workId });
    expect(work).toMatchObject({ phase: 'Completed', run: { package: { name: 'hello-branch' } } });
    expect((await rig.client.works.checkLog({ workId })).isIntact).toBe(true);
    expect(rig.bugs).toEqual([]);
  });

  it('[H25] is created with the requested options, and started later', async () => {
    const rig = await createServerRig();
    const ready = await prepare(rig);
    const { workId, phase } = await rig.client.works.create({
      body: {
        ...ready,
        kind: 'run',
        model: 'rehearsal',
        approval: 'read-only',
        limits: { maxTurns: 3 },
        isHeldBack: true,
      },
    });
    expect(phase).toBe('WaitingUser');
    expect(await rig.client.works.show({ workId })).toMatchObject({
      tools: { approval: 'read-only' },
      limits: { maxTurns: 3 },
      work: { phase: 'WaitingUser' },
    });
    expect(await rig.client.works.resume({ workId, body: {} })).toMatchObject({ phase: 'Running' });
  });

  it('[H25] rejects commands that are not possible now', async () => {
    const rig = await createServerRig();
    await addScriptedModel(rig.client, [hangBeforeHeaders()]);
    const ready = await prepareBranching(rig);
    const { workId } = await rig.client.works.create({ body: { ...ready, kind: 'run', model: 'scripted' } });
    const { works } = rig.client;
    const notReady = { code: 'RUN_NOT_READY', status: 409 };
    await expect(works.resume({ workId, body: {} })).rejects.toMatchObject(notReady);
    await expect(works.answer({ workId, body: { callId: 'x', answers: {} } })).rejects.toMatchObject(
      notReady,
    );
    await expect(works.undo({ workId, body: { all: true } })).rejects.toMatchObject(notReady);
    await expect(works.remove({ workId })).rejects.toMatchObject(notReady);
    const { text, sha256 } = await works.state({ workId });
    await expect(works.editState({ workId, body: { text, ifMatchSha256: sha256 } })).rejects.toMatchObject(
      notReady,
    );
    expect(await works.input({ workId, body: { text: 'hurry' } })).toMatchObject({ phase: 'Running' });
    await works.stop({ workId });
    expect(await viewWhenIdle(rig, workId)).toMatchObject({
      phase: 'WaitingUser',
      reason: { code: 'stopped' },
    });
  });

  it('[H25] receives the input of its start', async () => {
    const rig = await createServerRig();
    const provider = await addScriptedModel(rig.client, [textReply('Hello.')]);
    const ready = await prepareBranching(rig);
    const { workId } = await rig.client.works.create({
      body: { ...ready, kind: 'run', model: 'scripted', input: 'Mind the gap.' },
    });
    await viewWhenIdle(rig, workId);
    expect(JSON.stringify(provider.requests[0]?.body)).toContain('Mind the gap.');
  });

  it('[H25] continues with another model', async () => {
    const rig = await createServerRig();
    const provider = await addScriptedModel(rig.client, [textReply('First.')]);
    const ready = await prepareBranching(rig);
    const { workId } = await rig.client.works.create({ body: { ...ready, kind: 'run', model: 'scripted' } });
    const { lastSeq } = await viewWhenIdle(rig, workId);
    await rig.client.works.resume({ workId, body: { model: 'rehearsal' } });
    await viewWhenIdle(rig, workId, lastSeq);
    expect(provider.requests).toHaveLength(1);
  });
});

describe('an answer', () => {
  it('[H25] is accepted once, for its own question', async () => {
    const rig = await createServerRig();
    const { workId, view } = await startRehearsal(rig);
    const callId = view.pending?.callId ?? '';
    const { works } = rig.client;
    await expect(works.answer({ workId, body: { callId: 'other', answers: ANSWERS } })).rejects.toMatchObject(
      {
        code: 'RUN_NOT_READY',
      },
    );
    await expect(
      works.answer({ workId, body: { callId, answers: { projectName: 1 } } }),
    ).rejects.toMatchObject({ code: 'USAGE' });
    const shown = '0'.repeat(64);
    await expect(works.approve({ workId, body: { callId, decision: 'once', shown } })).rejects.toMatchObject({
      code: 'RUN_NOT_READY',
    });
    const both = await Promise.allSettled([
      works.answer({ workId, body: { callId, answers: ANSWERS } }),
      works.answer({ workId, body: { callId, answers: { ...ANSWERS, projectName: 'Other' } } }),
    ]);
    // Either of the two may arrive first.
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const done = await viewWhenIdle(rig, workId, view.lastSeq);
    expect(done.timeline.filter(({ kind }) => kind === 'question')).toHaveLength(1);
  });

  it('[L111] that approves a change has the hash of the preview that was shown', async () => {
    const rig = await createServerRig();
    // The store's path is not sent: the hash is of what the client got.
    const content = `before ${rig.runtime.store.root} after\n`;
    const write = { name: 'fs_write', arguments: { path: '@project/README.md', content } };
    await addScriptedModel(rig.client, [toolCallReply([write]), textReply('I see.')]);
    const ready = await prepareBranching(rig);
    const { workId } = await rig.client.works.create({
      body: { ...ready, kind: 'run', model: 'scripted', approval: 'ask' },
    });
    const { pending, lastSeq } = await viewWhenIdle(rig, workId);
    if (pending?.kind !== 'approval') throw new Error('it waits for an approval');
    const { text } = pending.action.preview;
    expect(text).toContain('+before (store) after');
    const approve = (shown: string | undefined) =>
      rig.client.works.approve({
        workId,
        body: { callId: pending.callId, decision: 'once', shown, unseen: 2 },
      });
    const shown = shownOf(pending) ?? '';
    await expect(approve(undefined)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('shown') as string,
    });
    await expect(approve(shown.toUpperCase())).rejects.toMatchObject({ status: 400 });
    await expect(approve('0'.repeat(64))).rejects.toMatchObject({
      status: 409,
      code: 'APPROVAL_OUTDATED',
      message: 'This request has changed. Look at it again.',
    });
    expect(await readFile(join(rig.project, 'README.md'), 'utf8')).toBe('# Project\n');
    await approve(shown);
    await viewWhenIdle(rig, workId, lastSeq);
    expect(await readFile(join(rig.project, 'README.md'), 'utf8')).toBe(content);
  });

  it('[H25] to a change is accepted once, with its note', async () => {
    const rig = await createServerRig();
    const write = { name: 'fs_write', arguments: { path: '@project/README.md', content: 'changed' } };
    await addScriptedModel(rig.client, [toolCallReply([write]), textReply('I see.')]);
    const ready = await prepareBranching(rig);
    const { workId } = await rig.client.works.create({
      body: { ...ready, kind: 'run', model: 'scripted', approval: 'ask' },
    });
    const { pending, lastSeq } = await viewWhenIdle(rig, workId);
    expect(pending).toMatchObject({
      kind: 'approval',
      action: { preview: { text: expect.stringContaining('+changed') as string } },
    });
    const body = { callId: pending?.callId ?? '', decision: 'no', note: 'Not this file.' } as const;
    await rig.client.works.approve({ workId, body });
    await expect(rig.client.works.approve({ workId, body })).rejects.toMatchObject({ code: 'RUN_NOT_READY' });
    const view = await viewWhenIdle(rig, workId, lastSeq);
    expect(view.timeline.find(({ kind }) => kind === 'approval')).toMatchObject({
      decision: 'no',
      note: 'Not this file.',
    });
    expect(await readFile(join(rig.project, 'README.md'), 'utf8')).toBe('# Project\n');
  });
});

describe('the state document', () => {
  it('[H27] can be edited by a person under the state gate', async () => {
    const rig = await createServerRig();
    const { works } = rig.client;
    await addScriptedModel(rig.client, [textReply('Hello.')]);
    const { workId } = await works.create({
      body: { ...(await prepareBranching(rig)), kind: 'run', model: 'scripted' },
    });
    await viewWhenIdle(rig, workId);
    const { text, sha256: ifMatchSha256 } = await works.state({ workId });
    const edit = (change: (text: string) => string) =>
      works.editState({ workId, body: { text: change(text), ifMatchSha256 } });

    await expect(
      edit((now) => now.replace('currentNodeId: step-01', 'currentNodeId: end-99')),
    ).rejects.toMatchObject({
      code: 'E_INVALID_TRANSITION',
      details: { allowedNext: [{ to: 'decide-02' }] },
    });
    await expect(edit(() => 'nonsense')).rejects.toMatchObject({ code: 'E_INVALID_FRONTMATTER' });
    expect(await works.state({ workId })).toEqual({ text, sha256: ifMatchSha256 });

    const edited = await edit((now) => now.replace('currentNodeId: step-01', 'currentNodeId: decide-02'));
    expect(edited.notes.length).toBeGreaterThan(0);
    expect(edited.text).toContain('stepsCompleted');
    expect(await works.state({ workId })).toEqual({ text: edited.text, sha256: edited.sha256 });
    const { events } = await works.log({ workId });
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

  it('[H27] of a completed run can be edited once, after consent', async () => {
    const rig = await createServerRig();
    const { works } = rig.client;
    const { workId, view } = await startRehearsal(rig);
    await expect(works.allowChange({ workId })).rejects.toMatchObject({ code: 'RUN_NOT_READY' });
    await works.answer({ workId, body: { callId: view.pending?.callId ?? '', answers: ANSWERS } });
    expect(await viewWhenIdle(rig, workId, view.lastSeq)).toMatchObject({ phase: 'Completed' });
    const edit = async (note: string) => {
      const { text, sha256 } = await works.state({ workId });
      const changed = text.replace(/^variables:$/m, `variables:\n  ${note}: true`);
      return works.editState({ workId, body: { text: changed, ifMatchSha256: sha256 } });
    };
    await expect(edit('early')).rejects.toMatchObject({ code: 'STATE_CHANGE_REQUIRES_CONFIRMATION' });
    await works.allowChange({ workId });
    expect((await edit('allowed')).text).toContain('allowed: true');
    await expect(edit('late')).rejects.toMatchObject({ code: 'STATE_CHANGE_REQUIRES_CONFIRMATION' });
  });

  it('[H27] that is damaged is left unchanged', async () => {
    const rig = await createServerRig();
    const { workId } = await startRehearsal(rig);
    const { state } = rig.client.works;
    const { sha256: ifMatchSha256 } = await state({ workId });
    const { projectId } = (await rig.client.works.show({ workId })).work;
    await writeFile(
      createStoreLayout(rig.runtime.store.root).work({ projectId, workId, isRun: true }).stateDocument,
      'nonsense',
    );
    await expect(
      rig.client.works.editState({ workId, body: { text: '', ifMatchSha256 } }),
    ).rejects.toMatchObject({
      code: 'STATE_DAMAGED',
    });
    expect((await state({ workId })).text).toBe('nonsense');
  });
});

describe('the results of a run', () => {
  it('[H28] are listed, undone and redone, and watchers are notified', async () => {
    const rig = await createServerRig();
    const { works } = rig.client;
    const write = { name: 'fs_write', arguments: { path: '@project/artifacts/a.md', content: 'A' } };
    await addScriptedModel(rig.client, [
      toolCallReply([write]),
      toolCallReply([{ name: 'fs_apply_patch', arguments: finishArguments('step-01', 'decide-02') }]),
      textReply('Done.'),
    ]);
    const { workId } = await works.create({
      body: { ...(await prepareBranching(rig)), kind: 'run', model: 'scripted' },
    });
    await viewWhenIdle(rig, workId);
    const { changes } = await works.changes({ workId });
    expect(changes).toMatchObject([{ path: '@project/artifacts/a.md', kind: 'created', undone: false }]);

    const watching = until(
      works.events({ workId }),
      (message) =>
        message.type === 'event' &&
        message.data.type === 'changes.undone' &&
        message.data.direction === 'redo',
    );
    const { callId } = changes[0] ?? { callId: '' };
    expect(await works.undo({ workId, body: { callId } })).toMatchObject({ files: [{ outcome: 'deleted' }] });
    await expect(readFile(join(rig.project, 'artifacts/a.md'))).rejects.toThrow('ENOENT');
    expect(await works.redo({ workId, body: { all: true } })).toMatchObject({
      files: [{ outcome: 'recreated' }],
    });
    expect(await readFile(join(rig.project, 'artifacts/a.md'), 'utf8')).toBe('A');
    const events = (await watching).filter(({ type }) => type === 'event');
    expect(events.at(-1)).toMatchObject({ data: { type: 'changes.undone', direction: 'redo' } });
  });

  it('[H28] are exported as an inert file', async () => {
    const rig = await createServerRig();
    const { workId, view } = await startRehearsal(rig);
    for (const [format, type] of [
      ['md', 'text/markdown'],
      ['json', 'application/json'],
      ['html', 'text/html'],
    ] as const) {
      const response = await rig.client.works.exportFile({ workId, query: { format } });
      expect(response.headers.get('content-type')).toContain(type);
      const { title } = view.workflow ?? {};
      const name = `${title} ${view.createdAt?.slice(0, 10)}.${format}`;
      expect(response.headers.get('content-disposition')).toContain(encodeURIComponent(name));
      expect(response.headers.get('content-security-policy')).toContain('sandbox');
      const text = await response.text();
      expect(text).toContain('hello-branch');
      expect(text).not.toContain(rig.root);
    }
  });

  it('[H28] include a log that is read in pages, and are deleted', async () => {
    const rig = await createServerRig();
    const { works } = rig.client;
    const { workId, view } = await startRehearsal(rig);
    const first = await works.log({ workId, query: { limit: '2' } });
    expect(first.events.map(({ seq }) => seq)).toEqual([1, 2]);
    expect(first.lastSeq).toBe(view.lastSeq);
    const page = await works.log({ workId, query: { after: '2' } });
    expect(page.events.map(({ seq }) => seq)[0]).toBe(3);
    const watching = until(works.events({ workId }, { firstWaitMs: 1 }), () => false);
    const rejected = expect(watching).rejects.toMatchObject({ code: 'WORK_NOT_FOUND' });
    await works.remove({ workId });
    await rejected;
    await expect(works.show({ workId })).rejects.toMatchObject({ code: 'WORK_NOT_FOUND' });
    expect((await works.list()).works).toEqual([]);
  });

  it('[H28] are listed by project and phase, with damaged runs apart', async () => {
    const rig = await createServerRig();
    const { works } = rig.client;
    const { workId } = await startRehearsal(rig);
    const ready = await prepare(rig);
    const other = await works.create({
      body: { ...ready, kind: 'run', model: 'rehearsal', isHeldBack: true },
    });
    const { works: all } = await works.list({ query: { project: ready.projectId } });
    expect(all.map((work) => work.workId)).toEqual([other.workId, workId]);
    expect((await works.list({ query: { phase: 'Completed' } })).works).toEqual([]);
    expect((await works.list({ query: { project: UNKNOWN } })).works).toEqual([]);
    await writeFile(
      createStoreLayout(rig.runtime.store.root).work({ ...ready, workId, isRun: true }).record,
      '{',
    );
    const { damaged, works: left } = await works.list();
    expect(left.map((work) => work.workId)).toEqual([other.workId]);
    expect(damaged).toMatchObject([{ workId, isRun: true }]);
    expect(JSON.stringify(damaged)).not.toContain(rig.root);
  });
});

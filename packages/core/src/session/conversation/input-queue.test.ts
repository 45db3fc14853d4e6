import { describe, expect, it } from 'vitest';
import { call, createScriptedModel, finish } from '../../testing/models/scripted-model.ts';
import { threadPackage } from '../../testing/packages/thread-package.ts';
import { createSessionRig } from '../../testing/rigs/session-rig.ts';
import type { SessionStop } from '../session.ts';

const ASK = call('ui_ask_user', { questions: [{ id: 'name', prompt: 'What is it called?', type: 'text' }] });

/** Captures the stop that `onAccepted` reports. */
function captureAccepted(): {
  readonly onAccepted: (accepted: SessionStop) => void;
  readonly accepted: Promise<SessionStop>;
} {
  let onAccepted: (accepted: SessionStop) => void = () => undefined;
  const accepted = new Promise<SessionStop>((resolve) => {
    onAccepted = resolve;
  });
  return { onAccepted: (stop) => onAccepted(stop), accepted };
}

describe('input', () => {
  it('[H25] is accepted before its turn has ended', async () => {
    const rig = await createSessionRig({ package: threadPackage(), model: createScriptedModel(['hang']) });
    const { onAccepted, accepted } = captureAccepted();
    const stopped = rig.session.input('how are you?', { onAccepted });
    expect(await accepted).toEqual({ mode: 'agent', phase: 'Running' });
    expect(rig.session.isRunning).toBe(true);
    expect((await rig.reload()).record.title).toBe('how are you?');
    await rig.session.stop();
    expect(await stopped).toMatchObject({ mode: 'agent', reason: { code: 'stopped' } });
  });

  it('[H25] is accepted with the new mode, and the record has it during the turn', async () => {
    const rig = await createSessionRig({ package: threadPackage(), model: createScriptedModel(['hang']) });
    const { onAccepted, accepted } = captureAccepted();
    const stopped = rig.session.input('go', { onAccepted });
    expect(await accepted).toEqual({ mode: 'run', phase: 'Running' });
    const [runId] = rig.session.view.state.runIds;
    expect((await rig.reload()).record.activeRunId).toBe(runId);
    await rig.session.stop();
    await stopped;
  });

  it('[H25] is accepted as idle if it begins no turn, with the reason of a rejection', async () => {
    const rig = await createSessionRig({ package: threadPackage(), model: createScriptedModel([]) });
    const { onAccepted, accepted } = captureAccepted();
    const stop = await rig.session.input('classic', { onAccepted });
    expect(stop.refusal).toMatchObject({ code: 'NotSupportedClassicWorkflow' });
    expect(await accepted).toEqual(stop);
  });

  it('[V17] of a workflow is in the first request to the model', async () => {
    const model = createScriptedModel([finish('step-01', 'end-99'), finish('end-99'), 'Done.']);
    const rig = await createSessionRig({ package: threadPackage(), model, kind: 'chat' });
    await rig.session.startWorkflow({ package: rig.packageFolder, input: 'Mind the gap.' });
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('Mind the gap.');
  });
});

describe('an answer', () => {
  it('[H25] to a call that is not pending is rejected and answers nothing', async () => {
    const model = createScriptedModel([ASK, 'Thank you.']);
    const rig = await createSessionRig({ package: threadPackage(), model });
    await rig.session.input('ask me something, will you');
    const { pending } = rig.session.view.own;
    await expect(rig.session.answer({ name: 'Rex' }, { callId: 'other' })).rejects.toMatchObject({
      code: 'RUN_NOT_READY',
    });
    expect(rig.eventsOf('question.answered')).toEqual([]);
    const { onAccepted, accepted } = captureAccepted();
    const stopped = rig.session.answer({ name: 'Rex' }, { callId: pending?.callId, onAccepted });
    expect(await accepted).toMatchObject({ phase: 'Running' });
    expect(await stopped).toMatchObject({ reason: { code: 'reply' } });
  });
});

describe('stopping at a question', () => {
  it('[L7] skips it in one command, which begins no turn; also if it is typed', async () => {
    const model = createScriptedModel([ASK, ASK]);
    const rig = await createSessionRig({ package: threadPackage(), model });
    await rig.session.input('ask me something, will you');
    const { onAccepted, accepted } = captureAccepted();
    await rig.session.stopQuestion(rig.session.pending?.callId ?? '', { onAccepted });
    expect(await accepted).toMatchObject({ phase: 'WaitingUser', reason: { code: 'stopped' } });
    await rig.session.input('once more, please');
    await rig.session.input('/pause');
    expect(rig.session.state()).toMatchObject({ reason: { code: 'stopped' } });
    expect(rig.eventsOf('question.answered')).toMatchObject([{ answers: { name: null } }, {}]);
    expect([model.requests.length, rig.session.pending]).toEqual([2, undefined]);
    expect((await rig.reload()).record).toMatchObject({ phase: 'WaitingUser', reason: { code: 'stopped' } });
  });

  it('[L7] also prevents the turn of an answer that another window has just sent', async () => {
    const model = createScriptedModel([ASK, 'Thank you.']);
    const rig = await createSessionRig({ package: threadPackage(), model });
    await rig.session.input('ask me something, will you');
    const { callId = '' } = rig.session.pending ?? {};
    const [answered, stopped] = await Promise.allSettled([
      rig.session.answer({ name: 'Rex' }, { callId }),
      rig.session.stopQuestion(callId),
    ]);
    expect(answered).toMatchObject({ status: 'rejected', reason: { code: 'RUN_NOT_READY' } });
    expect(stopped).toMatchObject({ value: { reason: { code: 'stopped' } } });
    expect([model.requests.length, rig.session.isRunning]).toEqual([1, false]);
  });
});

describe('changes of an open conversation', () => {
  it('[H28] lists those of the thread and of the active run', async () => {
    const write = call('fs_write', { path: '@project/note.md', content: 'x' });
    const model = createScriptedModel([write, 'Written.', write, 'In the run.']);
    const rig = await createSessionRig({ package: threadPackage(), model });
    const { workId } = rig.session.record;
    await rig.session.input('write it down, please do');
    expect(rig.session.changes(workId)).toMatchObject([{ path: '@project/note.md' }]);
    await rig.session.input('go');
    const [runId = ''] = rig.session.view.state.runIds;
    expect(rig.session.changes(runId)).toBeDefined();
    expect(rig.session.changes('01a1de7a-846b-7205-b1df-136fc8f565ee')).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import { call, createScriptedModel, finish } from '../testing/scripted-model.ts';
import { createSessionRig } from '../testing/session-rig.ts';
import { threadPackage } from '../testing/thread-package.ts';
import type { SessionStop } from './session.ts';

const ASK = call('ui_ask_user', { questions: [{ id: 'name', prompt: 'What is it called?', type: 'text' }] });

/** What was taken, as soon as it was. */
function taking(): {
  readonly onAccepted: (taken: SessionStop) => void;
  readonly taken: Promise<SessionStop>;
} {
  let onAccepted: (taken: SessionStop) => void = () => undefined;
  const taken = new Promise<SessionStop>((resolve) => {
    onAccepted = resolve;
  });
  return { onAccepted: (stop) => onAccepted(stop), taken };
}

describe('what is typed', () => {
  it('[H61] is taken before its turn is over', async () => {
    const rig = await createSessionRig({ package: threadPackage(), model: createScriptedModel(['hang']) });
    const { onAccepted, taken } = taking();
    const resting = rig.session.input('how are you?', { onAccepted });
    expect(await taken).toEqual({ mode: 'agent', phase: 'Running' });
    expect(rig.session.isRunning).toBe(true);
    expect((await rig.reload()).record.title).toBe('how are you?');
    await rig.session.stop();
    expect(await resting).toMatchObject({ mode: 'agent', reason: { code: 'stopped' } });
  });

  it('[H61] is taken with whom the next line is for, and the record says so while it goes on', async () => {
    const rig = await createSessionRig({ package: threadPackage(), model: createScriptedModel(['hang']) });
    const { onAccepted, taken } = taking();
    const resting = rig.session.input('go', { onAccepted });
    expect(await taken).toEqual({ mode: 'run', phase: 'Running' });
    const [runId] = rig.session.view.state.runIds;
    expect((await rig.reload()).record.activeRunId).toBe(runId);
    await rig.session.stop();
    await resting;
  });

  it('[H61] is taken at rest where it begins no turn, and with why it was refused', async () => {
    const rig = await createSessionRig({ package: threadPackage(), model: createScriptedModel([]) });
    const { onAccepted, taken } = taking();
    const stop = await rig.session.input('classic', { onAccepted });
    expect(stop.refusal).toMatchObject({ code: 'NotSupportedClassicWorkflow' });
    expect(await taken).toEqual(stop);
  });

  it('[V23] with a workflow is the first thing the model is told', async () => {
    const model = createScriptedModel([finish('step-01', 'end-99'), finish('end-99'), 'Done.']);
    const rig = await createSessionRig({ package: threadPackage(), model, kind: 'chat' });
    await rig.session.startWorkflow({ package: rig.packageFolder, input: 'Mind the gap.' });
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('Mind the gap.');
  });
});

describe('an answer', () => {
  it('[H62] for another call than the one that waits is refused and answers nothing', async () => {
    const model = createScriptedModel([ASK, 'Thank you.']);
    const rig = await createSessionRig({ package: threadPackage(), model });
    await rig.session.input('ask me something, will you');
    const { pending } = rig.session.view.own;
    await expect(rig.session.answer({ name: 'Rex' }, { callId: 'other' })).rejects.toMatchObject({
      code: 'RUN_NOT_READY',
    });
    expect(rig.eventsOf('question.answered')).toEqual([]);
    const { onAccepted, taken } = taking();
    const resting = rig.session.answer({ name: 'Rex' }, { callId: pending?.callId, onAccepted });
    expect(await taken).toMatchObject({ phase: 'Running' });
    expect(await resting).toMatchObject({ reason: { code: 'reply' } });
  });
});

describe('what the talk changed', () => {
  it('[H64] is told while it is open, and that of the run one is in', async () => {
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

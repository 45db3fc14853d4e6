import { foldStory } from '@crewagent/protocol/story/fold-story';
import { describe, expect, it } from 'vitest';
import { call, createScriptedModel } from '../testing/models/scripted-model.ts';
import { diskRigFor, TO_THE_END, until } from '../testing/rigs/branching-run.ts';

describe('stopping', () => {
  it('[L7] during a request: nothing is sent after it, and the run resumes', async () => {
    const model = createScriptedModel(['hang', ...TO_THE_END]);
    const rig = await diskRigFor([], { model });
    const runUntilIdle = rig.engine.start();
    await until(() => model.requests.length === 1);
    expect(await rig.engine.stop()).toMatchObject({ phase: 'WaitingUser', reason: { code: 'stopped' } });
    expect(await runUntilIdle).toMatchObject({ reason: { code: 'stopped' } });
    expect(model.requests).toHaveLength(1);
    expect(await rig.engine.resume()).toEqual({ phase: 'Completed' });
  });

  it('[L7] during a tool round: every call gets a result, later ones as aborted', async () => {
    const model = createScriptedModel([
      {
        calls: [
          { name: 'fs_write', arguments: { path: 'artifacts/a.md', content: 'a' } },
          { name: 'fs_write', arguments: { path: 'artifacts/b.md', content: 'b' } },
        ],
      },
      ...TO_THE_END,
    ]);
    const rig = await diskRigFor([], { model });
    rig.engine.subscribe((event) => {
      if (event.type === 'tool.ended' && event.outcome === 'ok' && model.requests.length === 1)
        void rig.engine.stop();
    });
    expect(await rig.engine.start()).toMatchObject({ reason: { code: 'stopped' } });
    expect(rig.eventsOf('tool.ended').map(({ outcome, code }) => [outcome, code])).toEqual([
      ['ok', undefined],
      ['failed', 'ENGINE_ABORTED'],
    ]);
    expect(await rig.engine.resume()).toEqual({ phase: 'Completed' });
  });

  const ASK = call('ui_ask_user', { questions: [{ id: 'name', prompt: 'Name?', type: 'text' }] });

  it('[L7] at a question: it is skipped and no turn begins; a resume goes on without the answer', async () => {
    const model = createScriptedModel([ASK, ...TO_THE_END]);
    const rig = await diskRigFor([], { model });
    await rig.engine.start();
    const { callId = '' } = rig.engine.pending ?? {};
    const before = rig.events.length;
    expect(await rig.engine.stopQuestion(callId)).toMatchObject({ reason: { code: 'stopped' } });
    expect(rig.events.slice(before)).toMatchObject([
      { type: 'question.answered', callId, answers: { name: null } },
      { type: 'phase.changed', phase: 'WaitingUser', reason: { code: 'stopped' } },
    ]);
    expect(rig.engine.pending).toBeUndefined();
    expect(model.requests).toHaveLength(1);
    // Stopped already: a second press, or one of another window, changes nothing.
    expect(await rig.engine.stopQuestion(callId)).toMatchObject({ reason: { code: 'stopped' } });
    expect(rig.events).toHaveLength(before + 2);
    expect(await rig.engine.resume()).toEqual({ phase: 'Completed' });
    const [result] = model.requests[1]?.messages.filter(({ role }) => role === 'tool') ?? [];
    expect(result?.content).toContain('"skipped":["name"]');
  });

  it('[L7] at a question that was answered meanwhile: the turn that began is stopped', async () => {
    const model = createScriptedModel([ASK, ...TO_THE_END]);
    const rig = await diskRigFor([], { model });
    await rig.engine.start();
    const { callId = '' } = rig.engine.pending ?? {};
    const answered = rig.engine.answer({ name: 'Ada' });
    expect(await rig.engine.stopQuestion(callId)).toMatchObject({ reason: { code: 'stopped' } });
    expect(await answered).toMatchObject({ reason: { code: 'stopped' } });
    expect(rig.eventsOf('question.answered')).toMatchObject([{ answers: { name: 'Ada' } }]);
    expect(model.requests).toHaveLength(1);
    expect(await rig.engine.resume()).toEqual({ phase: 'Completed' });
  });

  it('[L7] requested by another process, repeatedly', async () => {
    const { requestStop } = await import('../store/disk/locks/stop-request.ts');
    const model = createScriptedModel(() => 'hang');
    const rig = await diskRigFor([], { model });
    for (const [round, runUntilIdle] of [rig.engine.start, rig.engine.resume].entries()) {
      const stopping = runUntilIdle();
      await until(() => model.requests.length === round + 1);
      await requestStop(rig.paths.stop);
      expect(await stopping).toMatchObject({ phase: 'WaitingUser', reason: { code: 'stopped' } });
    }
  });

  it('[L7] nothing is sent after a stop, even with queued input', async () => {
    const model = createScriptedModel(['hang', 'Heard.']);
    const rig = await diskRigFor([], { model });
    const runUntilIdle = rig.engine.start();
    await until(() => model.requests.length === 1);
    const said = rig.engine.say('One more thing.');
    await rig.engine.stop();
    expect(await said).toMatchObject({ reason: { code: 'stopped' } });
    await runUntilIdle;
    expect(model.requests).toHaveLength(1);
    await rig.engine.resume();
    expect(model.requests[1]?.messages.at(-1)?.content).toContain('One more thing.');
  });

  it('[L7] a waiting call stays as it is', async () => {
    const rig = await diskRigFor(['Hello?']);
    await rig.engine.start();
    expect(await rig.engine.stop()).toMatchObject({ reason: { code: 'reply' } });
  });
});

describe('input while the run is running', () => {
  it('[L8] is sent with the next turn', async () => {
    const model = createScriptedModel([call('fs_list', { path: '@project' }), ...TO_THE_END]);
    const rig = await diskRigFor([], { model });
    rig.engine.subscribe((event) => {
      if (event.type === 'turn.started' && event.turn === 1) void rig.engine.say('Use the key "k".');
    });
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    expect(model.requests[0]?.messages.at(-1)?.content).not.toContain('Use the key');
    expect(model.requests[1]?.messages.at(-1)?.content).toBe(
      'USER_INPUT\n- forNodeId: step-01\nUse the key "k".',
    );
  });

  it('[L8] is sent even if it arrives as the run stops', async () => {
    const model = createScriptedModel(['What is the key?', ...TO_THE_END]);
    const rig = await diskRigFor([], { model });
    let said: Promise<unknown> | undefined;
    rig.engine.subscribe((event) => {
      if (event.type === 'phase.changed' && event.phase === 'WaitingUser') said = rig.engine.say('k');
    });
    await rig.engine.start();
    expect(await said).toEqual({ phase: 'Completed' });
    expect(model.requests[1]?.messages.at(-1)?.content).toMatch(/\nk$/);
  });
});

describe('queued input', () => {
  it('[L8] can be withdrawn before it is sent to the model, but not after', async () => {
    const model = createScriptedModel(['hang', 'Heard.']);
    const rig = await diskRigFor([], { model });
    const running = rig.engine.start();
    await until(() => model.requests.length === 1);
    const said = [rig.engine.say('Forget this.'), rig.engine.say('Remember that.')];
    const [first, second] = rig.eventsOf('input.queued');
    rig.engine.withdraw(first?.seq ?? 0);
    expect(() => rig.engine.withdraw(first?.seq ?? 0)).toThrow(/has this message already/);
    expect(foldStory('', rig.events).queued).toMatchObject([{ text: 'Remember that.' }]);
    await rig.engine.stop();
    await Promise.all([running, ...said]);
    const reopened = await rig.reopen();
    await reopened.engine.resume();
    const sent = JSON.stringify(model.requests[1]?.messages);
    expect(sent).toContain('Remember that.');
    expect(sent).not.toContain('Forget this.');
    expect(() => reopened.engine.withdraw(second?.seq ?? 0)).toThrow(/has this message already/);
  });

  it('[L8] is sent to the model after a restart', async () => {
    const model = createScriptedModel(['hang', 'Heard.']);
    const first = await diskRigFor([], { model });
    const runUntilIdle = first.engine.start();
    await until(() => model.requests.length === 1);
    const said = first.engine.say('Remember the milk.');
    const second = await first.reopen();
    await Promise.all([runUntilIdle, said]);
    await second.engine.resume();
    expect(model.requests[1]?.messages.at(-1)?.content).toContain('Remember the milk.');
    expect(second.engine.memory.inputs).toEqual([]);
  });

  it('[L8] is sent after an earlier question', async () => {
    const ask = call('ui_ask_user', { questions: [{ id: 'q', prompt: 'Which?', type: 'text' }] });
    const model = createScriptedModel([ask, 'Heard.']);
    const rig = await diskRigFor([], { model });
    rig.engine.subscribe((event) => {
      if (event.type === 'turn.started' && event.turn === 1) void rig.engine.say('Early words.');
    });
    await rig.engine.start();
    await rig.engine.answer({ q: 'this' });
    expect(model.requests[1]?.messages.at(-1)?.content).toContain('Early words.');
  });
});

import { describe, expect, it } from 'vitest';
import { call, createScriptedModel } from '../testing/models/scripted-model.ts';
import { rigFor, TO_THE_END } from '../testing/rigs/branching-run.ts';

describe('stop points', () => {
  it('[L1] runs to the end, and the log contains every step', async () => {
    const rig = await rigFor(TO_THE_END);
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    const turn = ['turn.started', 'message.delta', 'message.completed', 'usage.updated'];
    const silent = ['turn.started', 'message.completed', 'usage.updated', 'tool.started'];
    expect(rig.types()).toEqual([
      'phase.changed',
      'message.completed',
      ...silent,
      'artifact.written',
      'tool.ended',
      ...silent,
      'state.changed',
      'tool.ended',
      ...['decide-02', 'step-03', 'end-99'].flatMap(() => [
        'message.completed',
        ...silent,
        'state.changed',
        'tool.ended',
      ]),
      ...turn,
      'phase.changed',
    ]);
    expect(await rig.stateText()).toMatch(
      /currentNodeId: end-99\nstepsCompleted:\n {2}- step-01\n {2}- decide-02\n {2}- step-03\n {2}- end-99/,
    );
    expect(rig.engine.memory.state).toMatchObject({
      currentNodeId: 'end-99',
      stepsCompleted: ['step-01', 'decide-02', 'step-03', 'end-99'],
      variables: { key: 'k' },
      artifacts: ['artifacts/k.md'],
      decisionLog: [{ from: 'decide-02', to: 'step-03', label: 'forward' }],
    });
    expect(rig.bugs).toEqual([]);
  });

  it('[L1] a reply without calls waits for the person, whatever it says', async () => {
    const rig = await rigFor(['The workflow is complete!', ...TO_THE_END]);
    expect(await rig.engine.start()).toMatchObject({ phase: 'WaitingUser', reason: { code: 'reply' } });
    expect(await rig.engine.say('Go on.')).toEqual({ phase: 'Completed' });
  });

  it('[L1] every call of a reply gets one result, in order, valid or not', async () => {
    const model = createScriptedModel([
      {
        calls: [
          { id: 'one', name: 'fs_read', arguments: { path: '@project/README.md' } },
          { id: 'two', name: 'no_such_tool' },
          { id: 'three', name: 'fs_read', arguments: '{"path": "@proj' },
          { id: 'four', name: 'fs_write', arguments: '{"path": "a.md", "content": "long te', isCutOff: true },
          { id: 'five', name: 'fs_list', arguments: { path: '@project' } },
        ],
      },
      'Enough.',
    ]);
    const rig = await rigFor([], { model });
    await rig.engine.start();
    const answers = (model.requests[1]?.messages ?? []).slice(-5);
    expect(
      answers.map((message) => [message.role, 'tool_call_id' in message && message.tool_call_id]),
    ).toEqual(['one', 'two', 'three', 'four', 'five'].map((id) => ['tool', id]));
    const contents = answers.map(({ content }) => String(content));
    expect(contents[0]).toContain('# Project');
    expect(contents[1]).toContain('TOOL_NOT_AVAILABLE');
    expect(contents[2]).toContain('TOOL_ARGS_INVALID_JSON');
    expect(contents[3]).toContain('write the content in parts');
    expect(contents[4]).toContain('README.md');
  });

  it('[L1] a closing turn with a question does not block completion', async () => {
    const ask = call('ui_ask_user', { questions: [{ id: 'q', prompt: 'More?', type: 'text' }] });
    const rig = await rigFor([...TO_THE_END.slice(0, -1), ask]);
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    expect(rig.engine.memory.history.openCalls).toEqual([]);
  });

  it('[L1] a closing turn that fails or calls tools does not affect completion', async () => {
    const failing = await rigFor([
      ...TO_THE_END.slice(0, -1),
      { kind: 'failed', error: { code: 'LLM_HTTP_ERROR', message: 'down', isRetryable: false } },
    ]);
    expect(await failing.engine.start()).toEqual({ phase: 'Completed' });
    const busy = await rigFor([...TO_THE_END.slice(0, -1), call('fs_list', { path: '@project' })]);
    expect(await busy.engine.start()).toEqual({ phase: 'Completed' });
    expect(busy.eventsOf('turn.started')).toHaveLength(TO_THE_END.length);
  });

  it('a text that was cut off is continued, once', async () => {
    const model = createScriptedModel([
      { content: 'First half', finishReason: 'length' },
      { content: 'Second half', finishReason: 'length' },
    ]);
    const rig = await rigFor([], { model });
    expect(await rig.engine.start()).toMatchObject({ phase: 'WaitingUser', reason: { code: 'reply' } });
    expect(model.requests).toHaveLength(2);
    expect(model.requests[1]?.messages.at(-1)?.content).toContain('cut off at its length limit');
  });
});

describe('limits', () => {
  const idle = (_: unknown, index: number) =>
    call('fs_read', { path: '@project/README.md', startLine: index + 1 });

  it('[L1] the turn limit at one node pauses the run; resuming grants as many again', async () => {
    const rig = await rigFor(idle, { settings: { limits: { maxTurns: 3 } } });
    expect(await rig.engine.start()).toMatchObject({
      phase: 'WaitingUser',
      reason: { code: 'ENGINE_MAX_TURNS_EXCEEDED', details: { maxTurns: 3 } },
    });
    expect(rig.eventsOf('turn.started')).toHaveLength(3);
    await rig.engine.resume();
    expect(rig.eventsOf('turn.started')).toHaveLength(6);
    await rig.engine.say('Try something else.');
    expect(rig.eventsOf('turn.started')).toHaveLength(9);
  });

  it('[L1] a new node resets the count', async () => {
    const rig = await rigFor(TO_THE_END, { settings: { limits: { maxTurns: 2 } } });
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
  });

  it.each([
    ['tokens', { maxTokens: 250 }, { promptTokens: 90, completionTokens: 10, cachedTokens: 0 }],
    ['cost', { maxCostUsd: 0.25 }, { promptTokens: 1, completionTokens: 1, cachedTokens: 0, costUsd: 0.1 }],
  ])('[L1] a budget of %s pauses the run', async (_, limits, usage) => {
    const model = createScriptedModel((request, index) => ({ ...idle(request, index), usage }));
    const rig = await rigFor([], { model, settings: { limits } });
    expect(await rig.engine.start()).toMatchObject({ reason: { code: 'ENGINE_BUDGET_EXCEEDED' } });
    expect(model.requests).toHaveLength(3);
    await rig.engine.resume();
    expect(model.requests).toHaveLength(6);
    expect(rig.engine.memory.usage.promptTokens).toBe(usage.promptTokens * 6);
  });

  it('[L1] tokens are estimated if the provider does not report them', async () => {
    const rig = await rigFor(idle, { settings: { limits: { maxTokens: 5_000 } } });
    expect(await rig.engine.start()).toMatchObject({ reason: { code: 'ENGINE_BUDGET_EXCEEDED' } });
    expect(rig.eventsOf('usage.updated')[0]).toMatchObject({ usage: { isEstimated: true } });
  });

  it('[L1] a time limit pauses the run', async () => {
    const rig = await rigFor(idle, { settings: { limits: { maxMinutes: 1e-9 } } });
    expect(await rig.engine.start()).toMatchObject({ reason: { code: 'ENGINE_BUDGET_EXCEEDED' } });
    expect(rig.eventsOf('turn.started')).toHaveLength(0);
  });

  it.each([
    ['one failing call', () => call('fs_read', { path: '@project/none.md' }), 4],
    ['one useless call', () => call('fs_list', { path: '@project' }), 4],
    [
      'two calls in turn',
      (_: unknown, index: number) =>
        index % 2 ? call('fs_read', { path: '@project/none.md' }) : call('fs_list', { path: '@project' }),
      7,
    ],
  ])('[L5] repeating %s: a nudge, then the run waits', async (_, script, turns) => {
    const model = createScriptedModel(script);
    const rig = await rigFor([], { model });
    expect(await rig.engine.start()).toMatchObject({
      phase: 'WaitingUser',
      reason: { code: 'ENGINE_LOOP_DETECTED' },
    });
    expect(rig.eventsOf('message.completed').filter(({ purpose }) => purpose === 'nudge')).toHaveLength(1);
    expect(model.requests).toHaveLength(turns);
  });

  it('[L5] a resume resets the count', async () => {
    const model = createScriptedModel(() => call('fs_list', { path: '@project' }));
    const rig = await rigFor([], { model });
    await rig.engine.start();
    await rig.engine.resume();
    expect(model.requests).toHaveLength(8);
  });

  it('[L5] reading the same file again and again is no loop while other files are written', async () => {
    const rig = await rigFor([
      ...Array.from({ length: 6 }, (_, index) => [
        call('fs_read', { path: '@pkg/bmad.json' }),
        call('fs_write', { path: 'artifacts/log.md', content: `${index}\n` }),
      ]).flat(),
      ...TO_THE_END,
    ]);
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    expect(rig.eventsOf('message.completed').filter(({ purpose }) => purpose === 'nudge')).toEqual([]);
  });

  it('[L5] a reopened run has counted the same calls', async () => {
    const rig = await rigFor([
      call('fs_list', { path: '@project' }),
      call('fs_list', { path: '@project' }),
      'Hm.',
    ]);
    await rig.engine.start();
    const { loop } = rig.engine.memory;
    expect(loop.calls).toHaveLength(2);
    const reopened = await rig.reopen();
    expect(reopened.engine.memory.loop).toEqual(loop);
  });

  it('[L5] calls that make progress are not a loop', async () => {
    const rig = await rigFor([
      ...Array.from({ length: 10 }, (_, index) =>
        call('fs_write', { path: 'artifacts/log.md', content: `${index}\n`, mode: 'append' }),
      ),
      ...TO_THE_END,
    ]);
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
  });
});

describe('failures', () => {
  const down = {
    kind: 'failed',
    error: { code: 'LLM_AUTH_FAILED', message: 'The key was refused.', isRetryable: false },
  } as const;

  it('[L6] an error of the model leaves the run waiting, and a resume continues', async () => {
    const rig = await rigFor([
      call('fs_write', { path: 'artifacts/k.md', content: 'x' }),
      down,
      ...TO_THE_END.slice(1),
    ]);
    expect(await rig.engine.start()).toEqual({
      phase: 'WaitingUser',
      reason: { code: 'LLM_AUTH_FAILED', message: 'The key was refused.' },
    });
    expect(await rig.engine.resume()).toEqual({ phase: 'Completed' });
  });

  it('[L30] a damaged state document fails the run; repaired, it resumes', async () => {
    const rig = await rigFor([call('fs_list', { path: '@project' }), ...TO_THE_END]);
    const good = await rig.stateText();
    await rig.writeState(`${good.replace('stepsCompleted: []', 'stepsCompleted: [')}`);
    const damaged = await rig.stateText();
    expect(await rig.engine.start()).toMatchObject({ phase: 'Failed', reason: { code: 'STATE_DAMAGED' } });
    expect(await rig.stateText()).toBe(damaged);
    await rig.writeState(good);
    const again = await rig.reopen();
    expect(await again.engine.resume()).toEqual({ phase: 'Completed' });
  });

  it('[L30] a state document that is damaged while the run is idle fails it as well', async () => {
    const rig = await rigFor(['Hello.', ...TO_THE_END]);
    await rig.engine.start();
    const good = await rig.stateText();
    await rig.writeState('garbage');
    expect(await rig.engine.resume()).toMatchObject({ phase: 'Failed', reason: { code: 'STATE_DAMAGED' } });
    await rig.writeState(good);
    expect(await rig.engine.resume()).toEqual({ phase: 'Completed' });
  });

  it('[L30] an error in a listener does not stop the run', async () => {
    const rig = await rigFor(TO_THE_END);
    rig.engine.subscribe(() => {
      throw new Error('a bad listener');
    });
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    expect(rig.bugs.length).toBeGreaterThan(0);
  });

  it('[L30] an internal error stops the run with an id, and it can be resumed', async () => {
    const rig = await rigFor((_, index) => {
      if (index === 1) throw new Error('a bug');
      return TO_THE_END[index > 1 ? index - 1 : index] ?? 'over';
    });
    const stop = await rig.engine.start();
    expect(stop).toMatchObject({ phase: 'WaitingUser', reason: { code: 'E_INTERNAL' } });
    expect(rig.bugs).toMatchObject([{ message: 'a bug' }]);
    expect(stop.reason?.message).not.toContain('a bug');
    expect(await rig.engine.resume()).toEqual({ phase: 'Completed' });
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { branchingPackage } from '../testing/branching-package.ts';
import { createRunRig, type RunRig, type RunRigOptions } from '../testing/run-rig.ts';
import {
  call,
  createScriptedModel,
  finish,
  finishArguments,
  type Script,
} from '../testing/scripted-model.ts';

const rigFor = (script: Script, more: Partial<RunRigOptions> = {}): Promise<RunRig> =>
  createRunRig({ package: branchingPackage(), model: createScriptedModel(script), ...more });

const TO_THE_END = [
  call('fs_write', { path: 'artifacts/k.md', content: 'x' }),
  finish('step-01', 'decide-02', { key: 'k' }),
  finish('decide-02', 'step-03'),
  finish('step-03', 'end-99'),
  finish('end-99'),
  'All done.',
];

describe('going on and stopping', () => {
  it('[L1] runs to its end, and the log tells the whole story', async () => {
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

  it('[L1] a reply without calls waits for the person, whatever it claims', async () => {
    const rig = await rigFor(['The workflow is complete!', ...TO_THE_END]);
    expect(await rig.engine.start()).toMatchObject({ phase: 'WaitingUser', reason: { code: 'reply' } });
    expect(await rig.engine.say('Go on.')).toEqual({ phase: 'Completed' });
  });

  it('[L2] answers every call of a reply once, in order, good and bad ones', async () => {
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

  it('[L3] a closing turn that asks something does not hold the run up', async () => {
    const ask = call('ui_ask_user', { questions: [{ id: 'q', prompt: 'More?', type: 'text' }] });
    const rig = await rigFor([...TO_THE_END.slice(0, -1), ask]);
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    expect(rig.engine.memory.history.openCalls).toEqual([]);
  });

  it('[L3] a closing turn that fails or calls tools takes nothing back', async () => {
    const failing = await rigFor([
      ...TO_THE_END.slice(0, -1),
      { kind: 'failed', error: { code: 'LLM_HTTP_ERROR', message: 'down', isRetryable: false } },
    ]);
    expect(await failing.engine.start()).toEqual({ phase: 'Completed' });
    const busy = await rigFor([...TO_THE_END.slice(0, -1), call('fs_list', { path: '@project' })]);
    expect(await busy.engine.start()).toEqual({ phase: 'Completed' });
    expect(busy.eventsOf('turn.started')).toHaveLength(TO_THE_END.length);
  });

  it('[L9] a text that was cut off goes on, once', async () => {
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

  it('[L4] turns at one node pause the run; resuming grants as many again', async () => {
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

  it('[L4] a new node counts anew', async () => {
    const rig = await rigFor(TO_THE_END, { settings: { limits: { maxTurns: 2 } } });
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
  });

  it.each([
    ['tokens', { maxTokens: 250 }, { promptTokens: 90, completionTokens: 10, cachedTokens: 0 }],
    ['cost', { maxCostUsd: 0.25 }, { promptTokens: 1, completionTokens: 1, cachedTokens: 0, costUsd: 0.1 }],
  ])('[L4] a budget of %s pauses the run', async (_, limits, usage) => {
    const model = createScriptedModel((request, index) => ({ ...idle(request, index), usage }));
    const rig = await rigFor([], { model, settings: { limits } });
    expect(await rig.engine.start()).toMatchObject({ reason: { code: 'ENGINE_BUDGET_EXCEEDED' } });
    expect(model.requests).toHaveLength(3);
    await rig.engine.resume();
    expect(model.requests).toHaveLength(6);
    expect(rig.engine.memory.usage.promptTokens).toBe(usage.promptTokens * 6);
  });

  it('[L4] tokens are counted by us where the provider does not', async () => {
    const rig = await rigFor(idle, { settings: { limits: { maxTokens: 5_000 } } });
    expect(await rig.engine.start()).toMatchObject({ reason: { code: 'ENGINE_BUDGET_EXCEEDED' } });
    expect(rig.eventsOf('usage.updated')[0]).toMatchObject({ usage: { isEstimated: true } });
  });

  it('[L4] so does time', async () => {
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
      6,
    ],
  ])('[L5] %s, again and again: a nudge, then the run waits', async (_, script, turns) => {
    const model = createScriptedModel(script);
    const rig = await rigFor([], { model });
    expect(await rig.engine.start()).toMatchObject({
      phase: 'WaitingUser',
      reason: { code: 'ENGINE_LOOP_DETECTED' },
    });
    expect(rig.eventsOf('message.completed').filter(({ purpose }) => purpose === 'nudge')).toHaveLength(1);
    expect(model.requests).toHaveLength(turns);
  });

  it('[L5] a resume lets it try again', async () => {
    const model = createScriptedModel(() => call('fs_list', { path: '@project' }));
    const rig = await rigFor([], { model });
    await rig.engine.start();
    await rig.engine.resume();
    expect(model.requests).toHaveLength(8);
  });

  it('[L5] calls that get somewhere are no loop', async () => {
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

  it('[L6] a model that fails leaves the run waiting, and resuming goes on', async () => {
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

  it('[L10] a damaged state document fails the run; mended, it resumes', async () => {
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

  it('[L10] also when it is damaged while the run rests', async () => {
    const rig = await rigFor(['Hello.', ...TO_THE_END]);
    await rig.engine.start();
    const good = await rig.stateText();
    await rig.writeState('garbage');
    expect(await rig.engine.resume()).toMatchObject({ phase: 'Failed', reason: { code: 'STATE_DAMAGED' } });
    await rig.writeState(good);
    expect(await rig.engine.resume()).toEqual({ phase: 'Completed' });
  });

  it('[L34] whoever watches cannot stop the run', async () => {
    const rig = await rigFor(TO_THE_END);
    rig.engine.subscribe(() => {
      throw new Error('a bad listener');
    });
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    expect(rig.bugs.length).toBeGreaterThan(0);
  });

  it('[L34] a fault of ours stops the run with an id, and it can be resumed', async () => {
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

describe('stopping', () => {
  it('[L7] in the middle of a request: nothing is sent after it, and the run resumes', async () => {
    const model = createScriptedModel(['hang', ...TO_THE_END]);
    const rig = await rigFor([], { model });
    const pump = rig.engine.start();
    await until(() => model.requests.length === 1);
    expect(await rig.engine.stop()).toMatchObject({ phase: 'WaitingUser', reason: { code: 'stopped' } });
    expect(await pump).toMatchObject({ reason: { code: 'stopped' } });
    expect(model.requests).toHaveLength(1);
    expect(await rig.engine.resume()).toEqual({ phase: 'Completed' });
  });

  it('[L7] in the middle of a tool round: calls are answered, later ones as aborted', async () => {
    const model = createScriptedModel([
      {
        calls: [
          { name: 'fs_write', arguments: { path: 'artifacts/a.md', content: 'a' } },
          { name: 'fs_write', arguments: { path: 'artifacts/b.md', content: 'b' } },
        ],
      },
      ...TO_THE_END,
    ]);
    const rig = await rigFor([], { model });
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

  it('[L7] asked for by another process, as often as need be', async () => {
    const { requestStop } = await import('../store/stop-request.ts');
    const model = createScriptedModel(() => 'hang');
    const rig = await rigFor([], { model });
    for (const [round, pump] of [rig.engine.start, rig.engine.resume].entries()) {
      const stopping = pump();
      await until(() => model.requests.length === round + 1);
      await requestStop(rig.store.run(rig.record).stop);
      expect(await stopping).toMatchObject({ phase: 'WaitingUser', reason: { code: 'stopped' } });
    }
  });

  it('[L7] nothing is sent after a stop, also with words that wait', async () => {
    const model = createScriptedModel(['hang', 'Heard.']);
    const rig = await rigFor([], { model });
    const pump = rig.engine.start();
    await until(() => model.requests.length === 1);
    const said = rig.engine.say('One more thing.');
    await rig.engine.stop();
    expect(await said).toMatchObject({ reason: { code: 'stopped' } });
    await pump;
    expect(model.requests).toHaveLength(1);
    await rig.engine.resume();
    expect(model.requests[1]?.messages.at(-1)?.content).toContain('One more thing.');
  });

  it('[L7] what waits stays as it is', async () => {
    const rig = await rigFor(['Hello?']);
    await rig.engine.start();
    expect(await rig.engine.stop()).toMatchObject({ reason: { code: 'reply' } });
  });
});

describe('words while the run goes on', () => {
  it('[L8] are told with the next turn', async () => {
    const model = createScriptedModel([call('fs_list', { path: '@project' }), ...TO_THE_END]);
    const rig = await rigFor([], { model });
    rig.engine.subscribe((event) => {
      if (event.type === 'turn.started' && event.turn === 1) void rig.engine.say('Use the key "k".');
    });
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    expect(model.requests[0]?.messages.at(-1)?.content).not.toContain('Use the key');
    expect(model.requests[1]?.messages.at(-1)?.content).toMatch(
      /RUN_DIRECTIVE[\s\S]*intent: continue[\s\S]*USER_INPUT\n- forNodeId: step-01\nUse the key "k"\.$/,
    );
  });

  it('[L8] also when they come as the run comes to rest', async () => {
    const model = createScriptedModel(['What is the key?', ...TO_THE_END]);
    const rig = await rigFor([], { model });
    let said: Promise<unknown> | undefined;
    rig.engine.subscribe((event) => {
      if (event.type === 'phase.changed' && event.phase === 'WaitingUser') said = rig.engine.say('k');
    });
    await rig.engine.start();
    expect(await said).toEqual({ phase: 'Completed' });
    expect(model.requests[1]?.messages.at(-1)?.content).toMatch(/\nk$/);
  });
});

describe('words that wait', () => {
  it('[L8] survive the process', async () => {
    const model = createScriptedModel(['hang', 'Heard.']);
    const first = await rigFor([], { model });
    const pump = first.engine.start();
    await until(() => model.requests.length === 1);
    const said = first.engine.say('Remember the milk.');
    const second = await first.reopen();
    await Promise.all([pump, said]);
    await second.engine.resume();
    expect(model.requests[1]?.messages.at(-1)?.content).toContain('Remember the milk.');
    expect(second.engine.memory.inputs).toEqual([]);
  });

  it('[L8] are told after a question that came first', async () => {
    const ask = call('ui_ask_user', { questions: [{ id: 'q', prompt: 'Which?', type: 'text' }] });
    const model = createScriptedModel([ask, 'Heard.']);
    const rig = await rigFor([], { model });
    rig.engine.subscribe((event) => {
      if (event.type === 'turn.started' && event.turn === 1) void rig.engine.say('Early words.');
    });
    await rig.engine.start();
    await rig.engine.answer({ q: 'this' });
    expect(model.requests[1]?.messages.at(-1)?.content).toContain('Early words.');
  });
});

describe('replies as they come', () => {
  it('[L40] ids, names and arguments become what every provider takes', async () => {
    const list = { path: '@project' };
    const model = createScriptedModel([
      {
        calls: [
          { id: 'same', name: 'fs_list', arguments: list },
          { id: 'same', name: 'fs.read', arguments: { path: 'README.md' } },
          { id: 'with space', name: 'weird name!', arguments: '[1]' },
          { id: '', name: '', arguments: '' },
        ],
      },
      { calls: [{ id: 'same', name: 'fs_list', arguments: list }] },
      'Done.',
    ]);
    const rig = await rigFor([], { model });
    await rig.engine.start();
    const replies = (model.requests[2]?.messages ?? []).filter((message) => message.role === 'assistant');
    const calls = replies.flatMap((message) => message.tool_calls ?? []);
    const ids = calls.map(({ id }) => id);
    expect(ids[0]).toBe('same');
    expect(new Set(ids).size).toBe(5);
    for (const id of ids.slice(1)) expect(id).toMatch(/^[a-z0-9]{9}$/);
    expect(calls.map((made) => [made.function.name, made.function.arguments])).toEqual([
      ['fs_list', '{"path":"@project"}'],
      ['fs_read', '{"path":"README.md"}'],
      ['weird_name_', '{}'],
      ['unnamed', '{}'],
      ['fs_list', '{"path":"@project"}'],
    ]);
  });

  it('[L40] an id that looks like one of ours does not clash with one of ours', async () => {
    const made = await rigFor([
      { calls: [{ id: '', name: 'fs_list', arguments: { path: '@project' } }] },
      'Hm.',
    ]);
    await made.engine.start();
    const [ours = ''] = made.eventsOf('tool.ended').map(({ callId }) => callId);
    const rig = await rigFor([
      {
        calls: [
          { id: ours, name: 'fs_list', arguments: { path: '@pkg' } },
          { id: '', name: 'fs_list', arguments: { path: '@project' } },
        ],
      },
      'Hm.',
    ]);
    expect(await rig.engine.start()).toMatchObject({ reason: { code: 'reply' } });
    expect(new Set(rig.eventsOf('tool.ended').map(({ callId }) => callId)).size).toBe(2);
  });

  it('[L43] a reply with thousands of calls is cut short', async () => {
    const calls = Array.from({ length: 5_000 }, () => ({ name: 'nope' }));
    const rig = await rigFor([{ calls }, 'Hm.']);
    expect(await rig.engine.start()).toMatchObject({ reason: { code: 'reply' } });
    expect(rig.eventsOf('tool.ended')).toHaveLength(128);
    expect(rig.eventsOf('warning')).toMatchObject([{ code: 'TOO_MANY_CALLS' }]);
  });

  it('[L41] a reply of which a filter left nothing is sent back as words', async () => {
    const model = createScriptedModel([{ content: '', finishReason: 'content_filter' }, 'Hm.']);
    const rig = await rigFor([], { model });
    await rig.engine.start();
    await rig.engine.say('Again.');
    expect(model.requests[1]?.messages.find(({ role }) => role === 'assistant')?.content).toBe('(no words)');
  });

  it('[L41] thoughts go back with tool turns where they are wanted, unknown fields always', async () => {
    for (const wantsReasoningBack of [true, false]) {
      const model = createScriptedModel(
        [
          { ...call('fs_list', { path: '@project' }), reasoning: 'hm', extra: { thought_signature: 'abc' } },
          { content: 'A word', reasoning: 'late' },
        ],
        { wantsReasoningBack },
      );
      const rig = await rigFor([], { model });
      await rig.engine.start();
      const reply = model.requests[1]?.messages.find((message) => message.role === 'assistant');
      expect(reply?.thought_signature).toBe('abc');
      expect(reply?.reasoning_content).toBe(wantsReasoningBack ? 'hm' : undefined);
    }
  });

  it('[L42] no path of the machine is in a request or an event', async () => {
    const model = createScriptedModel([
      {
        calls: [
          { name: 'fs_read', arguments: { path: '/etc/passwd' } },
          { name: 'fs_read', arguments: { path: '@state/../run.json' } },
          { name: 'fs_read', arguments: { path: '@project/none/at/all.md' } },
          { name: 'fs_write', arguments: { path: '@pkg/steps/step-01.md', content: '' } },
          { name: 'fs_search', arguments: { query: '(', regex: true } },
          { name: 'fs_write', arguments: { path: '@project/README.md/x.md', content: '' } },
          { name: 'fs_apply_patch', arguments: finishArguments('step-01', 'end-99') },
        ],
      },
      ...TO_THE_END,
    ]);
    const rig = await rigFor([], { model });
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    const everything = JSON.stringify([model.requests, rig.events]);
    expect(everything).not.toContain(rig.project);
    expect(everything).not.toContain(rig.store.root);
  });

  it('[L33] everything told but deltas is in the log, in the same order, before it is told', async () => {
    const { readRunLog } = await import('../store/run-log.ts');
    const rig = await rigFor(TO_THE_END);
    const file = rig.store.run(rig.record).log;
    rig.engine.subscribe((event) => {
      if (event.type === 'message.delta') return;
      expect(readFileSync(file, 'utf8').trimEnd().split('\n').at(-1)).toContain(`"seq":${event.seq},`);
    });
    await rig.engine.start();
    expect(rig.bugs).toEqual([]);
    const logged: unknown[] = [];
    const { isIntact } = await readRunLog(rig.store.run(rig.record).log, (event) => logged.push(event));
    const told = rig.events.filter(({ type }) => type !== 'message.delta');
    expect(isIntact).toBe(true);
    expect(logged.slice(1)).toEqual(told);
    expect(told.length).toBeLessThan(rig.events.length);
  });
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
}

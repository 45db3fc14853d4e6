/** `runtime.go_back`: a model takes the run back to an earlier node, with the consent of a person. */
import { describe, expect, it } from 'vitest';
import { call, createScriptedModel, finish } from '../testing/models/scripted-model.ts';
import { diskRigFor } from '../testing/rigs/branching-run.ts';

const back = (to: string, reason = 'The goals were wrong.') => call('runtime_go_back', { to, reason });
const toThird = [finish('step-01', 'decide-02', { mark: 'k' }), finish('decide-02', 'step-03')];

describe('going back', () => {
  it('[T29] is asked under every preset, then continues from the node, with the reason, and files stay', async () => {
    const write = { name: 'fs_write', arguments: { path: 'artifacts/late.md', content: 'x' } };
    const [goBack] = back('step-01').calls ?? [];
    const model = createScriptedModel([
      ...toThird,
      { calls: [goBack, write].filter((one) => one !== undefined) },
      'From the start, then.',
    ]);
    const rig = await diskRigFor([], { model, settings: { tools: { approval: 'autopilot' } } });
    expect(await rig.engine.start()).toMatchObject({ reason: { code: 'approval' } });
    expect(rig.eventsOf('approval.requested').at(-1)).toMatchObject({
      tool: 'runtime.go_back',
      action: {
        target: 'step-01',
        isOnceOnly: true,
        preview: { text: expect.stringContaining('goals') as string },
      },
    });
    expect(rig.engine.memory.state.currentNodeId).toBe('step-03');
    const again = await rig.reopen();
    await again.engine.approve({ decision: 'once' });
    expect(again.eventsOf('state.changed').at(-1)).toMatchObject({
      from: 'step-03',
      to: 'step-01',
      isRewind: true,
      decisionsAdded: [{ from: 'step-03', to: 'step-01', label: 'go back', reason: 'The goals were wrong.' }],
    });
    expect(again.engine.memory.state.decisionLog.at(-1)).toMatchObject({ label: 'go back' });
    // The other call of the reply was for the node that the run has left.
    expect(again.eventsOf('tool.ended').slice(-2)).toMatchObject([
      { name: 'runtime.go_back', outcome: 'ok' },
      { name: 'fs.write', outcome: 'failed', code: 'ENGINE_ABORTED' },
    ]);
    const sent = JSON.stringify(model.requests.at(-1)?.messages);
    expect(sent).toContain('The reason: The goals were wrong.');
    expect(sent).toContain('step-01');
    expect(again.bugs).toEqual([]);
  });

  it('[T29] does nothing if the person denies it', async () => {
    const model = createScriptedModel([...toThird, back('step-01'), 'Well.']);
    const rig = await diskRigFor([], { model });
    await rig.engine.start();
    await rig.engine.approve({ decision: 'no', note: 'Only fix the title.' });
    expect(rig.engine.memory.state.currentNodeId).toBe('step-03');
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('Only fix the title.');
  });

  it('[T29] is refused for nodes that were not visited, and for the current one', async () => {
    const model = createScriptedModel([...toThird, back('step-03'), back('nowhere'), 'Well.']);
    const rig = await diskRigFor([], { model });
    await rig.engine.start();
    const results = rig.eventsOf('tool.ended').filter(({ name }) => name === 'runtime.go_back');
    expect(results.map(({ code }) => code)).toEqual(['E_INVALID_TRANSITION', 'E_INVALID_TRANSITION']);
    expect(results[1]?.message).toContain('it can go back to "step-01"');
    expect(rig.eventsOf('approval.requested')).toEqual([]);
  });

  it('[T29] is offered once there is an earlier node', async () => {
    const model = createScriptedModel([...toThird, 'Well.']);
    const rig = await diskRigFor([], { model });
    await rig.engine.start();
    const offers = model.requests.map(({ tools }) =>
      tools.some(({ function: { name } }) => name === 'runtime_go_back'),
    );
    expect(offers).toEqual([false, true, true]);
  });
});

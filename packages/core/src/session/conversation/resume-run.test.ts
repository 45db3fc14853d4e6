import { describe, expect, it } from 'vitest';
import { call, createScriptedModel } from '../../testing/models/scripted-model.ts';
import { threadPackage } from '../../testing/packages/thread-package.ts';
import { createSessionRig, type SessionRig } from '../../testing/rigs/session-rig.ts';
import { startConversation } from './conversations.ts';

const thread = (): Promise<SessionRig> =>
  createSessionRig({ package: threadPackage(), model: createScriptedModel(() => 'Which one?') });
const offered = (rig: SessionRig) => rig.eventsOf('choice.offered').at(-1);

describe('left runs', () => {
  it('[V28] the only left run of the conversation is resumed at once', async () => {
    const rig = await thread();
    await rig.session.input('go');
    await rig.session.input('/stop');
    expect(await rig.session.input('/resume')).toMatchObject({ mode: 'run' });
    expect(rig.eventsOf('choice.offered')).toEqual([]);
  });

  it('[V28] several left runs are offered; the next number chooses', async () => {
    const rig = await thread();
    await rig.session.input('go');
    await rig.session.input('/stop');
    await rig.session.input('go');
    await rig.session.input('/stop');
    const [first, second] = rig.session.view.state.runIds;
    expect(await rig.session.input('/resume')).toMatchObject({ mode: 'agent' });
    expect(offered(rig)).toMatchObject({
      runIds: [second, first],
      candidates: [
        {
          index: 1,
          input: `/resume ${second}`,
          label: expect.stringMatching(/^1\. sample · step-01 · 20/) as string,
        },
        { index: 2, input: `/resume ${first}` },
      ],
    });
    const again = await rig.reopen();
    expect(await again.session.input('2')).toMatchObject({ mode: 'run' });
    expect(again.session.view.state.activeRunId).toBe(first);
    expect((await again.reload()).view.state).toEqual(again.session.view.state);
  });

  it('[V28] /resume accepts a number or an id, also inside another run', async () => {
    const rig = await thread();
    await rig.session.input('go');
    await rig.session.input('/stop');
    await rig.session.input('go');
    const [first = '', second = ''] = rig.session.view.state.runIds;
    await rig.session.input(`/resume ${first.slice(-8)}`);
    expect(rig.session.view.state.activeRunId).toBe(first);
    await rig.session.input('/继续 1');
    expect(rig.session.view.state.activeRunId).toBe(second);
    await rig.session.input('/stop');
    for (const ref of ['9', 'ffffffff']) {
      await rig.session.input(`/resume ${ref}`);
      expect(rig.eventsOf('error').at(-1)).toMatchObject({ code: 'RUN_NOT_FOUND' });
    }
    expect(rig.session.mode).toBe('agent');
  });

  it('[V28] other input closes the offer: the next number chooses from the menu', async () => {
    const rig = await thread();
    await rig.session.input('go');
    await rig.session.input('/stop');
    await rig.session.input('go');
    await rig.session.input('/stop');
    await rig.session.input('/resume');
    await rig.session.input('tell me more about you');
    await rig.session.input('4');
    expect(rig.eventsOf('command.resolved').at(-1)).toMatchObject({ kind: 'RunAction', input: '4' });
  });

  it('[V28] a run of another conversation is offered, unless it is active there', async () => {
    const rig = await thread();
    await rig.session.input('go');
    const other = await startConversation(
      { projectPath: rig.project, kind: 'chat' },
      rig.optionsFor(createScriptedModel(() => 'Hello.')),
    );
    try {
      await other.input('/resume');
      expect(other.view.own.timeline.at(-1)).toMatchObject({ kind: 'notice' });
      await rig.session.input('/stop');
      const [runId = ''] = rig.session.view.state.runIds;
      await other.input('/resume');
      expect(other.view.state.choosing).toMatchObject({ runIds: [runId] });
      expect(other.mode).toBe('chat');
      await other.input('1');
      expect(other.activeRunId).toBe(runId);
    } finally {
      await other.close();
    }
  });

  it('[V28] resuming by a run id enters the run', async () => {
    const rig = await thread();
    await rig.session.input('go');
    await rig.session.input('/stop');
    await rig.session.input('go');
    const [first = ''] = rig.session.view.state.runIds;
    expect(await rig.session.resume({ runId: first })).toMatchObject({ mode: 'run' });
    expect(rig.session.activeRunId).toBe(first);
    await expect(rig.session.resume({ runId: 'no-such-run' })).rejects.toMatchObject({
      code: 'RUN_NOT_FOUND',
    });
  });
});

describe('a script ends', () => {
  const done = call('script_done', {});

  it('[V17] when the model calls script_done; the next line goes to the agent', async () => {
    const model = createScriptedModel([
      'Question?',
      done,
      'The readme lacks an owner.',
      'No gaps.',
      done,
      'Sorry.',
    ]);
    const rig = await createSessionRig({ package: threadPackage(), model });
    expect(await rig.session.input('review')).toMatchObject({ mode: 'run' });
    expect(await rig.session.input('2')).toMatchObject({ mode: 'agent', reason: { code: 'reply' } });
    expect(rig.eventsOf('script.left')).toMatchObject([{ path: '@pkg/tasks/review.md' }]);
    await rig.session.input('4');
    expect(rig.eventsOf('command.resolved').map(({ input }) => input)).toEqual(['review', '4']);
    expect((await rig.reload()).view.state).toEqual(rig.session.view.state);
    await rig.session.input('what else do you think of it');
    expect(rig.eventsOf('tool.ended').at(-1)).toMatchObject({ code: 'E_PRECONDITION_FAILED' });
  });

  it('and script_done is offered until then', async () => {
    const model = createScriptedModel(['Hello.', 'Question?', done, 'The readme lacks an owner.']);
    const rig = await createSessionRig({ package: threadPackage(), model });
    for (const input of ['hello there', 'review', '2']) await rig.session.input(input);
    const offers = model.requests.map(({ tools }) =>
      tools.some((tool) => tool.function.name === 'script_done'),
    );
    expect(offers).toEqual([false, true, true, false]);
  });

  it('[V17] with the full name of another menu item, not with a number or other input', async () => {
    const model = createScriptedModel(() => 'Which one?');
    const rig = await createSessionRig({ package: threadPackage(), model });
    await rig.session.input('review');
    for (const input of ['1', 'go', 'the check'])
      expect(await rig.session.input(input)).toMatchObject({ mode: 'run' });
    expect(rig.eventsOf('script.left')).toEqual([]);
    expect(await rig.session.input('check')).toMatchObject({ mode: 'agent' });
    expect(rig.eventsOf('script.left')).toHaveLength(1);
  });
});

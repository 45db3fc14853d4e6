import { foldStory } from '@crewagent/protocol/story/fold-story';
import { describe, expect, it } from 'vitest';
import { createConversationStore, toShownStory } from '../../state/conversation-store.ts';
import { agentStoryLog, conversationIdOf } from '../../testing/logs.ts';
import { fittingCommands } from './fitting-commands.ts';

/** The picture after the first events of a recorded log. */
function pictureAfter(count: number) {
  const store = createConversationStore(conversationIdOf(agentStoryLog), {
    schedule: (publish) => publish(),
  });
  for (const data of agentStoryLog.slice(0, count)) store.take({ type: 'event', data });
  return store.picture.read();
}

describe('commands', () => {
  it('[U110] match the state: an agent has a menu, and there is nothing to stop, resume or undo', () => {
    const commands = fittingCommands(pictureAfter(2));
    expect(commands).toContain('menu');
    expect(commands).toContain('help');
    for (const name of ['stop', 'pause', 'resume', 'undo', 'allow', 'exit'])
      expect(commands).not.toContain(name);
  });

  it('[U110] match an active run, and a complete one', () => {
    const entered = agentStoryLog.findIndex(({ type }) => type === 'run.entered');
    const runId =
      agentStoryLog.flatMap((event) => (event.type === 'run.entered' ? [event.enteredRunId] : []))[0] ?? '';
    const { state } = pictureAfter(entered + 1);
    const own = agentStoryLog.filter((event) => event.runId === runId);
    const view = foldStory(runId, own);
    const runs = new Map([[runId, toShownStory(view)]]);
    const running = fittingCommands({ state, runs, active: toShownStory({ ...view, phase: 'Running' }) });
    expect(running).toEqual(expect.arrayContaining(['pause', 'stop', 'dismiss']));
    expect(running).not.toContain('resume');
    expect(running).not.toContain('undo');
    const complete = fittingCommands({ state, runs, active: toShownStory({ ...view, phase: 'Completed' }) });
    expect(complete).toEqual(expect.arrayContaining(['allow', 'undo']));
    const cutOff = { phase: 'WaitingUser', reason: { code: 'interrupted', message: '' } } as const;
    expect(fittingCommands({ state, runs, active: toShownStory({ ...view, ...cutOff }) })).toContain(
      'resume',
    );
  });
});

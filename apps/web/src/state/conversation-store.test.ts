import type { ShownWork } from '@crewagent/protocol/api/work-messages';
import { addToWorkStory, createWorkStory, toWorkItems } from '@crewagent/protocol/story/work-story';
import { describe, expect, it } from 'vitest';
import { agentStoryLog, conversationIdOf, helloBranchLog, inConversation } from '../testing/logs.ts';
import { createConversationStore } from './conversation-store.ts';

const log = inConversation(helloBranchLog);
const id = conversationIdOf(log);

/** A store whose frames are painted manually. */
function createPaced(workId: string) {
  const frames: (() => void)[] = [];
  const store = createConversationStore(workId, { schedule: (publish) => void frames.push(publish) });
  const paint = (): void => {
    for (const publish of frames.splice(0)) publish();
  };
  return { store, frames, paint };
}

function snapshotAfter(count: number): ShownWork {
  const view = createWorkStory(id);
  for (const event of log.slice(0, count)) addToWorkStory(view, event);
  return JSON.parse(
    JSON.stringify({ state: view.state, view: view.own, runs: Object.fromEntries(view.runs) }),
  ) as ShownWork;
}

describe('a conversation on the screen', () => {
  it('[U15] publishes once per frame, however many events arrived', () => {
    const { store, frames, paint } = createPaced(id);
    let published = 0;
    store.picture.subscribe(() => published++);
    for (const data of log.slice(0, 50)) store.take({ type: 'event', data });
    expect(frames.length).toBe(1);
    paint();
    expect(published).toBe(1);
  });

  it('[U15] keeps its picture during deltas and publishes the streaming text separately', () => {
    const { store, paint } = createPaced(id);
    for (const data of log.slice(0, 6)) store.take({ type: 'event', data });
    paint();
    const delta = log.find(({ type }) => type === 'message.delta');
    if (!delta) throw new Error('The log has no delta.');
    store.take({ type: 'event', data: delta });
    paint();
    const begun = store.picture.read();
    expect(begun.active.streaming).toBeDefined();
    let published = 0;
    store.picture.subscribe(() => published++);
    for (let i = 0; i < 100; i++) store.take({ type: 'event', data: delta });
    paint();
    expect(published).toBe(0);
    expect(store.picture.read()).toBe(begun);
    expect(store.words.read()?.text.length).toBeGreaterThan(100);
  });

  it('shows text that arrived at once over some frames, and all of it when the reply is complete', () => {
    const { store, frames, paint } = createPaced(id);
    const at = log.findIndex(({ type }) => type === 'message.delta');
    const delta = log[at];
    if (delta?.type !== 'message.delta') throw new Error('The log has no delta.');
    for (const data of log.slice(0, at + 1)) store.take({ type: 'event', data });
    paint();
    const lengths = [store.words.read()?.text.length ?? 0];
    const text = '😀'.repeat(5_000);
    store.take({ type: 'event', data: { ...delta, text } });
    while (frames.length > 0) {
      paint();
      lengths.push(store.words.read()?.text.length ?? 0);
      expect(store.words.read()?.text).not.toMatch(/[\ud800-\udbff]$/);
    }
    expect(lengths.length).toBeGreaterThan(5);
    expect(lengths.length).toBeLessThan(30);
    expect(lengths.at(-1)).toBe((lengths[0] ?? 0) + text.length);
    store.take({ type: 'event', data: { ...delta, text } });
    const end = log.findIndex(({ type }, index) => index > at && type === 'message.completed');
    for (const data of log.slice(at + 1, end + 1)) store.take({ type: 'event', data });
    paint();
    expect([store.words.read(), frames]).toEqual([undefined, []]);
  });

  it('[U15] publishes the next frame even if a listener adds an event or throws', () => {
    const { store, frames, paint } = createPaced(id);
    const [first, second, third] = log;
    if (!first || !second || !third) throw new Error('The log is too short.');
    const stop = store.picture.subscribe(() => {
      stop();
      store.take({ type: 'event', data: second });
      throw new Error('A listener that breaks.');
    });
    store.take({ type: 'event', data: first });
    expect(paint).toThrow('A listener that breaks.');
    expect(frames).toHaveLength(1);
    store.take({ type: 'event', data: third });
    paint();
    expect(store.picture.read().own.lastSeq).toBe(
      Math.max(...[first, second, third].map(({ seq }) => seq ?? 0)),
    );
  });

  it.each([1, 10, 40, 80])(
    '[U15] is the same from a snapshot after %i events as from all events',
    (count) => {
      const whole = createPaced(id);
      for (const data of log) whole.store.take({ type: 'event', data });
      whole.paint();
      const joined = createPaced(id);
      const snapshot = snapshotAfter(count);
      joined.store.take({ type: 'snapshot', data: snapshot });
      // Some events arrive twice, as after a reconnect.
      for (const data of log.slice(Math.max(0, count - 5))) joined.store.take({ type: 'event', data });
      joined.paint();
      expect(joined.store.picture.read().timeline).toEqual(whole.store.picture.read().timeline);
      expect(joined.store.picture.read().active).toEqual(whole.store.picture.read().active);
      // It is in the cache of queries, too.
      expect(snapshot).toEqual(snapshotAfter(count));
    },
  );

  it('[U15] shows the same live as after a reload', () => {
    const storyId = conversationIdOf(agentStoryLog);
    const { store, paint } = createPaced(storyId);
    const view = createWorkStory(storyId);
    for (const data of agentStoryLog) {
      store.take({ type: 'event', data });
      addToWorkStory(view, data);
    }
    paint();
    expect(store.picture.read().timeline).toEqual(toWorkItems(view));
  });
});

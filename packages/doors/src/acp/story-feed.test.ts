import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { RunEvent } from '@crewagent/protocol/events';
import { addToWorkStory, createWorkStory } from '@crewagent/protocol/story/work-story';
import { describe, expect, it } from 'vitest';
import { createStoryFeed } from './story-feed.ts';
import { createSay } from './texts.ts';

const ID = 'c1';

function startFeed(send: (update: SessionUpdate) => Promise<void> = () => Promise.resolve()) {
  const view = createWorkStory(ID);
  const updates: SessionUpdate[] = [];
  const feed = createStoryFeed(
    {
      view,
      language: 'en',
      say: createSay('en'),
      toPath: () => undefined,
      hasNotices: false,
      async send(update) {
        updates.push(update);
        await send(update);
      },
    },
    false,
  );
  let seq = 0;
  const emit = (fact: Record<string, unknown>): void => {
    const isDelta = String(fact.type).endsWith('.delta');
    if (!isDelta) seq++;
    const event = {
      v: 1,
      seq: Math.max(1, seq),
      ts: '2026-01-01T00:00:00.000Z',
      runId: ID,
      ...fact,
    } as RunEvent;
    addToWorkStory(view, event);
    feed.onEvent(event);
  };
  const say = (text: string): void => emit({ type: 'message.delta', text });
  const complete = (content: string): void =>
    emit({ type: 'message.completed', purpose: 'reply', role: 'assistant', content, turn: 1 });
  const texts = (): string[] =>
    updates.flatMap((update) =>
      update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text'
        ? [`${update.messageId} ${update.content.text}`]
        : [],
    );
  return { feed, emit, say, complete, texts };
}

describe('updates of an editor', () => {
  it('[O10] a streamed reply is sent once, and begins anew if the request was sent again', async () => {
    const { feed, emit, say, complete, texts } = startFeed();
    emit({ type: 'turn.started', turn: 1 });
    say('Let me');
    await feed.flush();
    emit({ type: 'llm.retry', turn: 1, attempt: 1, delayMs: 1, code: 'LLM_TIMEOUT', message: 'No answer.' });
    await feed.flush();
    say('So');
    await feed.flush();
    say(' be it');
    complete('So be it.');
    await feed.flush();
    await feed.flush();
    expect(texts()).toEqual(['1 Let me', '2 \n\n⚠ No answer.', '3 \n\nSo', '3  be it.']);
  });

  it('[O15] a slow editor gets what came meanwhile as one update', async () => {
    let release: () => void = () => undefined;
    const taken = new Promise<void>((resolve) => {
      release = resolve;
    });
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const { feed, say, texts } = startFeed(() => {
      begin();
      return taken;
    });
    say('0');
    const flushed = feed.flush();
    await begun;
    for (let count = 1; count < 1_000; count++) say(` ${count}`);
    release();
    await flushed;
    await feed.flush();
    expect(texts()).toHaveLength(2);
  });
});

import { foldStory } from '@crewagent/protocol/story/fold-story';
import { describe, expect, it } from 'vitest';
import { createScriptedModel } from '../testing/models/scripted-model.ts';
import { rigFor, TO_THE_END, until } from '../testing/rigs/branching-run.ts';
import { createPartialReply } from './turn.ts';

const HALF = 'The first half of a long answer';

describe('a stopped reply', () => {
  it('[L86] is stored as partial, and the model learns how much of it was read', async () => {
    const model = createScriptedModel([{ hangsAfter: HALF }, ...TO_THE_END]);
    const rig = await rigFor([], { model });
    const running = rig.engine.start();
    await until(() => rig.types().includes('message.delta'));
    await rig.engine.stop();
    await running;
    const { timeline } = foldStory('', rig.events);
    expect(timeline.find(({ kind }) => kind === 'reply')).toMatchObject({ text: HALF, isPartial: true });
    expect(await rig.engine.resume()).toEqual({ phase: 'Completed' });
    const [, second, third] = model.requests.map(({ messages }) => JSON.stringify(messages));
    expect(second).toContain(HALF);
    expect(second).toContain('cut off before it was complete');
    // The note belongs to the stopped node, and no reply is created from it.
    expect(third).toContain('cut off before it was complete');
    expect(second).not.toContain(`"assistant","content":"${HALF}`);
  });

  it('[L86] is also available in another process, and after an error of the model', async () => {
    const failure = { code: 'LLM_HTTP_ERROR', message: 'The connection broke.', isRetryable: true } as const;
    const model = createScriptedModel([{ hangsAfter: HALF, failsWith: failure }, 'Again.']);
    const rig = await rigFor([], { model });
    await rig.engine.start();
    const second = await rig.reopen();
    expect(second.engine.memory.partialReply).toBe(HALF);
    await second.engine.resume();
    expect(JSON.stringify(model.requests[1]?.messages)).toContain(HALF);
    expect(second.engine.memory.partialReply).toBe('');
    const { timeline } = foldStory('', [...rig.events, ...second.events]);
    const replies = timeline.filter(({ kind }) => kind === 'reply');
    expect(replies).toMatchObject([{ text: HALF, isPartial: true }, { text: 'Again.' }]);
    expect(replies[1]).not.toHaveProperty('isPartial');
  });

  it('[L86] is stored every two seconds while it is streamed, and starts over with a retry', () => {
    let nowMs = 0;
    const stored: string[] = [];
    const reply = createPartialReply(
      () => nowMs,
      (text) => stored.push(text),
    );
    reply.add('a');
    nowMs = 2_000;
    reply.add('b');
    reply.add('c');
    expect(stored).toEqual(['ab']);
    reply.reset();
    nowMs = 4_100;
    reply.add('d');
    reply.save();
    expect(stored).toEqual(['ab', 'd']);
  });

  it('[L86] is discarded when a reply is completed', async () => {
    const rig = await rigFor(['Hello?']);
    await rig.engine.start();
    expect(rig.types()).not.toContain('message.partial');
  });
});

import { describe, expect, it } from 'vitest';
import { enter, ok } from '../../testing/rehearsal-scene.ts';
import { createRehearsal } from './rehearsal.ts';

describe('the rehearsal', () => {
  it('[K14] finishes with two sentences that name the files', async () => {
    const end = enter({ type: 'end', allowedNext: [], outputs: ['artifacts/a.md'] });
    await end.answer(ok());
    await end.answer(ok());
    expect(await end.next()).toEqual({
      calls: [],
      say: 'The rehearsal is finished; no model was asked. Files written last: artifacts/a.md.',
    });
  });

  it('[K14] makes no calls after the last node, even if the history was lost', async () => {
    const end = enter({
      type: 'end',
      allowedNext: [],
      stepsCompleted: ['here'],
      outputs: ['artifacts/a.md'],
    });
    expect((await end.next()).calls).toEqual([]);
    const complete = enter({ variables: { workflowStatus: 'complete' } });
    expect((await complete.next()).calls).toEqual([]);
  });

  it('[K14] introduces itself if there is no node', async () => {
    const scene = enter({ outputs: ['artifacts/a.md'] });
    scene.leave(undefined);
    expect(await scene.next()).toEqual({
      calls: [],
      say: expect.stringContaining('stand-in for a language model') as string,
    });
  });

  it('[K14] introduces itself without facts, whatever the text looks like', async () => {
    const { facts: _, ...bare } = enter({ outputs: ['artifacts/a.md'] }).request();
    const watch = { signal: new AbortController().signal, onProgress: () => undefined };
    expect(await createRehearsal().chat(bare, watch)).toMatchObject({
      reply: { toolCalls: [], content: expect.stringContaining('stand-in') as string },
    });
  });

  it('[K1] streams text in chunks, counts tokens and costs nothing', async () => {
    const pieces: string[] = [];
    const { request } = enter({ inputs: ['a.md'] });
    const rehearsal = createRehearsal();
    const outcome = await rehearsal.chat(request(), {
      signal: new AbortController().signal,
      onProgress: (progress) => progress.type === 'text' && pieces.push(progress.text),
    });
    expect(outcome).toMatchObject({
      kind: 'reply',
      reply: { content: 'Rehearsal: reading the inputs of "The Title".', finishReason: 'tool_calls' },
    });
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('')).toBe('Rehearsal: reading the inputs of "The Title".');
    const usage = outcome.kind === 'reply' ? outcome.reply.usage : undefined;
    expect(usage).toMatchObject({ cachedTokens: 0, costUsd: 0 });
    expect(usage?.promptTokens).toBeGreaterThan(100);
    expect(usage?.completionTokens).toBeGreaterThan(10);
    expect(rehearsal.traits).toMatchObject({ name: 'rehearsal', contextTokens: 128_000 });
    rehearsal.close();
  });

  it('[K1] ends on a stop, before and during its reply', async () => {
    const { request } = enter();
    const stop = new AbortController();
    const heard: string[] = [];
    const watch = {
      signal: stop.signal,
      onProgress: () => {
        heard.push('piece');
        stop.abort();
      },
    };
    expect(await createRehearsal().chat(request(), watch)).toEqual({ kind: 'aborted' });
    expect(await createRehearsal().chat(request(), watch)).toEqual({ kind: 'aborted' });
    expect(heard).toEqual(['piece']);
  });
});

import { join } from 'node:path';
import { createRuntime, showWork, toAddress } from '@crewagent/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { rawReply, streamReply, textReply } from '../../../core/src/testing/models/provider-replies.ts';
import { addScriptedModel, createServerRig, until } from '../testing/server-rig.ts';
import { isIdleWith, prepareThreads, watchWork } from '../testing/thread-rig.ts';

/** A reply that pauses in the middle until it is released. */
function gatedReply(text: string, pieces: number) {
  const chunks = [...(streamReply({ text, pieceLength: 4 }).chunks as string[])];
  let continueRun: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    continueRun = resolve;
  });
  const reply = rawReply({
    async *[Symbol.asyncIterator]() {
      yield* chunks.slice(0, pieces);
      await gate;
      yield* chunks.slice(pieces);
    },
  });
  return { reply, continueRun: () => continueRun() };
}

describe('a run that a conversation drives', () => {
  it('[H40] streams its deltas on its own stream, from the first one on', async () => {
    const rig = await createServerRig();
    const gated = gatedReply('One two three four five six?', 4);
    await addScriptedModel(rig.client, [gated.reply]);
    const ready = await prepareThreads(rig);
    const body = { ...ready, kind: 'workflow', model: 'scripted' } as const;
    const { workId } = await rig.client.works.create({ body });
    const watcher = watchWork(rig.client, workId);
    const [runId = ''] = (await watcher.until(({ state }) => state.runIds.length > 0)).state.runIds;
    await watcher.until(({ runs }) => runs.get(runId)?.streaming?.text === 'One two thre');
    const { runs } = await rig.client.works.show({ workId });
    expect(runs[runId]?.streaming?.text).toBe('One two thre');
    const late = await until(rig.client.works.events({ workId: runId }), () => true);
    expect(late).toMatchObject([{ data: { view: { streaming: { text: 'One two thre' } } } }]);
    gated.continueRun();
    await watcher.until(isIdleWith('reply'));
    const deltas = watcher.messages.flatMap((message) =>
      message.type === 'event' && message.data.type === 'message.delta' ? message.data.text : [],
    );
    expect('One two three four five six?'.endsWith(deltas.join(''))).toBe(true);
    expect(deltas.join('').length).toBeGreaterThanOrEqual('e four five six?'.length);
  });

  it('[H40] is followed by its log again after the conversation has left it', async () => {
    const rig = await createServerRig({ timing: { pollEveryMs: 5 } });
    await addScriptedModel(rig.client, [textReply('Well?')]);
    const ready = await prepareThreads(rig);
    const { works } = rig.client;
    const { workId } = await works.create({
      body: { ...ready, kind: 'agent', model: 'scripted' },
    });
    const watcher = watchWork(rig.client, workId);
    await works.input({ workId, body: { text: 'go' } });
    const [runId = ''] = (await watcher.until(isIdleWith('reply'))).state.runIds;
    await works.input({ workId, body: { text: '/stop' } });
    const other = createRuntime({ storeRoot: join(rig.root, 'store') });
    const run = await other.openRun(runId, { model: { model: 'rehearsal' } });
    onTestFinished(() => run.close());
    await run.engine.resume();
    const { lastSeq } = (await showWork(other.store, toAddress(run.record))).view.own;
    await watcher.until(({ runs }) => runs.get(runId)?.lastSeq === lastSeq);
    expect(rig.bugs).toEqual([]);
  });
});

import { join } from 'node:path';
import type { WorkMessage } from '@crewagent/protocol/api/work-messages';
import { toWorkStory } from '@crewagent/protocol/api/work-messages';
import { calledStory, toWorkItems } from '@crewagent/protocol/story/work-story';
import { describe, expect, it } from 'vitest';
import { writeTree } from '../../../core/src/testing/file-tree.ts';
import { nestedPackage } from '../../../core/src/testing/packages/nested-package.ts';
import { createServerRig, prepare, type ServerRig, until } from '../testing/server-rig.ts';

const end = { type: 'end' } as const;
const waits = { body: 'Ask the user which one. WAIT for the answer.' };

async function startNested(rig: ServerRig, kind: 'run' | 'workflow' = 'run') {
  const folder = join(rig.root, 'nested');
  await writeTree(
    folder,
    nestedPackage({
      '': {
        nodes: {
          start: { outputs: ['artifacts/start.md'] },
          outer: { calls: './a/workflow.md' },
          done: end,
        },
      },
      a: { nodes: { ask: { ...waits, outputs: ['artifacts/asked.md'] }, over: end } },
    }),
  );
  const ready = await prepare(rig, folder);
  const { workId } = await rig.client.works.create({ body: { ...ready, kind, model: 'rehearsal' } });
  const shown = async () => {
    const work = await rig.client.works.show({ workId });
    return { ...work, whole: toWorkStory(work) };
  };
  await expect
    .poll(
      async () => {
        const { work, whole } = await shown();
        return [work.reason?.code, calledStory(whole).pending?.kind];
      },
      { timeout: 20_000 },
    )
    .toEqual(['question', 'question']);
  const { whole } = await shown();
  const child = calledStory(whole);
  return { workId, shown, childId: child.runId, callId: child.pending?.callId ?? '', pending: child.pending };
}

/** The root is complete; called runs, whose events come in the same stream, are complete before it. */
function isOver(workId: string): (message: WorkMessage) => boolean {
  return ({ type, data }) =>
    type === 'event' && data.type === 'phase.changed' && data.runId === workId && data.phase === 'Completed';
}

function answersOf(pending: Awaited<ReturnType<typeof startNested>>['pending']): Record<string, string> {
  const questions = pending?.kind === 'question' ? pending.questions : [];
  return Object.fromEntries(questions.map(({ id }) => [id, 'this one']));
}

describe('a run that called a workflow, over HTTP', () => {
  it.each(['the root', 'the called run'] as const)(
    '[Q44] is answered under the id of %s, and seen as one',
    async (addressee) => {
      const rig = await createServerRig();
      const { workId, shown, childId, callId, pending } = await startNested(rig);
      expect((await rig.client.works.list({})).works.map((work) => work.workId)).toEqual([workId]);
      const before = await shown();
      expect(before.work).toMatchObject({
        reason: { code: 'question', details: { path: [{ nodeId: 'outer' }] } },
      });
      const to = addressee === 'the root' ? workId : childId;
      await rig.client.works.answer({ workId: to, body: { callId, answers: answersOf(pending) } });
      const query = { after: String(before.view.lastSeq) };
      await until(rig.client.works.events({ workId, query }), isOver(workId));
      const { whole } = await shown();
      const kinds = toWorkItems(whole).map(({ depth, item }) => `${depth} ${item.kind}`);
      expect(kinds).toContain('1 question');
      expect(kinds.indexOf('0 call')).toBeLessThan(kinds.indexOf('1 question'));
      expect(kinds.indexOf('1 question')).toBeLessThan(kinds.lastIndexOf('0 mark'));
      expect(rig.bugs).toEqual([]);
    },
  );

  it('[Q44] is taken back, skipped and deleted as one, also in a conversation', async () => {
    const rig = await createServerRig();
    const { workId, shown, childId } = await startNested(rig, 'workflow');
    const { status } = await rig.client.works.rewind({
      workId: childId,
      body: { nodeId: 'ask', undoesFiles: false },
    });
    expect(status).toMatchObject({ reason: { code: 'rewound' } });
    const { state } = await shown();
    const runId = state.activeRunId ?? '';
    expect((await rig.client.works.show({ workId: runId })).work).toMatchObject({
      reason: { code: 'rewound' },
    });
    const { text } = await rig.client.works.state({ workId: runId });
    expect(text).toContain(`childId: ${JSON.stringify(childId)}`);
    await rig.client.works.skip({ workId, body: {} });
    await expect.poll(async () => (await shown()).work.phase, { timeout: 20_000 }).toBe('Completed');
    await rig.client.works.remove({ workId });
    await expect(rig.client.works.show({ workId: childId })).rejects.toMatchObject({
      code: 'WORK_NOT_FOUND',
    });
    expect(rig.bugs).toEqual([]);
  });

  it('[Q44] [U66] is listed with what the called run changed, and undone with it, one by one or all at once', async () => {
    const rig = await createServerRig();
    const { workId, shown, childId, callId, pending } = await startNested(rig);
    const changes = async () =>
      (await rig.client.works.changes({ workId })).changes.map(
        ({ path, nodeId, runId, undone }) => `${path} ${nodeId} ${runId === childId} ${undone}`,
      );
    const { view } = await shown();
    await rig.client.works.answer({ workId, body: { callId, answers: answersOf(pending) } });
    await until(rig.client.works.events({ workId, query: { after: String(view.lastSeq) } }), isOver(workId));
    expect(await changes()).toEqual([
      '@project/artifacts/start.md start false false',
      '@project/artifacts/asked.md outer true false',
    ]);
    const made = (await rig.client.works.changes({ workId })).changes[1];
    await rig.client.works.undo({ workId, body: { callId: made?.callId ?? '', runId: childId } });
    expect(await changes()).toEqual([
      '@project/artifacts/start.md start false false',
      '@project/artifacts/asked.md outer true true',
    ]);
    await rig.client.works.redo({ workId, body: { nodeId: 'outer' } });
    const after = String((await shown()).view.lastSeq);
    const stream = rig.client.works.events({ workId, query: { after } });
    const announced = until(stream, ({ type }) => type === 'snapshot');
    const { files } = await rig.client.works.undo({ workId, body: { all: true } });
    expect(files.map(({ path, outcome }) => `${path} ${outcome}`)).toEqual([
      '@project/artifacts/asked.md deleted',
      '@project/artifacts/start.md deleted',
    ]);
    // What the called run's log has is announced in the stream of the root.
    expect((await announced).at(-1)).toMatchObject({ type: 'snapshot', data: { view: { runId: workId } } });
    expect(rig.bugs).toEqual([]);
  });

  it('[Q44] a called run that is over is not changed by itself', async () => {
    const rig = await createServerRig();
    const { workId, shown, childId, callId, pending } = await startNested(rig);
    const { view } = await shown();
    await rig.client.works.answer({ workId, body: { callId, answers: answersOf(pending) } });
    await until(rig.client.works.events({ workId, query: { after: String(view.lastSeq) } }), isOver(workId));
    await expect(
      rig.client.works.rewind({ workId: childId, body: { nodeId: 'ask', undoesFiles: false } }),
    ).rejects.toMatchObject({ code: 'RUN_NOT_READY' });
    expect(rig.bugs).toEqual([]);
  });
});

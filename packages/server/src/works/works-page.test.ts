import { randomBytes } from 'node:crypto';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createStoreLayout } from '@crewagent/core';
import type { WorkList } from '@crewagent/protocol/api/work-messages';
import { describe, expect, it } from 'vitest';
import { createServerRig, makeRun, type ServerRig } from '../testing/server-rig.ts';

/** Copies of a run, one for each phase; each was changed a minute before the last one. */
async function addCopies(rig: ServerRig, workId: string, phases: readonly string[]): Promise<string[]> {
  const address = await rig.runtime.store.works.find(workId);
  const layout = createStoreLayout(rig.runtime.store.root);
  const { folder, record } = layout.work(address);
  const stored = JSON.parse(await readFile(record, 'utf8')) as Record<string, unknown>;
  const ids = phases.map(() => `${workId.slice(0, 24)}${randomBytes(6).toString('hex')}`);
  for (const [index, phase] of phases.entries()) {
    const copy = join(dirname(folder), ids[index] ?? '');
    const updatedAt = new Date(Date.parse('2026-01-02T00:00:00.000Z') - index * 60_000).toISOString();
    await cp(folder, copy, { recursive: true });
    await writeFile(
      join(copy, 'run.json'),
      JSON.stringify({ ...stored, runId: ids[index], updatedAt, phase, workflowTitle: `Copy ${index}` }),
    );
  }
  return ids;
}

const idsOf = ({ works }: WorkList): string[] => works.map(({ workId }) => workId);

describe('GET /works', () => {
  it('[H41] gives pages, most recently changed first, with counts of all Works', async () => {
    const rig = await createServerRig({});
    const first = await makeRun(rig, 'rehearsal', { isHeldBack: true });
    const ids = await addCopies(rig, first, ['Completed', 'WaitingUser', 'Completed', 'Failed', 'Completed']);
    const { works } = rig.client;
    const whole = await works.list();
    expect(idsOf(whole)).toEqual([first, ...ids]);
    expect(whole).toMatchObject({ counts: { total: 6, waiting: 3 } });
    expect(whole.next).toBeUndefined();
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await works.list({ query: { limit: '2', ...(after === undefined ? {} : { after }) } });
      expect(page.works.length).toBeLessThanOrEqual(2);
      expect(page.counts).toEqual(whole.counts);
      seen.push(...idsOf(page));
      after = page.next;
    } while (after !== undefined);
    expect(seen).toEqual([first, ...ids]);
  });

  it('[H41] filters and searches before it pages', async () => {
    const rig = await createServerRig({});
    const first = await makeRun(rig, 'rehearsal', { isHeldBack: true });
    const ids = await addCopies(rig, first, ['Completed', 'WaitingUser', 'Completed', 'Failed', 'Completed']);
    const { works } = rig.client;
    const done = await works.list({ query: { status: 'done', limit: '2' } });
    expect(idsOf(done)).toEqual([ids[0], ids[2]]);
    const rest = await works.list({ query: { status: 'done', limit: '2', after: done.next ?? '' } });
    expect(idsOf(rest)).toEqual([ids[4]]);
    expect(rest.next).toBeUndefined();
    expect(idsOf(await works.list({ query: { list: 'inbox' } }))).toEqual([first, ids[1], ids[3]]);
    expect(idsOf(await works.list({ query: { text: 'COPY 3' } }))).toEqual([ids[3]]);
    expect(idsOf(await works.list({ query: { text: 'nothing' } }))).toEqual([]);
    expect(idsOf(await works.list({ query: { text: 'nothing', kinds: 'run' } }))).toHaveLength(6);
    expect(idsOf(await works.list({ query: { id: ids[4] ?? '' } }))).toEqual([ids[4]]);
    // The Work of the cursor was deleted meanwhile.
    await rig.client.works.remove({ workId: ids[2] ?? '' });
    expect(idsOf(await works.list({ query: { after: done.next ?? '' } }))).toEqual([ids[3], ids[4]]);
  });

  it('[H41] the stream begins with a page, and reports other Works and the counts when they change', async () => {
    const rig = await createServerRig({ timing: { pollEveryMs: 10 } });
    const first = await makeRun(rig, 'rehearsal', { isHeldBack: true });
    const ids = await addCopies(
      rig,
      first,
      Array.from({ length: 120 }, () => 'Completed'),
    );
    const stream = rig.client.system.events();
    const { value: snapshot } = await stream.next();
    expect(snapshot).toMatchObject({ type: 'snapshot', data: { counts: { total: 121 } } });
    expect(
      snapshot?.type === 'snapshot' && [snapshot.data.works.length, snapshot.data.next !== undefined],
    ).toEqual([100, true]);
    const last = ids.at(-1) ?? '';
    await rig.client.works.remove({ workId: last });
    const messages: unknown[] = [];
    for await (const message of stream) {
      messages.push(message);
      if (message.type === 'counts') break;
    }
    expect(messages).toEqual([
      { type: 'work.removed', data: { workId: last } },
      { type: 'counts', data: expect.objectContaining({ total: 120 }) as unknown },
    ]);
  });
});

it('[H28] says at which step a run is without its story', async () => {
  const rig = await createServerRig({});
  const workId = await makeRun(rig, 'rehearsal');
  const { works } = rig.client;
  await expect.poll(async () => (await works.show({ workId })).work.phase).toBe('WaitingUser');
  const { view } = await works.show({ workId });
  const { currentNodeId, artifacts } = view.state;
  expect(await works.position({ workId })).toEqual({
    position: {
      title: view.nodes.find(({ id }) => id === currentNodeId)?.title,
      files: artifacts.length,
      canGoBack: view.visits.some(({ nodeId }) => nodeId !== currentNodeId),
    },
  });
});

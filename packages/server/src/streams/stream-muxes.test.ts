import { randomUUID } from 'node:crypto';
import { API_ROOT } from '@crewagent/protocol/api/define-endpoint';
import type { MuxMessage } from '@crewagent/protocol/api/streams';
import { describe, expect, it } from 'vitest';
import { createServerRig, prepare, type ServerRig, startTestServer } from '../testing/server-rig.ts';

async function openMux({ client }: Pick<ServerRig, 'client'>) {
  const muxId = randomUUID();
  const connection = new AbortController();
  const stream = client.streams.carry({ muxId }, { signal: connection.signal });
  const received: MuxMessage[] = [];
  const reading = (async () => {
    for await (const { data } of stream) received.push(data);
  })().catch(() => undefined);
  const textOf = (name: string): string =>
    received.flatMap((multiplexed) => (multiplexed.name === name ? [multiplexed.text] : [])).join('');
  // The first frame shows that the connection is open.
  await expect
    .poll(() =>
      client.streams.add({ muxId, body: { name: 'work', path: `${API_ROOT}/events` } }).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  await expect.poll(() => textOf('work')).toContain('event: snapshot');
  const disconnect = async () => {
    connection.abort();
    await reading;
  };
  return { muxId, received, textOf, disconnect };
}

describe('streams that share a connection', () => {
  it('[H40] deliver the same frames as on their own, each under its name, until removed', async () => {
    const rig = await createServerRig({ timing: { pollEveryMs: 5 } });
    const { client } = rig;
    const { muxId, textOf } = await openMux(rig);
    const ready = await prepare(rig);
    const { workId } = await client.works.create({
      body: { ...ready, kind: 'run', model: 'rehearsal', isHeldBack: true },
    });
    const path = `${API_ROOT}/works/${workId}/events`;
    await client.streams.add({ muxId, body: { name: 'run', path: `${path}?after=0` } });
    await client.streams.add({ muxId, body: { name: 'again', path } });
    await expect.poll(() => textOf('run')).toContain('"type":"run.created"');
    await expect.poll(() => textOf('again')).toContain('event: snapshot');
    await expect.poll(() => textOf('work')).toContain(workId);
    await client.streams.remove({ muxId, body: { name: 'again' } });
    const before = textOf('again');
    await client.works.resume({ workId, body: {} });
    await expect.poll(() => textOf('run')).toContain('"type":"question.asked"');
    expect(textOf('again')).toBe(before);
    // `lastEventId` takes precedence over the query of the path.
    await client.streams.add({
      muxId,
      body: { name: 'late', path: `${path}?after=0`, lastEventId: '3' },
    });
    await expect.poll(() => textOf('late')).toContain('id: 4\n');
    expect(textOf('late')).not.toContain('id: 3\n');
  });

  it('[H40] are rejected like streams of their own, and only streams are multiplexed', async () => {
    const rig = await createServerRig();
    const { client } = rig;
    const { muxId } = await openMux(rig);
    const add = (path: string, name = 'x') => client.streams.add({ muxId, body: { name, path } });
    await expect(add(`${API_ROOT}/works/${randomUUID()}/events`)).rejects.toMatchObject({ status: 404 });
    await expect(add(`${API_ROOT}/works/..%2f..%2fx/events`)).rejects.toMatchObject({ code: 'USAGE' });
    await expect(add(`${API_ROOT}/works/%E0%A4%A/events`)).rejects.toMatchObject({ code: 'USAGE' });
    for (const path of [
      `${API_ROOT}/settings`,
      '/',
      'http://elsewhere/api/v1/events',
      `${API_ROOT}/streams/x`,
    ])
      await expect(add(path)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(add(`${API_ROOT}/events`, 'work')).rejects.toMatchObject({ code: 'USAGE' });
    await expect(
      client.streams.add({ muxId: randomUUID(), body: { name: 'x', path: `${API_ROOT}/events` } }),
    ).rejects.toMatchObject({ code: 'STREAM_GONE', status: 410 });
  });

  it('[H40] end when their source ends, and all with the connection', async () => {
    const rig = await startTestServer();
    const { client } = rig;
    const { muxId, received, disconnect } = await openMux(rig);
    const ready = await prepare(rig);
    const { workId } = await client.works.create({
      body: { ...ready, kind: 'run', model: 'rehearsal', isHeldBack: true },
    });
    const path = `${API_ROOT}/works/${workId}/events`;
    await client.streams.add({ muxId, body: { name: 'run', path } });
    await expect
      .poll(() =>
        client.works.remove({ workId }).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    await expect.poll(() => received.some(({ name, isOver }) => name === 'run' && isOver)).toBe(true);
    expect(received.some(({ name, isOver }) => name === 'work' && isOver)).toBe(false);
    await disconnect();
    await expect
      .poll(() =>
        client.streams.remove({ muxId, body: { name: 'work' } }).then(
          () => 'open',
          ({ code }: { code: string }) => code,
        ),
      )
      .toBe('STREAM_GONE');
  });
});

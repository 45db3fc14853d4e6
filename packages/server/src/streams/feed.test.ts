import { describe, expect, it, onTestFinished } from 'vitest';
import { createFeed, type FeedTiming, toFrame } from './feed.ts';

function openFeed(timing: Partial<FeedTiming> = {}) {
  let snapshots = 0;
  const feed = createFeed({ snapshot: () => `snapshot ${++snapshots}\n`, timing });
  onTestFinished(() => feed.close());
  const open = (options?: Parameters<typeof feed.open>[0]) => {
    const reader = feed.open(options).getReader();
    return {
      reader,
      next: async () => new TextDecoder().decode((await reader.read()).value),
    };
  };
  return { feed, open };
}

describe('a feed', () => {
  it('[H40] sends each reader a snapshot, then every published frame', async () => {
    const { feed, open } = openFeed();
    const [one, two] = [open(), open({ first: 'missed\n' })];
    expect(await one.next()).toBe('snapshot 1\n');
    expect(await two.next()).toBe('missed\n');
    feed.publish('a\n');
    feed.publish('b\n');
    expect(await one.next()).toBe('a\nb\n');
    expect(await two.next()).toBe('a\nb\n');
    const waiting = one.next();
    feed.publish('c\n');
    expect(await waiting).toBe('c\n');
  });

  it('[H40] sends a snapshot to a reader that does not keep up, and only to that reader', async () => {
    const { feed, open } = openFeed({ maxQueuedChars: 10 });
    const [slow, fast] = [open({ first: 'x' }), open({ first: 'x' })];
    let received = await fast.next();
    for (let count = 0; count < 5; count++) {
      feed.publish('12345');
      received += await fast.next();
    }
    expect(received).toBe(`x${'12345'.repeat(5)}`);
    // Frames that were queued before are dropped as well: the snapshot contains them.
    expect(await slow.next()).toBe('snapshot 1\n');
    feed.publish('on');
    expect(await slow.next()).toBe('on');
  });

  it('[H40] sends heartbeats while nothing is published', async () => {
    const { open } = openFeed({ heartbeatMs: 5 });
    const { next } = open({ first: 'x' });
    await next();
    expect(await next()).toBe(':\n\n');
    expect(await next()).toBe(':\n\n');
  });

  it('[H40] disconnects a reader that reads nothing', async () => {
    const { feed, open } = openFeed({ heartbeatMs: 5, patienceMs: 10 });
    const stalled = new Promise<void>((resolve) => {
      open({ first: 'x', onStalled: resolve });
    });
    feed.publish('a');
    await stalled;
    expect(feed.readers).toBe(0);
  });

  it('[H52] ends all streams when it is closed', async () => {
    const { feed, open } = openFeed();
    const { reader, next } = open({ first: 'x' });
    await next();
    const ending = reader.read();
    feed.close();
    expect(await ending).toEqual({ done: true, value: undefined });
  });

  it('[H40] does not wait for a reader that went away', async () => {
    const { feed, open } = openFeed();
    const { reader } = open();
    expect(feed.readers).toBe(1);
    await reader.cancel();
    expect(feed.readers).toBe(0);
  });

  it('[H40] writes events in the standard format', () => {
    expect(toFrame('{}')).toBe('data: {}\n\n');
    expect(toFrame('{}', { event: 'snapshot', id: 4 })).toBe('event: snapshot\nid: 4\ndata: {}\n\n');
  });
});

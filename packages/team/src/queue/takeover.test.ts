import { describe, expect, it, vi } from 'vitest';
import { STEPS, startChainTeam } from '../testing/chain-team.ts';
import type { KillAt } from '../testing/kill-at.ts';
import { spawnWorker } from '../testing/worker-process.ts';

const TEXT = 'Remember the milk.';

describe('A message to a Work that is running', { timeout: 240_000 }, () => {
  it.each<KillAt['moment']>(['commit', 'accepted'])(
    'is heard once, also if its worker dies before the %s',
    async (moment) => {
      const { database, create, written, eventsOf } = await startChainTeam({ delayMs: 150 });
      const victim = await spawnWorker(database.url, { killAt: { text: TEXT, moment } });
      const work = await create();
      const { workId } = work.record;
      const options = { onAccepted: () => undefined };
      const ended = work.start(undefined, options);
      await vi.waitFor(
        async () => expect((await eventsOf(workId)).some(({ type }) => type === 'tool.ended')).toBe(true),
        { timeout: 120_000, interval: 10 },
      );
      const sent = work.input(TEXT, options);
      await vi.waitFor(() => expect(victim.process.signalCode).toBe('SIGKILL'), { timeout: 60_000 });
      await spawnWorker(database.url);
      expect(await ended).toMatchObject({ phase: 'Completed' });
      await sent;
      const heard = (await eventsOf(workId)).filter(
        (event) => event.type === 'input.queued' && event.content === TEXT,
      );
      expect(heard).toHaveLength(1);
      expect(await written()).toHaveLength(STEPS);
      await work.close();
    },
  );
});

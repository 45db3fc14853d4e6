import { expect, it, vi } from 'vitest';
import { startChainTeam } from '../testing/chain-team.ts';

it('an approval that a server sends names who gave it', async () => {
  const ben = { personId: 'ben', name: 'Ben' };
  const { database, create } = await startChainTeam({}, ben);
  const work = await create();
  // Nobody executes it here.
  void work.approve({ decision: 'once' }).catch(() => undefined);
  const row = await vi.waitFor(async () => {
    const [found] = await database.read<{ person: string; arguments: string }>(
      "select person, arguments from commands where method = 'approve'",
    );
    if (!found) throw new Error('nothing was sent yet');
    return found;
  });
  expect(row.person).toBe('ben');
  expect(JSON.parse(row.arguments)).toMatchObject({ args: [{ decision: 'once', by: 'Ben' }] });
});

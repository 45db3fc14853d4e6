import { toAddress } from '@crewagent/core/store';
import { expect, it } from 'vitest';
import { sampleDraft } from '../../../core/src/testing/sample-record.ts';
import { countStatements } from '../testing/counted-database.ts';
import { databaseWithProjects, openTestWorks } from '../testing/test-works.ts';

const WORKS = 20;
const now = (): Date => new Date('2026-01-31T09:30:00.000Z');

it('commits of many Works go together, and one whose lease is lost fails alone', async () => {
  const database = await databaseWithProjects();
  let writes = 0;
  const counted = countStatements(database, (statement) => {
    if (statement === 'write') writes++;
  });
  const works = await openTestWorks(counted);
  const opened = await Promise.all(
    Array.from({ length: WORKS }, async () => {
      const address = toAddress(await works.create(sampleDraft(), { now }));
      const lease = await works.lease(address);
      return { address, lease, log: await works.openLog(address, { now }) };
    }),
  );
  const commitAll = (message: string) => {
    for (const { log } of opened) log.append({ type: 'warning', message });
    return Promise.allSettled(opened.map(({ log }) => log.sync()));
  };
  writes = 0;
  await commitAll('together');
  expect(writes).toBeLessThan(WORKS / 2);

  const lost = opened[7]?.address.workId ?? '';
  await database.write('update work_heads set epoch = epoch + 1 where work_id = $1', [lost]);
  const outcomes = await commitAll('again');
  const failed = opened.filter((_, index) => outcomes[index]?.status === 'rejected');
  expect(failed.map(({ address }) => address.workId)).toEqual([lost]);
  for (const { address, lease } of opened) {
    const messages: string[] = [];
    await works.readLog(address, (event) => event.type === 'warning' && messages.push(event.message));
    expect(messages).toEqual(address.workId === lost ? ['together'] : ['together', 'again']);
    await lease.release().catch(() => undefined);
  }
});

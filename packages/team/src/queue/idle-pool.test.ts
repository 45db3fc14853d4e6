import { expect, it, onTestFinished } from 'vitest';
import { testDatabase } from '../testing/team-rig.ts';
import { openIdlePool } from './idle-pool.ts';

it('a query waits while nothing runs, and is let in as soon as something does', async () => {
  const database = await testDatabase();
  const { pool, use, settle } = openIdlePool(database.url);
  onTestFinished(() => pool.end());
  await pool.query('select 1');

  settle();
  let isDone = false;
  const waiting = pool.query('select 1').then(() => {
    isDone = true;
  });
  for (let at = 0; at < 10; at++) await database.read('select 1');
  expect(isDone).toBe(false);

  use();
  await waiting;
  (await pool.connect()).release();
});

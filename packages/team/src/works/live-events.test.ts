import { describe, expect, it, vi } from 'vitest';
import { countStatements } from '../testing/counted-database.ts';
import { testDatabase } from '../testing/team-rig.ts';
import { createFollowing } from './live-events.ts';

const WORKS = 450;
const idOf = (index: number): string => `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`;

async function setUp() {
  const database = await testDatabase();
  await database.write("insert into projects (project_id, document, source) values ('p', '{}', '{}')");
  await database.write(
    `insert into works (work_id, project_id, root_id, is_run, phase, record)
     select id, 'p', id, true, 'WaitingUser', '{}' from unnest($1::text[]) as id`,
    [Array.from({ length: WORKS }, (_, index) => idOf(index))],
  );
  await database.write('insert into work_heads (work_id, last_seq) select work_id, 3 from works');
  return database;
}

describe('A process that watches many Works', () => {
  it('asks once for all of them, and hears of what came before it listened or without a notice', async () => {
    const database = await setUp();
    const asked: string[] = [];
    const follow = createFollowing({
      ...countStatements(database, () => undefined),
      read: (sql, parameters) => {
        asked.push(sql);
        return database.read(sql, parameters);
      },
    });
    const heard = new Map<string, number>();
    const ends = Array.from({ length: WORKS }, (_, index) => {
      const workId = idOf(index);
      // One of them has read less than there is.
      const onNew = (): void => void heard.set(workId, (heard.get(workId) ?? 0) + 1);
      return follow(workId, () => (index === 7 ? 2 : 3))(onNew, () => undefined);
    });
    await vi.waitFor(() => expect([...heard.keys()]).toEqual([idOf(7)]), { timeout: 10_000 });
    asked.length = 0;
    heard.clear();
    // No notice is given.
    await database.write('update work_heads set last_seq = 4 where work_id = $1', [idOf(9)]);
    await vi.waitFor(() => expect(heard.has(idOf(9))).toBe(true), { timeout: 20_000 });
    expect(asked.length).toBeLessThan(4);
    await database.write("select pg_notify('crewagent_events', $1)", [`${idOf(11)} 4`]);
    await vi.waitFor(() => expect(heard.has(idOf(11))).toBe(true), { timeout: 10_000 });
    for (const end of ends) end();
  });

  it('tells workers of all of them, so that they send texts in progress', async () => {
    const database = await setUp();
    const watched = new Set<string>();
    const unsubscribe = database.notices.subscribe('crewagent_watched', (text) => {
      for (const id of text?.split(' ') ?? []) watched.add(id);
    });
    await database.read('select 1');
    const follow = createFollowing(database);
    const ends = Array.from({ length: WORKS }, (_, index) =>
      follow(idOf(index), () => 3)(
        () => undefined,
        () => undefined,
      ),
    );
    await vi.waitFor(() => expect(watched.size).toBe(WORKS), { timeout: 30_000 });
    for (const end of ends) end();
    unsubscribe();
  });
});

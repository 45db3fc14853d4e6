import { describe, expect, it } from 'vitest';
import { countStatements } from '../testing/counted-database.ts';
import { testDatabase } from '../testing/team-rig.ts';
import { createPostgresDocument } from './postgres-document.ts';

async function setUp() {
  const database = await testDatabase();
  let statements = 0;
  const counted = countStatements(database, () => {
    statements++;
  });
  let work: object | undefined;
  const document = createPostgresDocument(counted, 'settings', () => work);
  const elsewhere = createPostgresDocument(database, 'settings');
  const store = (one: typeof document, value: unknown) => one.change((write) => write(value));
  await store(elsewhere, { count: 1 });
  return {
    ...{ document, elsewhere, store },
    begin: (next: object | undefined) => {
      work = next;
    },
    statements: () => statements,
  };
}

describe('A document of the database', () => {
  it('is read once by a piece of work that asks for it several times, and again by the next one', async () => {
    const { document, elsewhere, store, begin, statements } = await setUp();
    begin({});
    for (let index = 0; index < 4; index++) expect(await document.read()).toEqual({ count: 1 });
    expect(statements()).toBe(1);
    await store(elsewhere, { count: 2 });
    begin({});
    expect(await document.read()).toEqual({ count: 2 });
    begin(undefined);
    for (let index = 0; index < 2; index++) expect(await document.read()).toEqual({ count: 2 });
    expect(statements()).toBe(4);
  });

  it('is changed from what is stored, never from what the work has read before', async () => {
    const { document, elsewhere, store, begin } = await setUp();
    begin({});
    expect(await document.read()).toEqual({ count: 1 });
    await store(elsewhere, { count: 5 });
    await document.change(async (write) => {
      const { count } = (await document.read()) as { count: number };
      await write({ count: count + 1 });
    });
    expect(await document.read()).toEqual({ count: 6 });
    expect(await elsewhere.read()).toEqual({ count: 6 });
  });
});

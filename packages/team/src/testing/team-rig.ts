/** A database for tests: one PostgreSQL for all processes of the tests, a database of its own for each caller. */
import { mkdirSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { inject, onTestFinished } from 'vitest';
import { type Database, openDatabase } from '../database/database.ts';
import { migrate } from '../database/migrate.ts';
import { startLocalPostgres } from '../local-postgres.ts';
import { migrateQueue } from '../queue/advance-queue.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Of scripts/postgres-for-tests.mjs, which stops the server. */
    readonly postgresFolder: string;
  }
}

let shared: Promise<string> | undefined;
let count = 0;

/** Starts it, unless another process has begun to. */
async function startShared(): Promise<string> {
  const folder = inject('postgresFolder');
  const addressFile = join(folder, 'address');
  if (isFirst(join(folder, 'started'))) {
    const { url, process: server } = await startLocalPostgres({
      folder: join(folder, 'database'),
      isThrowaway: true,
    });
    server.unref();
    await makeTemplate(url);
    await writeFile(`${addressFile}.new`, url);
    await rename(`${addressFile}.new`, addressFile);
  }
  for (;;) {
    const url = await readFile(addressFile, 'utf8').catch(() => undefined);
    if (url !== undefined) return url;
    await wait(50);
  }
}

function isFirst(mark: string): boolean {
  try {
    mkdirSync(mark);
    return true;
  } catch {
    return false;
  }
}

const TEMPLATE = 'template_of_tests';

/** With the current schema and the queue: each test copies it, which takes less time than making it. */
async function makeTemplate(url: string): Promise<void> {
  const admin = openDatabase(url, { connections: 1 });
  await admin.write(`create database ${TEMPLATE}`);
  await admin.close();
  const database = openDatabase(toUrlOf(url, TEMPLATE), { connections: 2 });
  try {
    await migrate(database);
    await migrateQueue(database);
  } finally {
    await database.close();
  }
}

function toUrlOf(url: string, name: string): string {
  return url.replace(/\/postgres$/, `/${name}`);
}

/** Address of a database that is dropped after the test; empty, or with the current schema and the queue. */
export async function testDatabaseUrl({ isEmpty = true } = {}): Promise<string> {
  shared ??= startShared();
  const url = await shared;
  const name = `test_${process.pid}_${count++}`;
  const admin = openDatabase(url, { connections: 1 });
  await admin.write(`create database ${name} ${isEmpty ? '' : `template ${TEMPLATE}`}`);
  onTestFinished(async () => {
    await admin.write(`drop database if exists ${name} with (force)`);
    await admin.close();
  });
  return toUrlOf(url, name);
}

/** An open database with the current schema and the queue. */
export async function testDatabase(): Promise<Database> {
  const database = openDatabase(await testDatabaseUrl({ isEmpty: false }));
  onTestFinished(() => database.close());
  return database;
}

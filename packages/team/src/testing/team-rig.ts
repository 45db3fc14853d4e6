/** A database for tests: one PostgreSQL per test process, a database of its own for each caller. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Database, openDatabase } from '../database/database.ts';
import { migrate } from '../database/migrate.ts';
import { type LocalPostgres, startLocalPostgres } from '../local-postgres.ts';
import { migrateQueue } from '../queue/advance-queue.ts';

let started: Promise<LocalPostgres> | undefined;
let count = 0;

async function sharedPostgres(): Promise<LocalPostgres> {
  started ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'crewagent-test-postgres-'));
    // PostgreSQL runs as another user where the tests run as root.
    chmodSync(folder, 0o711);
    const postgres = await startLocalPostgres({ folder: join(folder, 'database'), isThrowaway: true });
    process.once('exit', () => {
      postgres.process.kill('SIGQUIT');
      rmSync(folder, { recursive: true, force: true });
    });
    postgres.process.unref();
    return postgres;
  })();
  return started;
}

const TEMPLATE = 'template_of_tests';

/** With the current schema and the queue: each test copies it, which takes less time than making it. */
let template: Promise<void> | undefined;

async function makeTemplate(url: string, admin: Database): Promise<void> {
  await admin.write(`create database ${TEMPLATE}`);
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
  const { url } = await sharedPostgres();
  const name = `test_${process.pid}_${count++}`;
  const admin = openDatabase(url, { connections: 1 });
  if (!isEmpty) {
    template ??= makeTemplate(url, admin);
    await template;
  }
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

/** A database for tests: one PostgreSQL per test process, a database of its own for each caller. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Database, openDatabase } from '../database/database.ts';
import { migrate } from '../database/migrate.ts';
import { type LocalPostgres, startLocalPostgres } from '../local-postgres.ts';

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

/** Address of an empty database that is dropped after the test. */
export async function testDatabaseUrl(): Promise<string> {
  const { url } = await sharedPostgres();
  const name = `test_${process.pid}_${count++}`;
  const admin = openDatabase(url, { connections: 1 });
  await admin.write(`create database ${name}`);
  onTestFinished(async () => {
    await admin.write(`drop database if exists ${name} with (force)`);
    await admin.close();
  });
  return url.replace(/\/postgres$/, `/${name}`);
}

/** An open database with the current schema. */
export async function testDatabase(): Promise<Database> {
  const database = openDatabase(await testDatabaseUrl());
  onTestFinished(() => database.close());
  await migrate(database);
  return database;
}

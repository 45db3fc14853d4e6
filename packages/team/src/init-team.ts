/** `crewagent team init`: the tables, the queue and the first administrator. May be repeated. */
import { type Accounts, createAccounts } from './accounts/accounts.ts';
import { openDatabase } from './database/database.ts';
import { migrate } from './database/migrate.ts';
import { toLink } from './http/account-routes.ts';
import { migrateQueue } from './queue/advance-queue.ts';

export interface InitOptions {
  /** An administrator: the first one is created, and one that is there gets another link. */
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly publicUrl?: string | undefined;
}

/** `link`: with which the administrator signs in once. */
export async function initTeam(
  databaseUrl: string,
  { email, name = email?.split('@')[0], publicUrl = 'http://127.0.0.1' }: InitOptions,
): Promise<{ readonly link?: string }> {
  // A migration of large tables, or of another process, takes its time.
  const database = openDatabase(databaseUrl, { connections: 4, patienceMs: 10_000, statementMs: 0 });
  try {
    await migrate(database);
    await migrateQueue(database);
    if (email === undefined || name === undefined) return {};
    const token = await createSignIn(createAccounts({ database }), { email, name });
    return { link: toLink({ publicUrl: new URL(publicUrl).origin }, 'sign-in', token) };
  } finally {
    await database.close();
  }
}

/** Whoever has the database may sign in as an administrator. */
async function createSignIn(
  accounts: Accounts,
  { email, name }: { readonly email: string; readonly name: string },
): Promise<string> {
  const known = await accounts.people.findByEmail(email);
  if (known?.isAdmin) return accounts.links.createSignIn(known.personId);
  return (await accounts.createFirstAdmin({ email, name })).token;
}

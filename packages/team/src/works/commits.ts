/**
 * Commits of the Works that this process holds. Those that come while others are under way are sent together, in one statement and one
 * transaction: with many runs the database writes and answers once for several of them, and with one run nothing waits.
 */
import { addSpending, type Spending } from '../costs/spending.ts';
import { ConnectionLost, type Database, type Parameter } from '../database/database.ts';
import { leaseLost } from './leases.ts';

/** Everything that a Work has collected, in the order of `commit_work`. */
export interface Commit {
  readonly workId: string;
  readonly epoch: string;
  /** Number of commits before this one. */
  readonly after: number;
  readonly lastSeq: number;
  readonly events: readonly string[];
  readonly statePaths: readonly string[];
  readonly stateContents: readonly (Buffer | null)[];
  readonly stateHashes: readonly (string | null)[];
  readonly journalAfter: number;
  readonly journal: readonly string[];
  readonly changedPaths: readonly string[];
  readonly changedEntries: readonly (string | null)[];
  /** Commands whose first event is among these. */
  readonly begun: readonly string[];
  /** What the models of its turns cost. */
  readonly spent: readonly Spending[];
}

export interface Commits {
  /** When this resolves, the commit is stored. Rejects with RUN_LOCKED if the lease was lost. */
  add(commit: Commit): Promise<void>;
  /** Rejects with RUN_LOCKED if the lease was lost. */
  requireLease(held: Pick<Commit, 'workId' | 'epoch'>): Promise<void>;
}

const TYPES = [
  ...['text', 'bigint', 'integer', 'integer', 'text[]', 'text[]', 'bytea[]', 'text[]', 'integer', 'text[]'],
  ...['text[]', 'text[]'],
];
/** Statements under way at once: one is written while the other one is read. */
const LANES = 2;
const MOST_TOGETHER = 16;

interface Waiting {
  readonly commit: Commit;
  resolve(): void;
  reject(error: unknown): void;
}

export function createCommits(database: Database): Commits {
  const waiting: Waiting[] = [];
  let underWay = 0;

  const send = async (): Promise<void> => {
    underWay++;
    // Locks are taken in one order, so that statements do not wait for each other in a circle.
    const batch = waiting
      .splice(0, MOST_TOGETHER)
      .sort((a, b) => (a.commit.workId < b.commit.workId ? -1 : 1));
    try {
      await store(
        database,
        batch.map(({ commit }) => commit),
      );
      for (const { resolve } of batch) resolve();
    } catch {
      // Nothing of it is stored, or nobody knows; each one finds out for itself.
      for (const { commit, resolve, reject } of batch) storeAlone(database, commit).then(resolve, reject);
    } finally {
      underWay--;
      if (waiting.length > 0) void send();
    }
  };
  return {
    add: (commit) =>
      new Promise((resolve, reject) => {
        waiting.push({ commit, resolve, reject });
        if (underWay < LANES) void send();
      }),
    requireLease: async (held) => void (await readCommits(database, held)),
  };
}

async function store(database: Database, commits: readonly Commit[]): Promise<void> {
  const calls = commits.map((_, call) => {
    const places = TYPES.map((type, index) => `$${call * TYPES.length + index + 1}::${type}`);
    return `commit_work(${places.join(', ')})`;
  });
  const parameters = commits.flatMap(toParameters);
  const spent = commits.flatMap(({ workId, spent: spendings }) =>
    spendings.map((spending) => ({ workId, ...spending })),
  );
  if (spent.length > 0) calls.push(addSpending(spent, parameters));
  const begun = commits.flatMap((commit) => commit.begun);
  if (begun.length === 0) await database.write(`select ${calls.join(', ')}`, parameters);
  else
    await database.write(
      `with begun as (
         update commands set has_begun = true where command_id = any($${parameters.length + 1}::bigint[]))
       select ${calls.join(', ')}`,
      [...parameters, begun],
    );
}

function toParameters(commit: Commit): Parameter[] {
  return [
    ...[commit.workId, commit.epoch, commit.after, commit.lastSeq, commit.events],
    ...[commit.statePaths, commit.stateContents, commit.stateHashes],
    ...[commit.journalAfter, commit.journal, commit.changedPaths, commit.changedEntries],
  ];
}

async function storeAlone(database: Database, commit: Commit): Promise<void> {
  while (!(await isStored(database, commit)))
    try {
      return await store(database, [commit]);
    } catch (error) {
      // One that was cut off may be stored by now; then this one came too late.
      if (isFenced(error) && !(await isStored(database, commit))) throw leaseLost();
      if (!isFenced(error) && !(error instanceof ConnectionLost)) throw error;
    }
}

/** The number of commits tells. */
async function isStored(database: Database, { after, ...held }: Commit): Promise<boolean> {
  return (await readCommits(database, held)) > after;
}

async function readCommits(
  database: Database,
  { workId, epoch }: Pick<Commit, 'workId' | 'epoch'>,
): Promise<number> {
  const [head] = await database.read<{ commits: number }>(
    'select commits from work_heads where work_id = $1 and epoch = $2',
    [workId, epoch],
  );
  if (!head) throw leaseLost();
  return head.commits;
}

function isFenced(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === 'CA001';
}

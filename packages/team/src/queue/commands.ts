/** Commands to Works as rows: sent by servers, executed by workers, answered in the row. */
import { CrewError } from '@crewagent/core';
import type { Commands, Questions, SentError, WorkState } from '@crewagent/server/team';
import type { Database } from '../database/database.ts';
import { type Claim, lockRoot } from './claims.ts';

export type Method = Exclude<keyof Commands | keyof Questions, 'close'>;

export interface Command {
  readonly commandId: string;
  readonly workId: string;
  readonly method: Method;
  readonly call: Call;
  readonly state: 'queued' | 'taken' | 'accepted' | 'handed-over';
  /** An event of it is stored. */
  readonly hasBegun: boolean;
}

/** The arguments of a command. */
export interface Call {
  readonly args: readonly unknown[];
  /** Number of the argument that gets an `onAccepted`; -1 for none. */
  readonly acceptAt: number;
  /** Replaces the model of the Work. */
  readonly model?: string | undefined;
}

/** What a worker answers. */
export interface Reply {
  readonly state: 'accepted' | 'handed-over' | 'done' | 'failed';
  readonly value?: unknown;
  readonly error?: SentError | undefined;
  readonly work?: WorkState | undefined;
  /** Of one that is handed over: not before. */
  readonly dueAt?: string | undefined;
}

export const COMMANDS_CHANNEL = 'crewagent_commands';
const REPLIES_CHANNEL = 'crewagent_replies';

export interface NewCommand {
  readonly workId: string;
  readonly method: Method;
  readonly call: Call;
  readonly person?: string | undefined;
}

export interface SentCommand {
  readonly commandId: string;
  readonly rootId: string;
  /** No worker has claimed the tree: an advance must be queued, in this transaction. */
  readonly isUnclaimed: boolean;
  /** How many commands of the same person or in the same project wait: the more, the later, so that everybody gets a share. */
  readonly waiting: number;
  /** That a worker must have, sorted. */
  readonly labels: readonly string[];
}

/** More are not counted. */
const MANY = 1_000;

/** Stores the command; `queue` runs in the same transaction. */
export async function sendCommand(
  database: Database,
  { workId, method, person, call }: NewCommand,
  queue: (
    sent: SentCommand,
    connection: Parameters<Parameters<Database['transaction']>[0]>[1],
  ) => Promise<unknown>,
): Promise<SentCommand> {
  return database.transaction(async (queries, connection) => {
    const [found] = await queries.write<{ root_id: string; labels: string[] }>(
      'select root_id, labels_of(root_id) as labels from works where work_id = $1',
      [workId],
    );
    if (!found)
      throw new CrewError('WORK_NOT_FOUND', 'There is no run or conversation with this id any more.');
    const { root_id: rootId, labels } = found;
    await lockRoot(queries, rootId);
    const [row] = await queries.write<{ command_id: string; claimed: boolean | null; waiting: string }>(
      `insert into commands (root_id, work_id, method, arguments, person, project_id)
       select $1, $2, $3, $4, $5, project_id from works where work_id = $1
       returning command_id, (select claimed_until > now() from claims where root_id = $1) as claimed,
         least(
           (select count(*) from (
              select from commands where person is not distinct from $5 and state = 'queued' limit ${MANY}) as theirs),
           (select count(*) from (
              select from commands as other where other.project_id = commands.project_id and state = 'queued'
              limit ${MANY}) as beside)) as waiting`,
      [rootId, workId, method, JSON.stringify(call), person ?? null],
    );
    if (!row) throw new Error('an insert returns its row');
    await queries.write(`select pg_notify('${COMMANDS_CHANNEL}', $1)`, [rootId]);
    const { command_id: commandId, claimed, waiting } = row;
    const sent = { commandId, rootId, isUnclaimed: claimed !== true, waiting: Number(waiting), labels };
    await queue(sent, connection);
    return sent;
  });
}

interface CommandRow {
  readonly command_id: string;
  readonly work_id: string;
  readonly method: Method;
  readonly arguments: string;
  readonly state: Command['state'];
  readonly has_begun: boolean;
}

/** States of commands that are not complete. */
export const OPEN = "('queued', 'taken', 'accepted', 'handed-over')";

export const IS_DUE = '(due_at is null or due_at <= now())';

/** Commands of a tree that are not complete and not to be continued later, in order. */
export async function listOpenCommands(database: Database, rootId: string): Promise<Command[]> {
  const rows = await database.read<CommandRow>(
    `select command_id, work_id, method, arguments, state, has_begun from commands
     where root_id = $1 and state in ${OPEN} and ${IS_DUE} order by command_id`,
    [rootId],
  );
  return rows.map((row) => ({
    commandId: row.command_id,
    workId: row.work_id,
    method: row.method,
    call: JSON.parse(row.arguments) as Call,
    state: row.state,
    hasBegun: row.has_begun,
  }));
}

/** Only the worker with the claim may write. */
const IS_OURS = 'exists (select from claims where claims.root_id = commands.root_id and claims.epoch = $2)';

/** No server takes it back from now on. */
export async function takeCommand(
  database: Database,
  { epoch }: Claim,
  { commandId }: Command,
): Promise<void> {
  await database.read(`update commands set state = 'taken' where command_id = $1 and ${IS_OURS}`, [
    commandId,
    epoch,
  ]);
}

/**
 * Marks what this worker has begun as handed over, before it is stopped: otherwise a worker that dies right after would leave Works that
 * look as if a person had stopped them. False if the claim is lost.
 */
export async function handOver(database: Database, { rootId, epoch }: Claim): Promise<boolean> {
  const ours = await database.read(
    `with ours as (select root_id from claims where root_id = $1 and epoch = $2),
     marked as (
       update commands set state = 'handed-over' from ours
       where commands.root_id = ours.root_id and (state = 'accepted' or state = 'taken' and has_begun))
     select from ours`,
    [rootId, epoch],
  );
  return ours.length > 0;
}

export async function answerCommand(
  database: Database,
  { epoch }: Claim,
  { commandId }: Command,
  reply: Reply,
): Promise<void> {
  await database.read(
    `with answered as (
       update commands set state = $3, reply = $4, due_at = $5 where command_id = $1 and ${IS_OURS} returning command_id)
     select pg_notify('${REPLIES_CHANNEL}', command_id::text) from answered`,
    [commandId, epoch, reply.state, JSON.stringify(reply), reply.dueAt ?? null],
  );
}

/** Waits for the answers to commands of this process. */
export function createReplies(database: Database) {
  const waiting = new Map<string, (reply: Reply) => void>();
  let unsubscribe: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;

  const look = async (commandIds: readonly string[]): Promise<void> => {
    if (commandIds.length === 0) return;
    const rows = await database.read<{ command_id: string; reply: string }>(
      'select command_id, reply from commands where command_id = any($1::bigint[]) and reply is not null',
      [commandIds],
    );
    for (const row of rows) waiting.get(row.command_id)?.(JSON.parse(row.reply) as Reply);
  };
  const lookSafely = (commandIds: readonly string[]): void => void look(commandIds).catch(() => undefined);
  const begin = (): void => {
    unsubscribe ??= database.notices.subscribe(REPLIES_CHANNEL, (commandId) =>
      lookSafely(commandId === undefined ? [...waiting.keys()] : [commandId].filter((id) => waiting.has(id))),
    );
    timer ??= setInterval(() => lookSafely([...waiting.keys()]), LOOK_EVERY_MS).unref();
  };
  return {
    /** `onReply` is called with each answer, until one of them is final. */
    expect(commandId: string, onReply: (reply: Reply) => void): void {
      let last: Reply['state'] | undefined;
      waiting.set(commandId, (reply) => {
        // Another worker goes on; whoever waits need not know.
        if (reply.state === 'handed-over') return;
        if (reply.state !== 'accepted') waiting.delete(commandId);
        if (last !== reply.state) onReply(reply);
        last = reply.state;
      });
      begin();
      lookSafely([commandId]);
    },
    close(): void {
      unsubscribe?.();
      clearInterval(timer);
    },
  };
}

/** For notices that were lost. */
const LOOK_EVERY_MS = 2_000;

import type { Commands, Questions, SentError, WorkState } from '@crewagent/server/team';
import type { Database } from '../database/database.ts';
import { type Claim } from './claims.ts';
export type Method = Exclude<keyof Commands | keyof Questions, 'close'>;
export interface Command {
  readonly commandId: string;
  readonly workId: string;
  readonly method: Method;
  readonly call: Call;
  readonly state: 'queued' | 'taken' | 'accepted' | 'handed-over';
  readonly takenSeq: number | null;
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
}
export declare const COMMANDS_CHANNEL = 'crewagent_commands';
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
}
/** Stores the command; `queue` runs in the same transaction. */
export declare function sendCommand(
  database: Database,
  { workId, method, person, call }: NewCommand,
  queue: (
    sent: SentCommand,
    connection: Parameters<Parameters<Database['transaction']>[0]>[1],
  ) => Promise<unknown>,
): Promise<SentCommand>;
/** States of commands that are not complete. */
export declare const OPEN = "('queued', 'taken', 'accepted', 'handed-over')";
/** Commands of a tree that are not complete, in order. */
export declare function listOpenCommands(database: Database, rootId: string): Promise<Command[]>;
/** Marks it as begun, with the last event of its Work. */
export declare function takeCommand(
  database: Database,
  { epoch }: Claim,
  { commandId, workId }: Command,
): Promise<void>;
export declare function answerCommand(
  database: Database,
  { epoch }: Claim,
  { commandId }: Command,
  reply: Reply,
): Promise<void>;
/** Waits for the answers to commands of this process. */
export declare function createReplies(database: Database): {
  /** `onReply` is called with each answer, until one of them is final. */
  expect(commandId: string, onReply: (reply: Reply) => void): void;
  close(): void;
};

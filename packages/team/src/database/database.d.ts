import pg from 'pg';
import { type Notices } from './notices.ts';
export type Parameter = string | number | bigint | boolean | Date | Buffer | null | readonly Parameter[];
export interface Queries {
  /** A statement that only reads, or that may be executed twice. */
  read<Row extends object>(sql: string, parameters?: readonly Parameter[]): Promise<Row[]>;
  write<Row extends object>(sql: string, parameters?: readonly Parameter[]): Promise<Row[]>;
}
export interface Database extends Queries {
  readonly url: string;
  /** All or nothing. `work` is not repeated; it gets the connection too, for libraries that write in the same transaction. */
  transaction<T>(work: (queries: Queries, connection: pg.ClientBase) => Promise<T>): Promise<T>;
  /** Runs `work` while no other process does so with the same lock. No transaction is open meanwhile. */
  withLock<T>(lock: number, work: () => Promise<T>): Promise<T>;
  readonly notices: Notices;
  close(): Promise<void>;
}
/** The connection was cut off while a statement was executed. */
export declare class ConnectionLost extends Error {}
export interface DatabaseOptions {
  /** Most connections at once. */
  readonly connections?: number;
  /** How long a server that does not answer is waited for. */
  readonly patienceMs?: number;
}
/** All tables are in a schema of ours, so that the database can be shared with other programs. */
export declare const SCHEMA = 'crewagent';
export declare function openDatabase(url: string, options?: DatabaseOptions): Database;
export declare function isConnectionError(error: unknown): boolean;

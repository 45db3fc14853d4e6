/** A database that calls a function before each statement, commits included: for tests that stop there. */
import type { Database, Queries } from '../database/database.ts';

export type Statement = 'read' | 'write' | 'commit';

export function countStatements(database: Database, before: (statement: Statement) => void): Database {
  const counted = ({ read, write }: Queries): Queries => ({
    async read(sql, parameters) {
      before('read');
      return read(sql, parameters);
    },
    async write(sql, parameters) {
      before('write');
      return write(sql, parameters);
    },
  });
  return {
    ...database,
    ...counted(database),
    transaction: (work) =>
      database.transaction(async (queries, connection) => {
        const result = await work(counted(queries), connection);
        before('commit');
        return result;
      }),
  };
}

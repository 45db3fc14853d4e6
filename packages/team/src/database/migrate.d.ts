import { type Database } from './database.ts';
export declare function migrate(database: Database): Promise<void>;
/** Throws if the schema is not the one of this version: `crewagent team init` migrates. */
export declare function requireMigrated(database: Database): Promise<void>;

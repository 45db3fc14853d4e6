import { type Database } from '../database/database.ts';
/** Address of an empty database that is dropped after the test. */
export declare function testDatabaseUrl(): Promise<string>;
/** An open database with the current schema. */
export declare function testDatabase(): Promise<Database>;

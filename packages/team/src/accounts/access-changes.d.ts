/** Tells all servers that somebody may see more or less than before: open streams are checked again. */
import type { Queries } from '../database/database.ts';
export declare const ACCESS_CHANNEL = 'crewagent_access';
export declare function announceAccess(queries: Queries, personId: string): Promise<void>;

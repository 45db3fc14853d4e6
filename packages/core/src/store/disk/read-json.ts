/** Reads and validates a JSON file; undefined if it is missing or damaged. */
import type * as z from '@crewagent/protocol/zod';
import { CrewError } from '../../base/crew-error.ts';
import { readStoreFile } from './store-file.ts';

export async function readJson<T>(file: string, schema: z.ZodMiniType<T>): Promise<T | undefined> {
  try {
    return schema.safeParse(await readStoreFile(file)).data;
  } catch (error) {
    if (error instanceof CrewError && error.code === 'STORE_DAMAGED') return undefined;
    throw error;
  }
}

/** The file uses of many runs, from a document of the store: a project is judged without reading the logs that have not changed. */
import { createFileUse, type FileStep, type FileUse } from '@crewagent/protocol/file-use';
import * as z from '@crewagent/protocol/zod';
import { openLogCache } from '../reports/log-cache.ts';
import type { Store } from '../store/store.ts';
import type { RunAddress } from '../store/work-address.ts';
import { readFileUse } from './read-visits.ts';

export async function openFileUses(store: Store) {
  const cache = await openLogCache(store, store.fileUses, {
    version: 1,
    // As text: a document with every step as an object of its own is several times larger and slower to read.
    schema: z.string(),
    createFold(workId) {
      const use = createFileUse(workId);
      return { add: use.add, value: () => JSON.stringify(use.steps) };
    },
  });
  return {
    async read(address: RunAddress): Promise<FileUse> {
      const steps = parseSteps(await cache.get(address));
      return steps ? { runId: address.workId, steps } : readFileUse(address, store);
    },
    save: cache.save,
  };
}

/** Undefined for a text that somebody damaged. */
function parseSteps(text: string): FileStep[] | undefined {
  try {
    return JSON.parse(text) as FileStep[];
  } catch {
    return undefined;
  }
}

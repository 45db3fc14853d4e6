/**
 * Message rules that were learned from errors of providers, by the host and name of the model, so that the next run
 * does not have to be refused first. Part of the cache: without it, or where it is damaged, rules are learned again.
 */
import { dirname } from 'node:path';
import { learnedRulesSchema, type StoredLearnedRules } from '@crewagent/protocol/model';
import { ifPossible } from '../../base/crew-error.ts';
import { createFolders } from '../../base/durable-files.ts';
import type { LearnedMessageRules, LearnedRules } from '../store.ts';
import type { StorePaths } from './layout.ts';
import { changeStoreFile, readStoreFile, writeStoreFile } from './store-file.ts';

/** Gateways change: after this time the rule is dropped, at the cost of one rejected request if it still applies. */
const VALID_MS = 90 * 24 * 3_600_000;
const MAX_MODELS = 200;

export function createLearnedRules(
  { learnedRulesFile: file }: Pick<StorePaths, 'learnedRulesFile'>,
  now: () => Date,
): LearnedRules {
  const readValid = async (): Promise<StoredLearnedRules> => {
    const parsed = learnedRulesSchema.safeParse(await ifPossible(readStoreFile(file)));
    const since = now().getTime() - VALID_MS;
    return Object.fromEntries(
      Object.entries(parsed.success ? parsed.data : {}).filter(([, { at }]) => Date.parse(at) > since),
    );
  };
  return {
    async read(origin) {
      // What is read from JSON has no undefined fields.
      return new Map(Object.entries(await readValid())).get(origin)?.rules as LearnedMessageRules | undefined;
    },
    async write(origin, rules) {
      await createFolders(dirname(file));
      await changeStoreFile(file, async () => {
        const { [origin]: _, ...others } = await readValid();
        const newest = Object.entries(others).slice(1 - MAX_MODELS);
        const entry = { at: now().toISOString(), rules };
        await writeStoreFile(file, Object.fromEntries([...newest, [origin, entry]]));
      });
    },
  };
}

/** Reads the state document of a run for display. Only the gate writes it. */
import { readFile } from 'node:fs/promises';
import { withDiskErrors } from '../../base/errno.ts';
import { sha256Of } from '../../base/sha256.ts';
import type { RunAddress } from '../work-address.ts';
import type { StoreLayout } from './layout.ts';

export async function readStateDocument(
  store: StoreLayout,
  address: RunAddress,
): Promise<{ text: string; sha256: string }> {
  const bytes = await withDiskErrors('Could not read the state document', () =>
    readFile(store.work(address).stateDocument),
  );
  return { text: bytes.toString('utf8'), sha256: sha256Of(bytes) };
}

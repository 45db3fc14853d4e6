/** A name means the newest version of a package: says which one that is, if others are installed. */
import { listInstalled, resolveInstalled, type Store } from '@crewagent/core';
import { printError, sanitize } from '../terminal.ts';

export async function sayVersion(ref: string, store: Store): Promise<void> {
  const others = (await listInstalled(store)).filter(({ name }) => name === ref);
  if (others.length < 2) return;
  const { version } = await resolveInstalled(store, ref, { isNewest: true });
  const name = sanitize(ref, 80);
  printError(
    `${others.length} versions of ${name} are installed; this is ${sanitize(version, 40)}. For another: crewagent run ${name}@VERSION`,
  );
}

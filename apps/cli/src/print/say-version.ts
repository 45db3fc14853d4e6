/** A name means the newest version of a package: says which one that is, if others are installed. */
import { listInstalled, resolveInstalled, type Store } from '@crewagent/core';
import { printError, sanitize } from '../terminal.ts';
import { say } from './texts/say.ts';

export async function sayVersion(ref: string, store: Store): Promise<void> {
  const others = (await listInstalled(store)).filter(({ name }) => name === ref);
  if (others.length < 2) return;
  const { version } = await resolveInstalled(store, ref, { isNewest: true });
  const names = { name: sanitize(ref, 80), version: sanitize(version, 40) };
  printError(say('packages.severalVersions', { ...names, count: others.length }));
}

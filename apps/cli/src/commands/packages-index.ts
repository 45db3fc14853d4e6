/** `crewagent packages index` and `packages search`: indexes of packages, and what is in them. */
import { addIndex, listIndexes, removeIndex, searchIndexes } from '@crewagent/core';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { hostProcess } from '../host-process.ts';
import { openStore } from '../open-store.ts';
import { say } from '../print/texts/say.ts';
import { withSignals } from '../signals.ts';
import { print, printDone, sanitize, style } from '../terminal.ts';

export async function add(address: string): Promise<ExitCode> {
  return withSignals(async ({ signal }) => {
    const index = await addIndex(address, { store: openStore(), env: hostProcess().env, signal });
    printDone(
      `${style('bold', sanitize(index.address))}  ${say('packages.indexed', { count: index.packages.length })}`,
    );
    return EXIT.ok;
  });
}

export async function list(options: { json?: true }): Promise<void> {
  const indexes = await listIndexes({ store: openStore() });
  if (options.json) return print(JSON.stringify(indexes));
  if (indexes.length === 0) return print(say('packages.noIndex'));
  for (const address of indexes) print(sanitize(address));
}

export async function remove(address: string): Promise<void> {
  await removeIndex(address, { store: openStore() });
  printDone(say('packages.removed', { name: sanitize(address) }));
}

export async function search(words: readonly string[], options: { json?: true }): Promise<ExitCode> {
  return withSignals(async ({ signal }) => {
    const found = await searchIndexes(words, { store: openStore(), env: hostProcess().env, signal });
    if (options.json) {
      print(
        JSON.stringify(
          found.map(({ index, indexed: { name, description, about }, version }) => ({
            ...{ name, description, about, index: index.address },
            ...{
              version: version.version,
              sha256: version.sha256,
              isSigned: version.signature !== undefined,
            },
          })),
        ),
      );
    } else if (found.length === 0) print(say('packages.noneFound'));
    for (const { indexed, version } of options.json ? [] : found.slice(0, MAX_SHOWN)) {
      const { name, description, about } = indexed;
      const title = about?.title === undefined ? '' : `  ${sanitize(about.title)}`;
      print(`${style('bold', sanitize(name))} ${sanitize(version.version, 40)}${title}`);
      if (description) print(`  ${style('dim', sanitize(description, 400))}`);
    }
    if (!options.json && found.length > MAX_SHOWN)
      print(style('dim', say('packages.moreFound', { count: found.length - MAX_SHOWN })));
    return found.length === 0 ? EXIT.failed : EXIT.ok;
  });
}

const MAX_SHOWN = 50;

/** Finds what other processes change: runs that go on elsewhere, and installed packages. */
import type { Runtime } from '@crewagent/core';
import type { ServerEvent } from '@modelcontextprotocol/server';
import { RUN_PARTS, toRunUri } from './resources.ts';

export interface StoreFollowing {
  readonly store: Pick<Runtime['store'], 'works' | 'packages'>;
  /** Such a run reports its changes itself. */
  isOpen(runId: string): boolean;
  report(change: ServerEvent): void;
}

/** The store reports most changes at once; this finds the others. */
const POLL_EVERY_MS = 5_000;

/** Until the returned function is called. */
export function followStore({ store, isOpen, report }: StoreFollowing): () => void {
  const works = store.works.watch();
  let packages: string | undefined;
  let listed: string | undefined;
  const poll = async (): Promise<void> => {
    const hashes = (await store.packages.list()).map(({ hash }) => hash).sort();
    const { changed } = await works.poll();
    const ids = works.list().map(({ workId }) => workId);
    const isFirst = packages === undefined;
    const [arePackagesNew, areRunsNew] = [packages !== hashes.join(), listed !== ids.sort().join()];
    [packages, listed] = [hashes.join(), ids.join()];
    if (isFirst) return;
    if (arePackagesNew) report({ kind: 'prompts_list_changed' });
    if (areRunsNew) report({ kind: 'resources_list_changed' });
    for (const { workId } of changed)
      if (!isOpen(workId))
        for (const part of RUN_PARTS) report({ kind: 'resource_updated', uri: toRunUri(workId, part) });
  };
  let polling: Promise<void> | undefined;
  let isAgain = false;
  const pollNow = (): void => {
    isAgain = polling !== undefined;
    // A store that cannot be read now is polled again.
    polling ??= poll()
      .catch(() => undefined)
      .finally(() => {
        polling = undefined;
        if (isAgain) pollNow();
      });
  };
  const unsubscribe = works.subscribe(pollNow);
  const timer = setInterval(pollNow, POLL_EVERY_MS);
  timer.unref();
  pollNow();
  return () => {
    unsubscribe();
    clearInterval(timer);
    isAgain = false;
  };
}

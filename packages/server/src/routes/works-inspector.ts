/**
 * Inspection of a Work: its file changes, its state document, its model context.
 */
import {
  addDeclarations,
  CrewError,
  checkState,
  compareFile,
  findMountedFiles,
  findPackageFolder,
  findRoot,
  findRun,
  ifPossible,
  listForks,
  type OpenChanges,
  previewResume,
  readComparison,
  readContextSize,
  readStale,
  readUndeclared,
  rebuildWorkRequest,
  saveTest,
  showFileDiff,
  showFileVersion,
  showWorkContext,
  type UpgradePlan,
  type WorkAddress,
  withDiskErrors,
} from '@crewagent/core';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import type { ShownUpgrade } from '@crewagent/protocol/api/run-upgrade';
import type { JournalEntry } from '@crewagent/protocol/journal';
import type { HostedWork } from '../hosts/hosted-work.ts';
import { mount, type Router } from '../mount.ts';
import type { ServerParts } from '../server-parts.ts';

export function mountWorksInspector(router: Router, parts: ServerParts): void {
  mountChanges(router, parts);
  mountState(router, parts);
  mountForks(router, parts);
}

function mountChanges(router: Router, { runtime, openWorks, context }: ServerParts): void {
  const { store } = runtime;
  const { works } = ENDPOINTS;
  const withChanges = <T>(
    workId: string,
    use: (changes: OpenChanges) => Promise<T>,
    askOpen?: (work: HostedWork) => Promise<T | undefined>,
  ): Promise<T> => {
    const useChanges = async (address: WorkAddress): Promise<T> => {
      const changes = await runtime.openTreeChanges(address);
      try {
        return await use(changes);
      } finally {
        await changes.close();
      }
    };
    return openWorks.useClosed(workId, useChanges, askOpen);
  };
  const findOpen = (workId: string) => openWorks.changesOf(workId);
  // While it is open its own changes are known, and those of called runs that are open with it.
  const listOpen = async (workId: string, own: readonly JournalEntry[]) => {
    const called = await runtime.listCalledChanges(await store.works.find(workId), findOpen);
    const changes = [...own, ...called].sort((a, b) => a.at.localeCompare(b.at));
    return { changes };
  };
  // An idle Work can be inspected without its package or model.
  mount(router, works.changes, async ({ params: { workId } }) => {
    const open = await openWorks.changesOf(workId);
    if (open) return listOpen(workId, open);
    const list = await withChanges<readonly JournalEntry[]>(
      workId,
      ({ journal }) => Promise.resolve(journal.list()),
      (work) => work.changes(workId),
    );
    return (await openWorks.changesOf(workId)) ? listOpen(workId, list) : { changes: list };
  });
  for (const direction of ['undo', 'redo'] as const) {
    mount(router, works[direction], async ({ params: { workId }, body }) => {
      const moved = await withChanges(workId, async (changes) => ({ files: await changes[direction](body) }));
      await openWorks.announceChange(workId);
      return moved;
    });
  }
  mount(router, works.fileDiff, async ({ params: { workId }, query }) =>
    showFileDiff(await store.works.find(workId), query, store),
  );
  mount(router, works.fileVersion, async ({ params: { workId }, query }) =>
    showFileVersion(await store.works.find(workId), query, store),
  );
  mount(router, works.findFiles, async ({ params: { workId }, query, signal }) =>
    findMountedFiles(await store.works.find(workId), { ...query, signal }, store),
  );
  const lookOptions = { store, context, now: () => new Date(), peekTools: runtime.peekTools };
  mount(router, works.context, async ({ params: { workId } }) =>
    showWorkContext(await store.works.find(workId), lookOptions),
  );
  mount(router, works.request, async ({ params: { workId }, query: { turn } }) => {
    const { shown } = await rebuildWorkRequest(await store.works.find(workId), turn, lookOptions);
    return shown;
  });
  mount(router, works.resumePreview, async ({ params: { workId } }) =>
    previewResume(await findRun(store, workId), lookOptions),
  );
  mount(router, works.stale, async ({ params: { workId } }) => ({
    steps: await readStale(await findRun(store, workId), { store, context }),
  }));
  mount(router, works.contextSize, async ({ params: { workId } }) => ({
    contextTokens: await readContextSize(await store.works.find(workId), { store, now: () => new Date() }),
  }));
}

/** Only runs have a state document and nodes to rewind to. */
function mountState(router: Router, { runtime, openWorks, context }: ServerParts): void {
  const { store } = runtime;
  const { works } = ENDPOINTS;
  mount(router, works.state, async ({ params: { workId } }) =>
    withDiskErrors('Could not read the state document', async () =>
      store.works.openState(await findRun(store, workId)).read(),
    ),
  );
  mount(router, works.checkState, async ({ params: { workId }, body: { text } }) =>
    checkState(await findRun(store, workId), text, { store, context, now: () => new Date() }),
  );
  mount(router, works.editState, async ({ params: { workId }, body: { text, ifMatchSha256 } }) => {
    await findRun(store, workId);
    return openWorks.useRun(workId, ({ engine }) => engine.editState(text, ifMatchSha256));
  });
  mount(router, works.rewind, async ({ params: { workId }, body }) => {
    await findRun(store, workId);
    const rewound = await openWorks.useRun(workId, async (run) => {
      const { stop, files } = await run.rewind(body);
      return { status: { workId, mode: 'run' as const, ...stop }, files };
    });
    await openWorks.announceChange(workId);
    return rewound;
  });
  mount(router, works.showUpgrade, async ({ params: { workId } }) => {
    await findRun(store, workId);
    const plan = await runtime.planUpgrade(workId);
    return { plan: plan && toShownUpgrade(plan) };
  });
  mount(router, works.upgrade, async ({ params: { workId }, body: { to, nodeId } }) => {
    await findRun(store, workId);
    await openWorks.useClosed(workId, async () => {
      await runtime.upgradeRun({ run: workId, version: to, nodeId, confirm: () => Promise.resolve(true) });
      // A run whose model is not available has moved as well; whoever opens it next completes it.
      await ifPossible(runtime.openRun(workId).then((run) => run.close()));
    });
    await openWorks.announceChange(workId);
  });
  mount(router, works.saveTest, async ({ params: { workId }, body: { name } }) =>
    saveTest({ run: await findRun(store, workId), store, context, name, now: () => new Date() }),
  );
  const readUsed = async (workId: string) => {
    const address = await findRoot(store, await findRun(store, workId));
    const { packageHash } = await store.works.read(address);
    const files = await readUndeclared(address, { store, context });
    return { files, folder: await findPackageFolder(store, packageHash) };
  };
  mount(router, works.undeclared, ({ params: { workId } }) => readUsed(workId));
  mount(router, works.declare, async ({ params: { workId } }) => {
    const { files, folder } = await readUsed(workId);
    if (folder === undefined)
      throw new CrewError(
        'PACKAGE_FOLDER_UNKNOWN',
        'The package of this run was not installed from a folder that is still there.',
      );
    const { added, left } = await addDeclarations(folder, files, context);
    return { folder, added: [...added], left: [...left] };
  });
  mount(router, works.allowChange, async ({ params: { workId } }) => {
    await findRun(store, workId);
    await openWorks.useRun(workId, ({ engine }) => engine.allowStateChange());
  });
}

function mountForks(router: Router, { runtime, worksList }: ServerParts): void {
  const { store } = runtime;
  const { works } = ENDPOINTS;
  mount(router, works.planFork, async ({ params: { workId }, body }) => {
    await findRun(store, workId);
    return runtime.planFork({ run: workId, ...body });
  });
  mount(router, works.fork, async ({ params: { workId }, body: { model, ...body } }) => {
    await findRun(store, workId);
    const forked = await runtime.forkRun({ run: workId, ...body, model: { model } });
    worksList.scheduleRefresh();
    return forked;
  });
  mount(router, works.planRerun, async ({ params: { workId } }) => {
    await findRun(store, workId);
    return runtime.planRerun(workId);
  });
  mount(router, works.rerun, async ({ params: { workId }, body: { seen } }) => {
    await findRun(store, workId);
    const forked = await runtime.rerunStale({ run: workId, seen });
    worksList.scheduleRefresh();
    return forked;
  });
  mount(router, works.forks, async ({ params: { workId } }) => {
    const address = await findRun(store, workId);
    const { forkedFrom: origin } = await store.works.read(address);
    return { ...(origin ? { origin } : {}), forks: await listForks(store, address) };
  });
  mount(router, works.compare, ({ query }) => readComparison(store, query.works.split(',')));
  mount(router, works.compareFile, ({ query: { works: ids, path } }) => {
    const [one = '', other = ''] = ids.split(',');
    return compareFile(store, [one, other], path);
  });
}

function toShownUpgrade({
  record,
  to,
  changes,
  nodeId,
  target,
  nearest,
  nodes,
  stale,
}: UpgradePlan): ShownUpgrade {
  const { version, hash } = to;
  return {
    ...{ from: record.packageVersion, to: { version, hash }, changes, nodeId, target, nearest },
    ...{ nodes: [...nodes], stale: [...stale] },
  };
}

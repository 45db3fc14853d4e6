/**
 * Dependencies of the routes: the runtime, the open Works, and the streams that report on them. Created once.
 */
import {
  createKnownServers,
  createStagedImports,
  type createWorkSearch,
  type Runtime,
  type StagedBundles,
  type StagedImports,
  type ValidationContext,
} from '@crewagent/core';
import type { CostReport } from '@crewagent/protocol/api/costs';
import { VERSION } from '@crewagent/protocol/version';
import { createWorkHosts, type WorkHosts } from './hosts/work-hosts.ts';
import type { Viewer } from './security/access.ts';
import { createRedactor, type Redact } from './security/redact.ts';
import { createEventHub, type EventHub } from './streams/event-hub.ts';
import type { ChannelTiming } from './streams/log-channel.ts';
import { createWaitingPreviews, type WaitingPreviews } from './waiting-previews.ts';
import { createHeldFiles, type HeldFiles, type ProjectFolders } from './works/held-files.ts';
import { createHeldFolders, type HeldFolders } from './works/held-folders.ts';
import { createOpenWorks, type OpenWorks, type OpenWorksOptions } from './works/open-works.ts';
import { createWorksList, type WorksList } from './works/works-list.ts';

export interface ServerParts {
  readonly runtime: Runtime;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly context: ValidationContext;
  readonly redact: Redact;
  readonly hub: EventHub;
  readonly hosts: WorkHosts;
  readonly openWorks: OpenWorks;
  readonly worksList: WorksList;
  readonly heldFiles: HeldFiles;
  readonly heldFolders: HeldFolders;
  readonly previews: WaitingPreviews;
  readonly stagedImports: StagedImports;
  /** The code is loaded with the first one. */
  readonly stagedBundles: () => Promise<StagedBundles>;
  /** Finds words in Works that are not on this disk. */
  readonly search: SearchWorks | undefined;
  readonly costs: ReadCosts | undefined;
  /** Folder with example packages that come with the program. */
  readonly examplesRoot: string | undefined;
  readonly startedAt: string;
  onBug(id: string, error: unknown): void;
  /** Registers a callback that runs when the server closes, after everything else. */
  onClose(end: () => void): void;
  /** Stops all Works of this process, resumable, and ends all streams. */
  close(): Promise<void>;
}

/** Sums of a store that has them; default: logs are read. */
type ReadCosts = (
  viewer: Viewer,
  query: { readonly days: number; readonly utcOffset: number },
) => Promise<Omit<CostReport, 'prices'>>;

type SearchWorks = ReturnType<typeof createWorkSearch>;

export interface PartsOptions extends Pick<OpenWorksOptions, 'withFiles'> {
  readonly runtime: Runtime;
  /** Where the folders of projects are copies; default: they are the projects themselves. */
  readonly projectFolders?: ProjectFolders | undefined;
  /** Where Works are open; default: threads of this process. */
  readonly hosts?: WorkHosts | undefined;
  /** Environment variables with keys and model names. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly search?: SearchWorks | undefined;
  readonly costs?: ReadCosts | undefined;
  readonly examplesRoot?: string | undefined;
  /** The built code of a thread for Works; without it they run in this one. */
  readonly threadFile?: string | undefined;
  readonly timing?: Partial<ServerTiming> | undefined;
  /** The clock by which previews expire. */
  readonly monotonicMs?: (() => number) | undefined;
  onBug(id: string, error: unknown): void;
  readonly onWarning?: ((message: string) => void) | undefined;
}

export interface ServerTiming extends ChannelTiming {
  /** How long an idle run or conversation stays open. */
  readonly keepMs: number;
}

export function createServerParts({
  runtime,
  env,
  examplesRoot,
  threadFile,
  timing = {},
  monotonicMs,
  onBug,
  onWarning = () => undefined,
  withFiles,
  projectFolders,
  hosts: given,
  search,
  costs,
}: PartsOptions): ServerParts {
  const redact = createRedactor(runtime.store.root);
  const { store } = runtime;
  const hub = createEventHub({
    async findLog(workId) {
      const address = await store.works.find(workId);
      return () => store.works.tailLog(address);
    },
    redact,
    timing,
    onBug,
  });
  /** The Works of a thread that has ended. */
  const onLost = (): void =>
    void runtime.sweepInterrupted().then(
      () => worksList.scheduleRefresh(),
      (error: unknown) => onBug('sweep', error),
    );
  const hosts = given ?? createWorkHosts({ runtime, env, threadFile, onBug, onWarning, onLost });
  const openWorks = createOpenWorks({
    runtime,
    hosts,
    hub,
    withFiles,
    keepMs: timing.keepMs,
    onPhase: () => worksList.scheduleRefresh(),
    onBug,
  });
  const worksList: WorksList = createWorksList({
    runtime,
    redact,
    isHeld: (workId) => openWorks.isHeld(workId),
    onRunsChanged: (workIds) =>
      void hub.announce(workIds).catch((error: unknown) => onBug('announce', error)),
    timing: timing.pollEveryMs === undefined ? timing : { ...timing, pollEveryMs: timing.pollEveryMs * 5 },
    onBug,
  });
  const heldFiles = createHeldFiles(runtime, { timing, folders: projectFolders });
  const heldFolders = createHeldFolders(runtime, timing);
  const previews = createWaitingPreviews(monotonicMs);
  const context = { runtimeVersion: VERSION, knownServers: createKnownServers(store.root) };
  const stagedImports = createStagedImports({ store, context });
  let staged: Promise<StagedBundles> | undefined;
  const stagedBundles = (): Promise<StagedBundles> =>
    (staged ??= runtime.bundles().then((bundles) => bundles.stage()));
  const closeCallbacks: (() => void)[] = [];
  return {
    runtime,
    env,
    context,
    redact,
    search,
    costs,
    hub,
    hosts,
    openWorks,
    worksList,
    heldFiles,
    heldFolders,
    previews,
    stagedImports,
    stagedBundles,
    examplesRoot,
    startedAt: new Date().toISOString(),
    onBug,
    onClose: (end) => void closeCallbacks.push(end),
    async close() {
      try {
        await openWorks.close();
        await hosts.close();
      } finally {
        worksList.close();
        await heldFiles.close();
        await heldFolders.close();
        previews.close();
        await stagedImports.close();
        await (await staged)?.close();
        hub.close();
        for (const end of closeCallbacks) end();
      }
    },
  };
}

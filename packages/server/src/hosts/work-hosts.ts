/**
 * Where Works are open: in threads, at most one per core, so that a busy run delays neither the page nor the runs of other threads. A
 * Work that uses MCP servers is open in this thread, which owns them. Without `threadFile` all Works are.
 */
import { availableParallelism } from 'node:os';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { Runtime } from '@crewagent/core';
import type { HostReply, HostRequest, OpenRequest } from './host-messages.ts';
import { createWorkHost, type HostedWork, type HostReports, type WorkHost } from './hosted-work.ts';
import { serveWorks } from './serve-works.ts';
import type { ThreadData } from './work-thread.ts';

export interface WorkHostsOptions extends HostReports {
  readonly runtime: Runtime;
  /** The built `work-thread.ts`. */
  readonly threadFile?: string | undefined;
  readonly env: ThreadData['env'];
  /** Called when a thread has ended by itself: its Works are interrupted. */
  onLost(): void;
}

export interface WorkHosts {
  open(request: OpenRequest): Promise<HostedWork>;
  /** Prepares for the first Work. */
  warm(): void;
  /** Their Works must be closed. */
  close(): Promise<void>;
  /** Other machines execute the Works: their events are in their logs only. */
  readonly areElsewhere?: boolean;
}

export function createWorkHosts(options: WorkHostsOptions): WorkHosts {
  const { runtime, threadFile } = options;
  const threads = new Set<WorkThread>();
  const most = threadFile === undefined ? 0 : availableParallelism();
  let own: WorkHost | undefined;

  const addThread = (file: string): WorkThread => {
    const thread = startThread(file, options, () => {
      threads.delete(thread);
      options.onLost();
    });
    threads.add(thread);
    return thread;
  };
  /**
   * The thread with the fewest turns, then with the fewest Works. If all have some, another one is started for the next Work: this
   * one need not wait.
   */
  const findThread = (file: string): WorkThread => {
    const [least = addThread(file)] = [...threads].sort(
      ({ host: a }, { host: b }) => a.busy - b.busy || a.size - b.size,
    );
    if (least.host.size > 0 && threads.size < most) addThread(file);
    return least;
  };
  return {
    async open(request: OpenRequest): Promise<HostedWork> {
      if (threadFile === undefined || (await usesServers(runtime, request))) {
        own ??= createLocalHost(options);
        return own.open(request);
      }
      return findThread(threadFile).host.open(request);
    },
    /** Starts the first thread, so that the first Work need not wait for it. */
    warm(): void {
      if (threadFile !== undefined && threads.size === 0) addThread(threadFile);
    },
    /** Ends the threads. Their Works must be closed. */
    async close(): Promise<void> {
      await Promise.all([...threads].map((thread) => thread.end()));
    },
  };
}

/** The same messages without a thread. */
function createLocalHost(options: WorkHostsOptions): WorkHost {
  const { port1, port2 } = new MessageChannel();
  serveWorks(port2, options.runtime);
  const host = createWorkHost(port1, options);
  port1.unref();
  port2.unref();
  return host;
}

interface WorkThread {
  readonly host: WorkHost;
  end(): Promise<void>;
}

function startThread(file: string, options: WorkHostsOptions, onLost: () => void): WorkThread {
  const { runtime, env, onBug } = options;
  const workerData: ThreadData = { storeRoot: runtime.store.root, env };
  const worker = new Worker(file, { workerData, execArgv: [] });
  const host = createWorkHost(
    {
      postMessage: (message: HostRequest) => worker.postMessage(message),
      on: (event, listener: (reply: HostReply) => void) => worker.on(event, listener),
    },
    options,
  );
  let isEnding = false;
  let cause: Error = new Error('the thread of the Work has ended');
  worker.on('error', (error: Error) => {
    cause = error;
    onBug('thread', error);
  });
  worker.on('exit', () => {
    host.fail(cause);
    if (!isEnding) onLost();
  });
  return {
    host,
    async end() {
      isEnding = true;
      await worker.terminate();
    },
  };
}

async function usesServers({ store, usesServers: uses }: Runtime, request: OpenRequest): Promise<boolean> {
  const project =
    'create' in request
      ? await store.projects.find(request.create.projectPath)
      : await store.projects.read((await store.works.find(request.workId)).projectId);
  return uses(project);
}

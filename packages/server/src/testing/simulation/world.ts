/**
 * One simulated machine: a disk with a project and an installed package, a server that can be killed and started again, other processes
 * with the same store, and the client of a person.
 */
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Runtime } from '@crewagent/core';
import type { ApiClient } from '@crewagent/protocol/api/client';
import { writeTree } from '../../../../core/src/testing/file-tree.ts';
import { type LossyDisk, watchDisk, writePowerLoss } from '../../../../core/src/testing/lossy-disk.ts';
import { branchingPackage } from '../../../../core/src/testing/packages/branching-package.ts';
import { tempFolder } from '../../../../core/src/testing/temp-folder.ts';
import { createServerRig, prepare, type ReadyToRun } from '../server-rig.ts';
import { isRefusal } from './ledger.ts';
import { createLockTurns } from './lock-turns.ts';
import { Network, ORIGIN } from './network.ts';
import { createRandom } from './random.ts';
import { createScheduler, type Scheduler } from './scheduler.ts';
import { SimulatedDisk } from './simulated-disk.ts';
import { createSimulatedModel, type ReceivedByModel } from './simulated-model.ts';
import { type Machine, resetPids, type SimulatedProcess, startProcess } from './simulated-process.ts';
import { MAX_WORKS } from './steps.ts';

export interface PreparedDisk extends ReadyToRun {
  /** The folder of the simulated disk. */
  readonly root: string;
  /** A copy of what is on it first. */
  readonly template: string;
}

const START_MS = Date.UTC(2026, 0, 1);
const TOKEN = 'a-token-for-tests-that-is-long-enough';

/** What is on the disk first, made by a real server, once for all seeds. */
export async function prepareDisk(): Promise<PreparedDisk> {
  const rig = await createServerRig({ env: {} });
  await writeTree(join(rig.root, 'package'), branchingPackage());
  const ready = await prepare(rig, join(rig.root, 'package'));
  for (let index = 0; index < MAX_WORKS; index++) {
    const name = `model-${index}`;
    const settings = { provider: 'generic', baseUrl: 'http://127.0.0.1:9/v1', model: name } as const;
    await rig.client.models.put({ name, body: { settings } });
  }
  await rig.parts.close();
  const template = await tempFolder();
  cpSync(rig.root, template, { recursive: true });
  return { root: rig.root, template, ...ready };
}

export async function createWorld({ root, template }: PreparedDisk, seed: number): Promise<World> {
  writePowerLoss(new Map(), root);
  cpSync(template, root, { recursive: true });
  resetPids();
  return new World(root, seed, await watchDisk(root));
}

interface RunningServer {
  readonly process: SimulatedProcess;
  close(): Promise<void>;
  onKilled(): void;
}

export class World {
  readonly store: string;
  readonly project: string;
  readonly scheduler: Scheduler = createScheduler(START_MS);
  readonly disk: SimulatedDisk;
  readonly client: ApiClient;
  readonly bugs: string[] = [];
  readonly received: ReceivedByModel[] = [];
  /** How often each file of an effect was put in place. */
  readonly writes = new Map<string, number>();
  readonly #turns = createLockTurns();
  /** Processes that waited for a lock while others got it again and again. */
  readonly overtaken = this.#turns.overtaken;
  readonly #lossy: LossyDisk;
  readonly #root: string;
  readonly #machine: Machine;
  readonly #network = new Network(this.scheduler);
  readonly #person: SimulatedProcess;
  /** Each with what ends it. */
  readonly #neighbours = new Map<SimulatedProcess, () => void>();
  #server: RunningServer | undefined;

  constructor(root: string, seed: number, lossy: LossyDisk) {
    this.#root = root;
    this.#lossy = lossy;
    this.store = join(root, 'store');
    this.project = join(root, 'project');
    const { scheduler } = this;
    this.disk = new SimulatedDisk({ root, scheduler, onRename: (path) => this.#countWrite(path) });
    this.#machine = {
      scheduler,
      disk: this.disk,
      random: createRandom(seed),
      alive: new Set(),
      answer: createSimulatedModel(createRandom(seed + 1), (request) => this.received.push(request)),
      onLock: this.#turns.onLock,
    };
    this.#person = startProcess(this.#machine);
    const { fetch } = this.#network;
    this.client = this.#person.code.createApiClient({ baseUrl: ORIGIN, token: TOKEN, fetch });
  }

  isUp(): boolean {
    return this.#server !== undefined;
  }

  /** Resolves when the server listens; rejects if it is killed before. */
  async start(): Promise<void> {
    if (this.#server) return;
    const process = startProcess(this.#machine);
    const { code } = process;
    const runtime = code.createRuntime({ storeRoot: this.store, env: {}, onBug: this.#onBug });
    let onKilled = (): void => undefined;
    const killed = new Promise<never>((_, reject) => {
      onKilled = () => reject(new TypeError('terminated'));
    });
    killed.catch(() => undefined);
    const server: RunningServer = { process, onKilled, close: () => Promise.resolve() };
    this.#server = server;
    await Promise.race([runtime.sweepInterrupted(), killed]);
    const parts = code.createServerParts({ runtime, env: {}, onBug: this.#onBug });
    const app = code.createApp({
      parts,
      access: code.createTokenAccess(TOKEN),
      hosts: code.createOwnHosts('127.0.0.1', 4000),
      pages: code.createStaticFiles(undefined),
      checksResponses: true,
    });
    server.close = () => Promise.race([parts.close(), killed]);
    this.#network.listen({ owner: process.owner, answer: async (request) => app.fetch(request, {}) });
  }

  /** As SIGTERM does. */
  async stop(): Promise<void> {
    await this.#server?.close();
    this.kill();
  }

  kill(): void {
    if (!this.#server) return;
    const { process, onKilled } = this.#server;
    this.#server = undefined;
    this.#end(process);
    onKilled();
    this.#network.listen(undefined);
  }

  losePower(): void {
    const left = this.#lossy.losePower();
    this.kill();
    for (const end of this.#neighbours.values()) end();
    writePowerLoss(left, this.#root);
    this.#lossy.settle();
    // What was lost may be written again.
    for (const path of this.writes.keys()) if (!existsSync(path)) this.writes.delete(path);
  }

  disconnect(): void {
    this.#network.disconnect();
  }

  /** Another process with the same store; it ends when the work is done. */
  async runNeighbour(work: (store: Runtime['store']) => Promise<unknown>): Promise<void> {
    const process = startProcess(this.#machine);
    const runtime = process.code.createRuntime({ storeRoot: this.store, env: {}, onBug: this.#onBug });
    const killed = new Promise<never>((_, reject) => {
      this.#neighbours.set(process, () => {
        this.#end(process);
        reject(new TypeError('terminated'));
      });
    });
    try {
      await Promise.race([work(runtime.store), killed]);
    } finally {
      this.#end(process);
      this.#neighbours.delete(process);
    }
  }

  /** Ends everything, also what was hooked. */
  close(): void {
    this.kill();
    this.#end(this.#person);
    this.#lossy.stop();
  }

  #end(process: SimulatedProcess): void {
    process.kill();
    this.#turns.forget(process.pid);
  }

  #countWrite(path: string): void {
    if (path.includes('/effects/')) this.writes.set(path, (this.writes.get(path) ?? 0) + 1);
  }

  readonly #onBug = (name: string, error: unknown): void => {
    // What a person can fix, such as a full disk, is no bug.
    if (isRefusal(error)) return;
    this.bugs.push(`${name}: ${error instanceof Error ? error.stack : String(error)}`);
  };
}

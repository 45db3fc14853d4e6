/**
 * The disk of a simulated machine, over a real folder: what all its processes share. Times of files are those of the simulated clock, and
 * watchers are called by the scheduler.
 */
import fs, { type BigIntStats, type Stats } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Scheduler } from './scheduler.ts';

export interface DiskOptions {
  readonly root: string;
  readonly scheduler: Scheduler;
  /** Called with the resolved new path of a file or folder. */
  onRename(path: string): void;
}

export interface Watcher {
  readonly owner: object;
  readonly folder: string;
  notify(name: string): void;
}

const TIMES = ['atime', 'mtime', 'ctime', 'birthtime'] as const;
const FULL = { code: 'ENOSPC', errno: -28, syscall: 'write' };

export class SimulatedDisk {
  /** Every write fails. */
  isFull = false;
  /** Syncs do nothing, as on a disk that lies. */
  ignoresSyncs = false;
  readonly watchers = new Set<Watcher>();
  /** When a file or the names in a folder last changed, by its number. */
  readonly #changedMs = new Map<number, number>();
  readonly #options: DiskOptions;

  constructor(options: DiskOptions) {
    this.#options = options;
  }

  get scheduler(): Scheduler {
    return this.#options.scheduler;
  }

  renamed(path: string): void {
    this.#options.onRename(realPathOf(path));
  }

  touch(stats: Stats | undefined): void {
    if (stats) this.#changedMs.set(stats.ino, this.scheduler.now());
  }

  /** A name was added, removed or replaced. */
  nameChanged(path: string): void {
    for (const changed of [path, dirname(path)]) this.touch(fs.lstatSync(changed, { throwIfNoEntry: false }));
    const folder = realPathOf(dirname(path));
    for (const watcher of this.watchers) {
      if (watcher.folder !== folder && watcher.folder !== path) continue;
      this.scheduler.add({
        owner: watcher.owner,
        label: 'watch',
        lane: `watch ${watcher.folder}`,
        run: () => this.watchers.has(watcher) && watcher.notify(basename(path)),
      });
    }
  }

  withTimes<T extends Stats | BigIntStats | undefined>(stats: T): T {
    if (!stats) return stats;
    const ms = this.#changedMs.get(Number(stats.ino)) ?? 0;
    const isBig = typeof stats.ino === 'bigint';
    for (const kind of TIMES) {
      Object.defineProperty(stats, kind, { value: new Date(ms) });
      Object.defineProperty(stats, `${kind}Ms`, { value: isBig ? BigInt(Math.trunc(ms)) : ms });
      if (isBig) Object.defineProperty(stats, `${kind}Ns`, { value: BigInt(Math.trunc(ms * 1_000_000)) });
    }
    return stats;
  }

  refuseIfFull(path: unknown): void {
    if (this.isFull) throw Object.assign(new Error(`ENOSPC: no space left on device, ${String(path)}`), FULL);
  }

  /** Without what differs between two executions with the same seed. */
  labelOf(path: unknown): string {
    return String(path)
      .replace(this.#options.root, '')
      .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id')
      .replace(/\/proc\/self\/fd\/\d+/, '/fd');
  }
}

/** The path itself if there is nothing any more. */
export function realPathOf(path: string): string {
  try {
    return fs.realpathSync(path);
  } catch {
    return path;
  }
}

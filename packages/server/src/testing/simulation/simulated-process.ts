/**
 * A process that executes the real code of the server on a simulated machine: the modules of Node that reach the disk, the network, the
 * clock or chance are replaced. Killing it drops everything that it waits for and closes its files; nothing else of it is left.
 */
/// <reference path="../../../../core/src/tools/worker/thread-source.d.ts" />
import { createRequire } from 'node:module';
import { Script } from 'node:vm';
import type { Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';
import type * as Code from './server-code.ts';
import code from './server-code.ts?thread';
import type { SimulatedDisk } from './simulated-disk.ts';
import { mountDisk } from './simulated-fs.ts';
import { type Answer, createSimulatedHttp } from './simulated-http.ts';
import { createSimulatedPorts } from './simulated-ports.ts';

export interface Machine {
  readonly scheduler: Scheduler;
  readonly disk: SimulatedDisk;
  readonly random: Random;
  readonly alive: Set<number>;
  readonly answer: Answer;
  /** Called with each attempt to lock a file. */
  onLock(attempt: { readonly pid: number; readonly descriptor: number; readonly isTaken: boolean }): void;
}

export interface SimulatedProcess {
  readonly pid: number;
  /** What waits for the process is scheduled in its name. */
  readonly owner: object;
  readonly code: typeof Code;
  kill(): void;
}

/** Larger than every real process id. */
let lastPid = 5_000_000;

const PARAMETERS = [
  'require',
  'module',
  'exports',
  '__filename',
  'process',
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
  'Date',
  'performance',
  'Math',
];

let script: Script | undefined;

export function resetPids(): void {
  lastPid = 5_000_000;
}

export function startProcess(machine: Machine): SimulatedProcess {
  const { scheduler, disk, random, alive } = machine;
  const owner = {};
  const pid = ++lastPid;
  alive.add(pid);
  const { fs, closeAll } = mountDisk(disk, owner);
  const clock = createClock(owner, scheduler);
  const realRequire = createRequire(import.meta.url);
  const crypto = createRandomCrypto(realRequire('node:crypto') as typeof import('node:crypto'), random);
  const http = createSimulatedHttp(owner, scheduler, machine.answer);
  const modules: Readonly<Record<string, unknown>> = {
    fs,
    'fs/promises': fs.promises,
    'timers/promises': clock.promises,
    crypto,
    http,
    worker_threads: createSimulatedPorts(owner, scheduler),
    module: { createRequire: () => withLocks(realRequire, (attempt) => machine.onLock({ pid, ...attempt })) },
    child_process: refused('child_process'),
  };
  const load = (name: string): unknown => modules[name.replace(/^node:/, '')] ?? realRequire(name);
  const simulatedProcess = Object.create(process, {
    pid: { value: pid },
    kill: {
      value(target: number) {
        if (!alive.has(target)) throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH' });
        return true;
      },
    },
  }) as NodeJS.Process;
  const module = { exports: {} };
  script ??= new Script(`(function (${PARAMETERS.join(', ')}) {${code}\n})`, {
    filename: 'simulated-server.cjs',
  });
  const values = [
    load,
    module,
    module.exports,
    import.meta.filename,
    simulatedProcess,
    clock.setTimeout,
    clock.clear,
    clock.setInterval,
    clock.clear,
    clock.setImmediate,
    clock.clear,
    clock.Date,
    { now: () => scheduler.now() },
    Object.assign(Object.create(Math) as Math, { random: () => random.next() }),
  ];
  (script.runInThisContext() as (...args: readonly unknown[]) => void)(...values);
  return {
    pid,
    owner,
    code: module.exports as typeof Code,
    kill() {
      alive.delete(pid);
      scheduler.drop(owner);
      closeAll();
    },
  };
}

function createClock(owner: object, scheduler: Scheduler) {
  type Callback = (...args: readonly unknown[]) => void;
  class SimulatedDate extends Date {
    constructor(...args: readonly []) {
      if (args.length === 0) super(scheduler.now());
      else super(...args);
    }
    static override now(): number {
      return Math.trunc(scheduler.now());
    }
  }
  const start = (run: () => void, delayMs: number, isRepeated: boolean) => {
    const handle = {
      id: 0,
      ref: () => handle,
      unref: () => handle,
      hasRef: () => true,
      refresh() {
        scheduler.removeTimer(handle.id);
        handle.id = scheduler.addTimer(owner, delayMs, fire);
        return handle;
      },
      [Symbol.toPrimitive]: () => handle.id,
    };
    const fire = (): void => {
      if (isRepeated) handle.refresh();
      run();
    };
    return handle.refresh();
  };
  const clear = (handle: { readonly id: number } | undefined): void => {
    if (handle) scheduler.removeTimer(handle.id);
  };
  const setImmediate = (run: Callback, ...args: readonly unknown[]) => {
    scheduler.add({ owner, label: 'immediate', lane: 'immediates', run: () => run(...args) });
    return { id: 0, ref: () => undefined, unref: () => undefined };
  };
  return {
    Date: SimulatedDate,
    clear,
    setImmediate,
    setTimeout: (run: Callback, delayMs = 1, ...args: readonly unknown[]) =>
      start(() => run(...args), delayMs, false),
    setInterval: (run: Callback, delayMs = 1, ...args: readonly unknown[]) =>
      start(() => run(...args), delayMs, true),
    promises: {
      setTimeout: (delayMs: number, value: unknown) =>
        new Promise((resolve) => void scheduler.addTimer(owner, delayMs, () => resolve(value))),
      setImmediate: (value: unknown) => new Promise((resolve) => void setImmediate(() => resolve(value))),
    },
  };
}

function createRandomCrypto(crypto: typeof import('node:crypto'), random: Random) {
  const randomBytes = (size: number): Buffer =>
    Buffer.from(Array.from({ length: size }, () => random.below(256)));
  return {
    ...crypto,
    randomBytes,
    randomUUID() {
      const hex = randomBytes(16).toString('hex');
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
    },
  };
}

type Attempt = { readonly descriptor: number; readonly isTaken: boolean };

/** Locks are those of the system: two descriptors compete for them, whichever process has opened them. */
function withLocks(load: NodeJS.Require, onLock: (attempt: Attempt) => void): NodeJS.Require {
  const wrapped = (name: string): unknown => {
    const found = load(name) as { tryLock?(...args: readonly unknown[]): void };
    if (!found.tryLock) return found;
    return {
      tryLock(descriptor: number, ...rest: readonly unknown[]) {
        try {
          found.tryLock?.(descriptor, ...rest);
        } catch (error) {
          onLock({ descriptor, isTaken: false });
          throw error;
        }
        onLock({ descriptor, isTaken: true });
      },
    };
  };
  return Object.assign(wrapped, load);
}

/** Fails loudly: what uses it would wait for the real world. */
function refused(name: string): object {
  return new Proxy(
    {},
    {
      get: (_, key) => () => {
        throw new Error(`${name}.${String(key)} is not simulated`);
      },
    },
  );
}

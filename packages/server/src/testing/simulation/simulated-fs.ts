/**
 * `node:fs` of one simulated process. Synchronous functions do what Node does; what Node executes in its thread pool is executed when the
 * scheduler picks it.
 */
import fs, { type Stats } from 'node:fs';
import { realPathOf, type SimulatedDisk, type Watcher } from './simulated-disk.ts';
import { createSimulatedHandle } from './simulated-handle.ts';

type Fs = typeof fs;
type AnyFunction = (...args: readonly unknown[]) => unknown;
type Functions = Record<string, AnyFunction>;

/** Fail on a full disk. */
const WRITES = [
  'appendFile',
  'copyFile',
  'link',
  'mkdir',
  'mkdtemp',
  'symlink',
  'write',
  'writeFile',
  'writev',
];
/** Change the names in a folder: the positions of paths in the arguments. */
const NAMES: Readonly<Record<string, readonly number[]>> = {
  writeFile: [0],
  mkdir: [0],
  rmdir: [0],
  rm: [0],
  unlink: [0],
  rename: [0, 1],
  symlink: [1],
  link: [1],
  copyFile: [1],
  utimes: [0],
};
const WITH_CALLBACK = ['fsync', 'fdatasync', 'read', 'write'];
const WITH_PROMISE = [
  ...[
    'access',
    'appendFile',
    'chmod',
    'copyFile',
    'cp',
    'link',
    'lstat',
    'mkdir',
    'mkdtemp',
    'readFile',
    'readdir',
  ],
  ...[
    'readlink',
    'realpath',
    'rename',
    'rm',
    'rmdir',
    'stat',
    'symlink',
    'truncate',
    'unlink',
    'utimes',
    'writeFile',
  ],
];

/** `closeAll` closes the files of the process and ends its watches, as its end does. */
export function mountDisk(disk: SimulatedDisk, owner: object): { readonly fs: Fs; closeAll(): void } {
  const simulated: Record<string, unknown> = { ...fs };
  const functions = simulated as Functions;
  // Looked up at each call: `lossy-disk.ts` hooks them later.
  const wrap = (name: string, create: (original: AnyFunction) => AnyFunction): void => {
    const before = functions[name];
    const isOurs = before !== (fs as unknown as Functions)[name];
    functions[name] = create((...args) => (isOurs ? before : (fs as unknown as Functions)[name])?.(...args));
  };
  wrapChanges(disk, wrap);
  for (const name of ['statSync', 'lstatSync', 'fstatSync'])
    wrap(
      name,
      (original) =>
        (...args) =>
          disk.withTimes(original(...args) as Stats | undefined),
    );
  wrap(
    'readdirSync',
    (original) =>
      (...args) =>
        sortNames(original(...args) as readonly Entry[]),
  );
  for (const name of ['fsyncSync', 'fdatasyncSync'])
    wrap(
      name,
      (original) =>
        (...args) =>
          disk.ignoresSyncs ? undefined : original(...args),
    );
  const descriptors = addDescriptors(disk, simulated);
  addScheduled(disk, owner, functions);
  addWatch(disk, owner, functions);
  return {
    fs: simulated as unknown as Fs,
    closeAll() {
      for (const descriptor of descriptors) fs.closeSync(descriptor);
      descriptors.clear();
      for (const watcher of disk.watchers) if (watcher.owner === owner) disk.watchers.delete(watcher);
    },
  };
}

type Wrap = (name: string, create: (original: AnyFunction) => AnyFunction) => void;

function wrapChanges(disk: SimulatedDisk, wrap: Wrap): void {
  for (const name of [...WRITES, 'ftruncate'])
    wrap(`${name}Sync`, (original) => (...args) => {
      if (name !== 'ftruncate') disk.refuseIfFull(args[0]);
      const result = original(...args);
      if (typeof args[0] === 'number') disk.touch(fs.fstatSync(args[0]));
      return result;
    });
  for (const [name, positions] of Object.entries(NAMES))
    wrap(`${name}Sync`, (original) => (...args) => {
      const result = original(...args);
      for (const at of positions) if (typeof args[at] === 'string') disk.nameChanged(args[at]);
      if (name === 'rename') disk.renamed(String(args[1]));
      return result;
    });
}

function addDescriptors(disk: SimulatedDisk, simulated: Record<string, unknown>): Set<number> {
  const descriptors = new Set<number>();
  simulated.openSync = (path: string, flags: string | number = 'r', mode?: number): number => {
    const creates = typeof flags === 'number' ? (flags & fs.constants.O_CREAT) !== 0 : /[wa]/.test(flags);
    const isNew = creates && !fs.existsSync(path);
    if (isNew) disk.refuseIfFull(path);
    const descriptor = fs.openSync(path, flags, mode);
    descriptors.add(descriptor);
    if (isNew) disk.nameChanged(path);
    return descriptor;
  };
  simulated.closeSync = (descriptor: number): void => {
    descriptors.delete(descriptor);
    fs.closeSync(descriptor);
  };
  return descriptors;
}

function addScheduled(disk: SimulatedDisk, owner: object, functions: Functions): void {
  const schedule = <T>(label: string, run: () => T): Promise<T> =>
    new Promise((resolve, reject) =>
      disk.scheduler.add({
        owner,
        label,
        run() {
          try {
            resolve(run());
          } catch (error) {
            reject(error as Error);
          }
        },
      }),
    );
  for (const name of WITH_CALLBACK) {
    functions[name] = (...args) => {
      const done = args.at(-1) as (error: unknown, result?: unknown) => void;
      schedule(name, () => functions[`${name}Sync`]?.(...args.slice(0, -1))).then(
        (result) => done(null, result),
        (error: unknown) => done(error),
      );
    };
  }
  const scheduled = WITH_PROMISE.map((name): [string, AnyFunction] => [
    name,
    (...args) => schedule(`${name} ${disk.labelOf(args[0])}`, () => functions[`${name}Sync`]?.(...args)),
  ]);
  const simulated = functions as unknown as Fs;
  const open = (path: string, flags: string | number = 'r', mode?: number) =>
    schedule(`open ${disk.labelOf(path)}`, () =>
      createSimulatedHandle(simulated.openSync(path, flags, mode), simulated, schedule),
    );
  Object.assign(functions, { promises: { ...Object.fromEntries(scheduled), open, constants: fs.constants } });
}

function addWatch(disk: SimulatedDisk, owner: object, functions: Functions): void {
  functions.watch = (folder, ...rest) => {
    fs.lstatSync(String(folder));
    const listener = rest.at(-1) as (event: string, name: string) => void;
    const watcher: Watcher = {
      owner,
      folder: realPathOf(String(folder)),
      notify: (name) => listener('rename', name),
    };
    disk.watchers.add(watcher);
    const handle = { on: () => handle, unref: () => handle, close: () => void disk.watchers.delete(watcher) };
    return handle;
  };
}

type Entry = string | { readonly name: string };

function sortNames(entries: readonly Entry[]): Entry[] {
  const nameOf = (entry: Entry): string => (typeof entry === 'string' ? entry : entry.name);
  return [...entries].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

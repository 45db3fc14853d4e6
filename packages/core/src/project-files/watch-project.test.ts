import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type FileEvent, type FileWatchMessage, fileWatchMessageSchema } from '@crewagent/protocol/api/files';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMountedTree } from '../mounts/mounted-tree.ts';
import { openProjectFilesRig, type RigOptions } from '../testing/project-files-rig.ts';
import { tempFolder, writeTree } from '../testing/temp-folder.ts';
import { type ProjectWatch, type WatchListener, watchProject } from './watch-project.ts';
import type { SystemLimits } from './watch-tree.ts';

/** One who listens, and can wait for what should come. */
function createListener() {
  const messages: FileWatchMessage[] = [];
  const waiting = new Set<() => void>();
  const listener: WatchListener = (message) => {
    messages.push(fileWatchMessageSchema.parse(message));
    for (const look of [...waiting]) look();
  };
  /** Resolves as soon as what came so far is enough. */
  const until = <T>(look: () => T | undefined | false): Promise<T> =>
    new Promise((resolve) => {
      const attempt = (): void => {
        const found = look();
        if (found === undefined || found === false) return;
        waiting.delete(attempt);
        resolve(found);
      };
      waiting.add(attempt);
      attempt();
    });
  const events = (): FileEvent[] =>
    messages.flatMap((message) => (message.type === 'changes' ? message.changes : []));
  return {
    listener,
    messages,
    until,
    events,
    forget: () => void messages.splice(0),
    hasReported: (...types: FileWatchMessage['type'][]) =>
      until(() => types.every((type) => messages.some((message) => message.type === type)) || undefined),
    isWatching: (isWatching: boolean) =>
      until(() =>
        messages.some((message) => message.type === 'watching' && message.isWatching === isWatching),
      ),
    /** The last word on each path, once all the paths have been told of. */
    changes: (...paths: string[]) =>
      until(() => {
        const last = new Map(events().map((event) => [event.path, event]));
        return paths.every((path) => last.has(path)) ? last : undefined;
      }),
  };
}

async function openWatched(options: RigOptions = {}) {
  const rig = await openProjectFilesRig(options);
  const ear = createListener();
  const stop = rig.files.watch(ear.listener);
  await ear.isWatching(true);
  return { ...rig, ear, stop };
}

function watchFolder(project: string, limits: SystemLimits = {}): ProjectWatch {
  const watch = watchProject(createMountedTree(project), limits);
  onTestFinished(() => watch.close());
  return watch;
}

/** How many folders the system watches for this process. */
function systemWatches(): number {
  const count = (name: string): number => {
    try {
      return readFileSync(`/proc/self/fdinfo/${name}`, 'utf8').match(/^inotify /gm)?.length ?? 0;
    } catch {
      return 0;
    }
  };
  return readdirSync('/proc/self/fdinfo').reduce((sum, name) => sum + count(name), 0);
}

describe('watching a project', () => {
  it('[F15] [F20] tells what others create, change and remove', async () => {
    const { project, ear } = await openWatched({
      content: { 'a.md': 'a', 'sub/b.md': 'b', 'gone/c.md': '' },
    });
    writeFileSync(join(project, 'a.md'), 'A');
    writeFileSync(join(project, 'sub', 'new.md'), 'n');
    rmSync(join(project, 'gone'), { recursive: true });
    const told = await ear.changes('@project/a.md', '@project/sub/new.md', '@project/gone');
    expect(told.get('@project/a.md')).toEqual({ path: '@project/a.md', kind: 'changed' });
    expect(told.get('@project/sub/new.md')).toEqual({ path: '@project/sub/new.md', kind: 'created' });
    expect(told.get('@project/gone')).toEqual({ path: '@project/gone', kind: 'removed', isFolder: true });
    ear.forget();
    renameSync(join(project, 'sub'), join(project, 'other'));
    const moved = await ear.changes('@project/sub', '@project/other', '@project/other/b.md');
    expect(moved.get('@project/sub')?.kind).toBe('removed');
    expect(moved.get('@project/other')).toEqual({ path: '@project/other', kind: 'created', isFolder: true });
    ear.forget();
    writeFileSync(join(project, 'other', 'b.md'), 'B');
    expect((await ear.changes('@project/other/b.md')).get('@project/other/b.md')?.kind).toBe('changed');
  });

  it('[F15] folders made in one go are told with all they hold, and watched from then on', async () => {
    const { project, ear } = await openWatched();
    for (const top of ['one', 'two', 'three']) {
      mkdirSync(join(project, top, 'b', 'c'), { recursive: true });
      writeFileSync(join(project, top, 'b', 'c', 'x.md'), '');
      const told = await ear.changes(`@project/${top}`, `@project/${top}/b/c`, `@project/${top}/b/c/x.md`);
      expect(told.get(`@project/${top}/b/c`)).toEqual({
        path: `@project/${top}/b/c`,
        kind: 'created',
        isFolder: true,
      });
      writeFileSync(join(project, top, 'b', 'c', 'y.md'), '');
      expect((await ear.changes(`@project/${top}/b/c/y.md`)).size).toBeGreaterThan(0);
    }
  });

  it('[F15] a folder that took the place of another is watched, whatever its number', async () => {
    const { project, ear } = await openWatched({ content: { 'dist/old.js': '' } });
    for (let round = 0; round < 5; round++) {
      rmSync(join(project, 'dist'), { recursive: true });
      mkdirSync(join(project, 'dist'));
      writeFileSync(join(project, 'dist', `new${round}.js`), '');
      await ear.changes(`@project/dist/new${round}.js`);
      writeFileSync(join(project, 'dist', `later${round}.js`), '');
      await ear.changes(`@project/dist/later${round}.js`);
    }
  });

  it('[F15] our own writes are told, once each and without what is under way', async () => {
    const { project, files, ear } = await openWatched({ content: { 'a.md': 'a', 'dir/b.md': 'b' } });
    const found = await files.read('@project/a.md');
    await files.save({
      path: '@project/a.md',
      text: 'A',
      ifMatchSha256: 'sha256' in found ? found.sha256 : null,
    });
    await files.createFile('@project/new.md');
    await files.createFolder('@project/made');
    const removed = await files.remove('@project/dir');
    const told = await ear.changes('@project/a.md', '@project/new.md', '@project/made', '@project/dir');
    expect(Object.fromEntries([...told].map(([path, { kind }]) => [path, kind]))).toEqual({
      '@project/a.md': 'changed',
      '@project/new.md': 'created',
      '@project/made': 'created',
      '@project/dir': 'removed',
    });
    ear.forget();
    await files.undo(removed.id);
    await ear.changes('@project/dir', '@project/dir/b.md');
    await files.move('@project/dir', '@project/made/dir');
    await ear.changes('@project/made/dir/b.md');
    expect(ear.events().every(({ path }) => !/\.(?:writing|removing|restoring)-/.test(path))).toBe(true);
    expect(readdirSync(project).sort()).toEqual(['a.md', 'made', 'new.md']);
  });

  it('[F15] what came and went is not told; a busy file is told every half second, not more', async () => {
    const { project, ear } = await openWatched({ content: { 'busy.log': '' } });
    const from = performance.now();
    const busy = setInterval(() => {
      writeFileSync(join(project, 'busy.log'), String(performance.now()));
      writeFileSync(join(project, 'brief'), '');
      rmSync(join(project, 'brief'));
    }, 5);
    onTestFinished(() => clearInterval(busy));
    await ear.until(() => ear.events().length >= 3 || undefined);
    clearInterval(busy);
    const batches = ear.messages.filter(({ type }) => type === 'changes').length;
    expect(batches).toBeLessThanOrEqual(1 + (performance.now() - from) / 400);
    expect(new Set(ear.events().map(({ path }) => path))).toEqual(new Set(['@project/busy.log']));
  });

  it('[F16] nothing of the ignore list, nothing behind a link, nothing outside', async () => {
    const outside = await tempFolder();
    await writeTree(outside, { 'dir/x.md': '' });
    const { root, project, ear } = await openWatched({
      content: { 'node_modules/p/i.js': '', '.git/HEAD': '', 'sub/node_modules/q/i.js': '', 'real/a.md': '' },
    });
    symlinkSync(outside, join(project, 'out'));
    symlinkSync('real', join(project, 'in'));
    await ear.changes('@project/out', '@project/in');
    renameSync(join(project, 'sub'), join(project, 'parked'));
    symlinkSync(join(outside, 'dir'), join(project, 'sub'));
    await ear.changes('@project/sub', '@project/parked');
    ear.forget();
    writeFileSync(join(outside, 'dir', 'y.md'), '');
    writeFileSync(join(outside, 'z.md'), '');
    writeFileSync(join(root, 'beside.md'), '');
    for (const path of [
      'node_modules/p/j.js',
      '.git/index',
      'parked/node_modules/q/j.js',
      '.DS_Store',
      '._a',
    ])
      writeFileSync(join(project, path), '');
    mkdirSync(join(project, 'parked', 'deeper', 'node_modules', 'r'), { recursive: true });
    writeFileSync(join(project, 'parked', 'deeper', 'node_modules', 'r', 'i.js'), '');
    writeFileSync(join(project, 'real', 'b.md'), '');
    writeFileSync(join(project, '.hidden'), '');
    // What is told comes in order, so that what is not told by now never will be.
    await ear.changes('@project/real/b.md', '@project/.hidden', '@project/parked/deeper');
    writeFileSync(join(project, 'last'), '');
    await ear.changes('@project/last');
    expect([...new Set(ear.events().map(({ path }) => path))].sort()).toEqual([
      '@project/.hidden',
      '@project/last',
      '@project/parked/deeper',
      '@project/real/b.md',
    ]);
  });

  it('[F17] too much at once is an overflow, and then it goes on', async () => {
    const { project, ear } = await openWatched();
    mkdirSync(join(project, 'many'));
    for (let index = 0; index < 600; index++) writeFileSync(join(project, 'many', `${index}`), '');
    await ear.hasReported('overflow');
    expect(ear.messages.every((message) => message.type !== 'changes' || message.changes.length <= 500)).toBe(
      true,
    );
    ear.forget();
    writeFileSync(join(project, 'many', 'one-more'), '');
    await ear.changes('@project/many/one-more');
  });

  it.runIf(process.platform === 'linux')(
    '[F18] one watch for all, gone with the last who listens',
    async () => {
      const before = systemWatches();
      const { project, files, ear, stop } = await openWatched({ content: { 'a/b/c.md': '' } });
      const watches = systemWatches();
      expect(watches - before).toBe(3);
      const others = Array.from({ length: 5 }, () => createListener());
      const stops = others.map(({ listener }) => files.watch(listener));
      for (const other of others) await other.isWatching(true);
      expect(systemWatches()).toBe(watches);
      writeFileSync(join(project, 'a', 'new'), '');
      for (const other of [ear, ...others]) await other.changes('@project/a/new');
      for (const each of stops) each();
      stop();
      stop();
      expect(files.isWatching).toBe(false);
      await files.close();
      expect(systemWatches()).toBe(before);
      const again = createListener();
      files.watch(again.listener);
      await again.isWatching(true);
      expect(
        others.every(({ messages }) => messages.filter(({ type }) => type === 'watching').length === 1),
      ).toBe(true);
    },
  );

  it('[F18] a project that vanishes is waited for', async () => {
    const { project, files, ear } = await openWatched({ content: { 'a.md': '' } });
    ear.forget();
    renameSync(project, `${project}-away`);
    await ear.isWatching(false);
    expect(files.isWatching).toBe(false);
    writeFileSync(join(`${project}-away`, 'unseen'), '');
    mkdirSync(join(project, 'new'), { recursive: true });
    await ear.isWatching(true);
    await ear.hasReported('overflow');
    expect(ear.events()).toEqual([]);
    writeFileSync(join(project, 'new', 'seen'), '');
    await ear.changes('@project/new/seen');
    ear.forget();
    rmSync(project, { recursive: true });
    await ear.isWatching(false);
  });

  it('[F18] a project that is not there is told as such, and everything else does not mind', async () => {
    const folder = join(await tempFolder(), 'none');
    const watch = watchFolder(folder);
    const ear = createListener();
    watch.listen(ear.listener);
    await ear.isWatching(false);
    mkdirSync(folder);
    await ear.isWatching(true);
  });

  it('[F18] a project of too many folders is not watched until there are fewer', async () => {
    const { project } = await openProjectFilesRig({ content: { 'a/b/c/x': '', 'd/e/y': '' } });
    const before = systemWatches();
    const watch = watchFolder(project, { maxFolders: 5 });
    const ear = createListener();
    watch.listen(ear.listener);
    await ear.isWatching(false);
    expect(systemWatches()).toBe(before);
    rmSync(join(project, 'a', 'b'), { recursive: true });
    await ear.isWatching(true);
    ear.forget();
    mkdirSync(join(project, 'f', 'g'), { recursive: true });
    await ear.isWatching(false);
    expect(watch.isWatching).toBe(false);
  });

  it('[F18] what is closed while it begins is closed', async () => {
    const { project } = await openProjectFilesRig({ content: { 'a/b/c.md': '' } });
    const before = systemWatches();
    for (let round = 0; round < 20; round++) {
      const watch = watchFolder(project);
      const ear = createListener();
      const stop = watch.listen(ear.listener);
      if (round % 2) stop();
      await watch.close();
      expect(ear.messages).toEqual([]);
    }
    expect(systemWatches()).toBe(before);
  });

  it('[F15] where the system watches whole trees, its word is passed on', async () => {
    const { project } = await openProjectFilesRig({
      content: { 'a.md': '', 'sub/b.md': '', 'node_modules/x': '' },
    });
    const ear = createListener();
    watchFolder(project, { isDeep: true }).listen(ear.listener);
    await ear.isWatching(true);
    // This system does so in its own time: touched until it is told.
    let count = 0;
    const touch = setInterval(() => {
      count++;
      writeFileSync(join(project, 'node_modules', `n${count}`), '');
      writeFileSync(join(project, 'sub', 'b.md'), String(count));
      writeFileSync(join(project, `new${count}.md`), '');
      rmSync(join(project, `new${count - 2}.md`), { force: true });
    }, 20);
    onTestFinished(() => clearInterval(touch));
    await ear.until(() => {
      const events = ear.events();
      const isTold = (path: RegExp, kind: FileEvent['kind']) =>
        events.some((event) => path.test(event.path) && event.kind === kind);
      return isTold(/sub\/b\.md$/, 'changed') && isTold(/new\d+\.md$/, 'created');
    });
    clearInterval(touch);
    expect(ear.events().filter(({ path }) => path.includes('node_modules'))).toEqual([]);
  });
});

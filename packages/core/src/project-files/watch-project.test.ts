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
import { openProjectFilesRig, type RigOptions } from '../testing/rigs/project-files-rig.ts';
import { tempFolder, writeTree } from '../testing/temp-folder.ts';
import { type ProjectWatch, type WatchListener, watchProject } from './watch-project.ts';
import type { SystemLimits } from './watch-tree.ts';

/** A listener that can wait for messages. */
function createListener() {
  const messages: FileWatchMessage[] = [];
  const waiting = new Set<() => void>();
  const listener: WatchListener = (message) => {
    messages.push(fileWatchMessageSchema.parse(message));
    for (const check of [...waiting]) check();
  };
  /** Resolves as soon as `check` returns a value. */
  const waitFor = <T>(check: () => T | undefined | false): Promise<T> =>
    new Promise((resolve) => {
      const attempt = (): void => {
        const found = check();
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
    waitFor,
    events,
    forget: () => void messages.splice(0),
    hasReported: (...types: FileWatchMessage['type'][]) =>
      waitFor(() => types.every((type) => messages.some((message) => message.type === type)) || undefined),
    isWatching: (isWatching: boolean) =>
      waitFor(() =>
        messages.some((message) => message.type === 'watching' && message.isWatching === isWatching),
      ),
    /** The last event of each path, once all of these paths have one. */
    changes: (...paths: string[]) =>
      waitFor(() => {
        const last = new Map(events().map((event) => [event.path, event]));
        return paths.every((path) => last.has(path)) ? last : undefined;
      }),
  };
}

async function openWatched(options: RigOptions = {}) {
  const rig = await openProjectFilesRig(options);
  const log = createListener();
  const stop = rig.files.watch(log.listener);
  await log.isWatching(true);
  return { ...rig, log, stop };
}

function watchFolder(project: string, limits: SystemLimits = {}): ProjectWatch {
  const watch = watchProject(createMountedTree(project), limits);
  onTestFinished(() => watch.close());
  return watch;
}

/** Number of folders the system watches for this process. */
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
  it('[F15] reports entries that other programs create, change and remove', async () => {
    const { project, log } = await openWatched({
      content: { 'a.md': 'a', 'sub/b.md': 'b', 'gone/c.md': '' },
    });
    writeFileSync(join(project, 'a.md'), 'A');
    writeFileSync(join(project, 'sub', 'new.md'), 'n');
    rmSync(join(project, 'gone'), { recursive: true });
    const changes = await log.changes('@project/a.md', '@project/sub/new.md', '@project/gone');
    expect(changes.get('@project/a.md')).toEqual({ path: '@project/a.md', kind: 'changed' });
    expect(changes.get('@project/sub/new.md')).toEqual({ path: '@project/sub/new.md', kind: 'created' });
    expect(changes.get('@project/gone')).toEqual({ path: '@project/gone', kind: 'removed', isFolder: true });
    log.forget();
    renameSync(join(project, 'sub'), join(project, 'other'));
    const moved = await log.changes('@project/sub', '@project/other', '@project/other/b.md');
    expect(moved.get('@project/sub')?.kind).toBe('removed');
    expect(moved.get('@project/other')).toEqual({ path: '@project/other', kind: 'created', isFolder: true });
    log.forget();
    writeFileSync(join(project, 'other', 'b.md'), 'B');
    expect((await log.changes('@project/other/b.md')).get('@project/other/b.md')?.kind).toBe('changed');
  });

  it('[F15] reports new folders with their content, and watches them', async () => {
    const { project, log } = await openWatched();
    for (const top of ['one', 'two', 'three']) {
      mkdirSync(join(project, top, 'b', 'c'), { recursive: true });
      writeFileSync(join(project, top, 'b', 'c', 'x.md'), '');
      const changes = await log.changes(`@project/${top}`, `@project/${top}/b/c`, `@project/${top}/b/c/x.md`);
      expect(changes.get(`@project/${top}/b/c`)).toEqual({
        path: `@project/${top}/b/c`,
        kind: 'created',
        isFolder: true,
      });
      writeFileSync(join(project, top, 'b', 'c', 'y.md'), '');
      expect((await log.changes(`@project/${top}/b/c/y.md`)).size).toBeGreaterThan(0);
    }
  });

  it('[F15] watches a folder that replaced another, even with the same inode', async () => {
    const { project, log } = await openWatched({ content: { 'dist/old.js': '' } });
    for (let round = 0; round < 5; round++) {
      rmSync(join(project, 'dist'), { recursive: true });
      mkdirSync(join(project, 'dist'));
      writeFileSync(join(project, 'dist', `new${round}.js`), '');
      await log.changes(`@project/dist/new${round}.js`);
      writeFileSync(join(project, 'dist', `later${round}.js`), '');
      await log.changes(`@project/dist/later${round}.js`);
    }
  });

  it('[F15] reports our own writes once, without temp files', async () => {
    const { project, files, log } = await openWatched({ content: { 'a.md': 'a', 'dir/b.md': 'b' } });
    const found = await files.read('@project/a.md');
    await files.save({
      path: '@project/a.md',
      text: 'A',
      ifMatchSha256: 'sha256' in found ? found.sha256 : null,
    });
    await files.createFile('@project/new.md');
    await files.createFolder('@project/made');
    const removed = await files.remove('@project/dir');
    const changes = await log.changes('@project/a.md', '@project/new.md', '@project/made', '@project/dir');
    expect(Object.fromEntries([...changes].map(([path, { kind }]) => [path, kind]))).toEqual({
      '@project/a.md': 'changed',
      '@project/new.md': 'created',
      '@project/made': 'created',
      '@project/dir': 'removed',
    });
    log.forget();
    await files.undo(removed.id);
    await log.changes('@project/dir', '@project/dir/b.md');
    await files.move('@project/dir', '@project/made/dir');
    await log.changes('@project/made/dir/b.md');
    expect(log.events().every(({ path }) => !/\.(?:writing|removing|restoring)-/.test(path))).toBe(true);
    expect(readdirSync(project).sort()).toEqual(['a.md', 'made', 'new.md']);
  });

  it('[F15] does not report temporary files, and a busy file at most every half second', async () => {
    const { project, log } = await openWatched({ content: { 'busy.log': '' } });
    const from = performance.now();
    const busy = setInterval(() => {
      writeFileSync(join(project, 'busy.log'), String(performance.now()));
      writeFileSync(join(project, 'brief'), '');
      rmSync(join(project, 'brief'));
    }, 5);
    onTestFinished(() => clearInterval(busy));
    await log.waitFor(() => log.events().length >= 3 || undefined);
    clearInterval(busy);
    const batches = log.messages.filter(({ type }) => type === 'changes').length;
    expect(batches).toBeLessThanOrEqual(1 + (performance.now() - from) / 400);
    expect(new Set(log.events().map(({ path }) => path))).toEqual(new Set(['@project/busy.log']));
  });

  it('[F15] reports nothing ignored, behind a link or outside', async () => {
    const outside = await tempFolder();
    await writeTree(outside, { 'dir/x.md': '' });
    const { root, project, log } = await openWatched({
      content: { 'node_modules/p/i.js': '', '.git/HEAD': '', 'sub/node_modules/q/i.js': '', 'real/a.md': '' },
    });
    symlinkSync(outside, join(project, 'out'));
    symlinkSync('real', join(project, 'in'));
    await log.changes('@project/out', '@project/in');
    renameSync(join(project, 'sub'), join(project, 'parked'));
    symlinkSync(join(outside, 'dir'), join(project, 'sub'));
    await log.changes('@project/sub', '@project/parked');
    log.forget();
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
    // Messages are in order, so anything not reported by now never will be.
    await log.changes('@project/real/b.md', '@project/.hidden', '@project/parked/deeper');
    writeFileSync(join(project, 'last'), '');
    await log.changes('@project/last');
    expect([...new Set(log.events().map(({ path }) => path))].sort()).toEqual([
      '@project/.hidden',
      '@project/last',
      '@project/parked/deeper',
      '@project/real/b.md',
    ]);
  });

  it('[F15] reports too many changes as overflow, then continues', async () => {
    const { project, log } = await openWatched();
    mkdirSync(join(project, 'many'));
    for (let index = 0; index < 600; index++) writeFileSync(join(project, 'many', `${index}`), '');
    await log.hasReported('overflow');
    expect(log.messages.every((message) => message.type !== 'changes' || message.changes.length <= 500)).toBe(
      true,
    );
    log.forget();
    writeFileSync(join(project, 'many', 'one-more'), '');
    await log.changes('@project/many/one-more');
  });

  it.runIf(process.platform === 'linux')(
    '[F15] uses one watch for all listeners, closed with the last',
    async () => {
      const before = systemWatches();
      const { project, files, log, stop } = await openWatched({ content: { 'a/b/c.md': '' } });
      const watches = systemWatches();
      expect(watches - before).toBe(3);
      const others = Array.from({ length: 5 }, () => createListener());
      const stops = others.map(({ listener }) => files.watch(listener));
      for (const other of others) await other.isWatching(true);
      expect(systemWatches()).toBe(watches);
      writeFileSync(join(project, 'a', 'new'), '');
      for (const other of [log, ...others]) await other.changes('@project/a/new');
      for (const each of stops) each();
      stop();
      stop();
      expect(files.isWatching).toBe(false);
      await files.close();
      expect(systemWatches()).toBe(before);
      const other = createListener();
      files.watch(other.listener);
      await other.isWatching(true);
      expect(
        others.every(({ messages }) => messages.filter(({ type }) => type === 'watching').length === 1),
      ).toBe(true);
    },
  );

  it('[F15] retries a project folder that vanishes', async () => {
    const { project, files, log } = await openWatched({ content: { 'a.md': '' } });
    log.forget();
    renameSync(project, `${project}-away`);
    await log.isWatching(false);
    expect(files.isWatching).toBe(false);
    writeFileSync(join(`${project}-away`, 'unseen'), '');
    mkdirSync(join(project, 'new'), { recursive: true });
    await log.isWatching(true);
    await log.hasReported('overflow');
    expect(log.events()).toEqual([]);
    writeFileSync(join(project, 'new', 'seen'), '');
    await log.changes('@project/new/seen');
    log.forget();
    rmSync(project, { recursive: true });
    await log.isWatching(false);
  });

  it('[F15] reports a missing project folder, without affecting other operations', async () => {
    const folder = join(await tempFolder(), 'none');
    const watch = watchFolder(folder);
    const log = createListener();
    watch.listen(log.listener);
    await log.isWatching(false);
    mkdirSync(folder);
    await log.isWatching(true);
  });

  it('[F15] does not watch a project with too many folders until there are fewer', async () => {
    const { project } = await openProjectFilesRig({ content: { 'a/b/c/x': '', 'd/e/y': '' } });
    const before = systemWatches();
    const watch = watchFolder(project, { maxFolders: 5 });
    const log = createListener();
    watch.listen(log.listener);
    await log.isWatching(false);
    expect(systemWatches()).toBe(before);
    rmSync(join(project, 'a', 'b'), { recursive: true });
    await log.isWatching(true);
    log.forget();
    mkdirSync(join(project, 'f', 'g'), { recursive: true });
    await log.isWatching(false);
    expect(watch.isWatching).toBe(false);
  });

  it('[F15] can be closed while starting', async () => {
    const { project } = await openProjectFilesRig({ content: { 'a/b/c.md': '' } });
    const before = systemWatches();
    for (let round = 0; round < 20; round++) {
      const watch = watchFolder(project);
      const log = createListener();
      const stop = watch.listen(log.listener);
      if (round % 2) stop();
      await watch.close();
      expect(log.messages).toEqual([]);
    }
    expect(systemWatches()).toBe(before);
  });

  it('[F15] passes on system events where whole trees are watched', async () => {
    const { project } = await openProjectFilesRig({
      content: { 'a.md': '', 'sub/b.md': '', 'node_modules/x': '' },
    });
    const log = createListener();
    watchFolder(project, { isDeep: true }).listen(log.listener);
    await log.isWatching(true);
    // System events are delayed here: touch files until they are reported.
    let count = 0;
    const touch = setInterval(() => {
      count++;
      writeFileSync(join(project, 'node_modules', `n${count}`), '');
      writeFileSync(join(project, 'sub', 'b.md'), String(count));
      writeFileSync(join(project, `new${count}.md`), '');
      rmSync(join(project, `new${count - 2}.md`), { force: true });
    }, 20);
    onTestFinished(() => clearInterval(touch));
    await log.waitFor(() => {
      const events = log.events();
      const isReported = (path: RegExp, kind: FileEvent['kind']) =>
        events.some((event) => path.test(event.path) && event.kind === kind);
      return isReported(/sub\/b\.md$/, 'changed') && isReported(/new\d+\.md$/, 'created');
    });
    clearInterval(touch);
    expect(log.events().filter(({ path }) => path.includes('node_modules'))).toEqual([]);
  });
});

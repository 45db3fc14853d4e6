/** The changes of a package folder; of a method by its path only those of the file and its tests: what else is beside it may be anything. */
import { type Stats, unwatchFile, watchFile } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { FileWatchMessage } from '@crewagent/protocol/api/files';
import { CrewError } from '../base/crew-error.ts';
import { ifPresent } from '../base/errno.ts';
import { isMethodFile } from '../base/method-file.ts';
import { createMountedTree } from '../mounts/mounted-tree.ts';
import { TESTS_FOLDER } from '../package-tests/test-files.ts';
import { watchProject } from '../project-files/watch-project.ts';

/** A file that an editor replaces is not watched by the system any more; its time and size always are. */
const POLL_MS = 250;

export type PackageChanges = Awaited<ReturnType<typeof watchPackage>>;

/** Active when this resolves. */
export async function watchPackage(path: string) {
  const changed = new Set<string>();
  let wake: (() => void) | undefined;
  let onChange: (() => void) | undefined;
  const add = (paths: readonly string[]): void => {
    const relevant = paths.filter((one) => !isLeftover(one));
    if (relevant.length === 0) return;
    for (const one of relevant) changed.add(one);
    onChange?.();
    wake?.();
  };
  if (!(await ifPresent(stat(path))))
    throw new CrewError('NOT_FOUND', `There is no file or folder "${path}".`);
  const stop = isMethodFile(path) ? await watchMethod(path, add) : await watchFolder(path, '', add);
  return {
    /** Called with each change, until it is replaced. */
    set onChange(listener: (() => void) | undefined) {
      onChange = listener;
    },
    /** Resolves `next` without a change. */
    wake: () => {
      onChange?.();
      wake?.();
    },
    /** Paths that changed since the last call; waits for the first one. */
    async next(): Promise<readonly string[]> {
      if (changed.size === 0)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      wake = undefined;
      const paths = [...changed].sort();
      changed.clear();
      return paths;
    },
    close: stop,
  };
}

type OnChanged = (paths: readonly string[]) => void;

async function watchMethod(path: string, add: OnChanged): Promise<() => Promise<void>> {
  const onStat = (now: Stats, before: Stats): void => {
    if (now.mtimeMs !== before.mtimeMs || now.size !== before.size) add([basename(path)]);
  };
  const tests = join(dirname(path), TESTS_FOLDER);
  const stopTests = (await isFolder(tests))
    ? await watchFolder(tests, `${TESTS_FOLDER}/`, add)
    : () => Promise.resolve();
  watchFile(path, { interval: POLL_MS }, onStat);
  return async () => {
    unwatchFile(path, onStat);
    await stopTests();
  };
}

async function isFolder(path: string): Promise<boolean> {
  return (await ifPresent(stat(path)))?.isDirectory() ?? false;
}

/** `prefix`: of the paths that are reported. */
async function watchFolder(path: string, prefix: string, add: OnChanged): Promise<() => Promise<void>> {
  if (!(await isFolder(path)))
    throw new CrewError('USAGE', `"${path}" is neither a package folder nor a method (.md).`);
  const watch = watchProject(createMountedTree(await realpath(path)));
  await new Promise<void>((resolve) => {
    const onMessage = (message: FileWatchMessage): void => {
      if (message.type === 'watching') resolve();
      else if (message.type === 'overflow') add([`${prefix}…`]);
      else
        add(
          message.changes
            .filter((change) => !change.isFolder || change.kind === 'removed')
            .map((change) => prefix + change.path.replace(/^@project\//, '')),
        );
    };
    watch.listen(onMessage);
  });
  if (!watch.isWatching) {
    await watch.close();
    throw new CrewError('USAGE', `The changes of "${path}" cannot be watched: it has too many folders.`);
  }
  return () => watch.close();
}

/** What editors, and runs in the folder of the package, leave there. */
function isLeftover(path: string): boolean {
  return /~$|(?:^|\/)\.[^/]*\.sw\w$|^artifacts\/|^[^/]*\.bmad$/.test(path);
}

/**
 * Fails a test file if a file handle was left to the garbage collector: such a handle is closed at a random time, or never, in a process that
 * runs for weeks. The error has the stack of the call that opened it.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll } from 'vitest';

interface Opened {
  readonly path: string;
  /** Its stack is formatted only for a report: that takes longer than to open the file. */
  readonly call: Error;
  isClosed: boolean;
}

type Open = typeof fs.promises.open;

// Test files in one process share it.
const shared = globalThis as { openFilesFound?: string[] };
shared.openFilesFound ??= watchAll();
/** Handles that were collected while they were open. */
export const openFilesFound = shared.openFilesFound;

/** `npm run test:crash` collects garbage after each file, so that no handle is missed. */
const isThorough = process.env.CREWAGENT_CRASH === 'all' || process.env.CREWAGENT_COLLECT !== undefined;

afterAll(async () => {
  if (isThorough) await collectGarbage();
  if (openFilesFound.length > 0) throw new Error(openFilesFound.splice(0).join('\n\n'));
});

export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  // Finalizers run in a task of their own.
  await new Promise((resolve) => setImmediate(resolve));
}

function watchAll(): string[] {
  const { open, found } = watchHandles(fs.promises.open);
  fs.promises.open = open;
  syncBuiltinESMExports();
  return found;
}

/** The same function, and a list of those of its handles that were collected while they were open. */
export function watchHandles(original: Open) {
  const found: string[] = [];
  const registry = new FinalizationRegistry<Opened>(({ path, call, isClosed }) => {
    if (!isClosed) found.push(`A file handle of ${path} was not closed. It was opened here:\n${call.stack}`);
  });
  const open: Open = async (path, flags, mode) => {
    const call = new Error('opened');
    const handle = await original(path, flags, mode);
    const opened: Opened = { path: String(path), call, isClosed: false };
    // An event emitter, which its type does not say.
    (handle as unknown as NodeJS.EventEmitter).once('close', () => {
      opened.isClosed = true;
    });
    registry.register(handle, opened);
    return handle;
  };
  return { open, found };
}

/** Stores the window state in a file of the store. A file that cannot be read or written is ignored. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { WindowStateFile } from './main-window.ts';
import { NO_WINDOW_STATE, type WindowState, windowStateSchema } from './window-state.ts';

export function createWindowStateFile(file: string): WindowStateFile {
  let state: WindowState | undefined;
  return {
    read() {
      state ??= load(file);
      return state;
    },
    write(next) {
      state = next;
      try {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        writeFileSync(file, JSON.stringify(next), { mode: 0o600 });
      } catch {
        // The window opens at the default position next time.
      }
    },
  };
}

function load(file: string): WindowState {
  try {
    return windowStateSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return NO_WINDOW_STATE;
  }
}

/** The desktop app with its own server on a fresh store, and a fake Electron. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningServer, startServer } from '@crewagent/server';
import { onTestFinished } from 'vitest';
import { createDesktopApp } from '../desktop-app.ts';
import { NO_WINDOW_STATE, type WindowState } from '../window-state.ts';
import { createFakeElectron, type FakeWindow } from './fake-electron.ts';

export async function startDesktop({ storeRoot }: { readonly storeRoot?: string } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'crewagent-desktop-'));
  const store = storeRoot ?? join(folder, 'store');
  const electron = createFakeElectron();
  const servers: RunningServer[] = [];
  let state: WindowState = NO_WINDOW_STATE;
  const app = await createDesktopApp({
    api: electron.api,
    async startServer() {
      const server = await startServer({ storeRoot: store, env: {} });
      servers.push(server);
      return server;
    },
    preload: '/app/preload.cjs',
    states: {
      read: () => state,
      write: (next) => {
        state = next;
      },
    },
    isMac: false,
    language: 'en',
    firstWaitMs: 10,
  });
  onTestFinished(async () => {
    electron.person.agrees = true;
    await app.quit();
    await rm(folder, { recursive: true, force: true });
  });
  const window = electron.windows[0] as FakeWindow;
  const server = (): RunningServer => servers.at(-1) as RunningServer;
  return { ...electron, app, window, server, servers, folder, store };
}

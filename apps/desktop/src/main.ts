/**
 * The desktop app as Electron starts it: one instance, links and files from the system, and the end of the program. All else is
 * in `desktop-app.ts`, which knows Electron by a small interface only.
 */
import { join, resolve } from 'node:path';
import { createStoreLayout, defaultStoreRoot, readWindowPort, writeWindowPort } from '@crewagent/core';
import { startServer } from '@crewagent/server';
import { app, safeStorage } from 'electron';
import { createDesktopApp, type DesktopApp } from './desktop-app.ts';
import { type OpenRequest, parseArguments, parseFile, parseLink, SCHEME } from './open-requests.ts';
import { openSecrets } from './open-secrets.ts';
import { toElectronApi } from './to-electron-api.ts';
import { createWindowStateFile } from './window-state-file.ts';

const storeRoot = defaultStoreRoot(process.env);
const store = createStoreLayout(storeRoot);
// Electron's own files are apart from the store, and each store has its own instance.
app.setPath('userData', store.desktopProfile);
app.setAsDefaultProtocolClient(SCHEME);

if (app.requestSingleInstanceLock()) void run();
else app.exit();

async function run(): Promise<void> {
  let desktop: DesktopApp | undefined;
  const early: OpenRequest[] = [...parseArguments(process.argv.slice(1), (path) => resolve(path))];
  const open = (requests: readonly OpenRequest[]): void => {
    if (desktop) void desktop.open(requests);
    else early.push(...requests);
  };
  app.on('second-instance', (_, args, folder) => {
    open(parseArguments(args.slice(1), (path) => resolve(folder, path)));
  });
  app.on('open-url', (event, link) => {
    event.preventDefault();
    open([parseLink(link) ?? []].flat());
  });
  app.on('open-file', (event, file) => {
    event.preventDefault();
    open([parseFile(file) ?? []].flat());
  });
  app.on('activate', () => open([]));
  // The tray stays.
  app.on('window-all-closed', () => undefined);
  app.on('before-quit', (event) => {
    if (!desktop) return;
    event.preventDefault();
    void desktop.quit();
  });

  await app.whenReady();
  desktop = await createDesktopApp({
    api: toElectronApi(join(import.meta.dirname, 'icon.png')),
    startServer: startOwnServer,
    preload: join(import.meta.dirname, 'preload.cjs'),
    states: createWindowStateFile(store.desktopWindow),
    isMac: process.platform === 'darwin',
    language: app.getLocale().startsWith('zh') ? 'zh-CN' : 'en',
  });
  if (early.length > 0) await desktop.open(early);
}

/** Or the one that runs already, of the command line or another program. */
async function startOwnServer(): ReturnType<typeof startServer> {
  const server = await startServer({
    storeRoot,
    env: process.env,
    preferredPort: await readWindowPort(store),
    webRoot: join(import.meta.dirname, 'web'),
    examplesRoot: join(import.meta.dirname, 'examples'),
    secrets: await openSecrets(store, safeStorage),
  });
  await writeWindowPort(store, Number(new URL(server.url).port));
  return server;
}

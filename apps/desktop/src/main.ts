/**
 * Entry point of the desktop app: single instance, links and files from the system, and exit. Everything else is in
 * `desktop-app.ts`, which uses Electron only through `ElectronApi`.
 */
import { join, resolve } from 'node:path';
import { appFilesOf, defaultStoreRoot, readWindowPort, writeWindowPort } from '@crewagent/core';
import { detectLanguage } from '@crewagent/protocol/languages';
import { startServer } from '@crewagent/server';
import { app, safeStorage } from 'electron';
import { createDesktopApp, type DesktopApp } from './desktop-app.ts';
import { type OpenRequest, parseArguments, parseFile, parseLink, SCHEME } from './open-requests.ts';
import { openSecrets } from './open-secrets.ts';
import { toElectronApi } from './to-electron-api.ts';
import { createWindowStateFile } from './window-state.ts';

const storeRoot = defaultStoreRoot(process.env);
const appFiles = appFilesOf(storeRoot);
// Electron's own files are separate from the store, and each store has its own instance.
app.setPath('userData', appFiles.desktopProfile);
app.setAsDefaultProtocolClient(SCHEME);

if (app.requestSingleInstanceLock()) void run();
else app.exit();

async function run(): Promise<void> {
  let desktop: DesktopApp | undefined;
  const pendingRequests: OpenRequest[] = [...parseArguments(process.argv.slice(1), (path) => resolve(path))];
  const open = (requests: readonly OpenRequest[]): void => {
    if (desktop) void desktop.open(requests);
    else pendingRequests.push(...requests);
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
  // Keeps the app running in the tray.
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
    states: createWindowStateFile(appFiles.desktopWindow),
    isMac: process.platform === 'darwin',
    language: detectLanguage([app.getLocale()]),
  });
  if (pendingRequests.length > 0) await desktop.open(pendingRequests);
}

/** Starts the server, or returns the one already running in another process. */
async function startOwnServer(): ReturnType<typeof startServer> {
  const server = await startServer({
    storeRoot,
    env: process.env,
    preferredPort: await readWindowPort(storeRoot),
    webRoot: join(import.meta.dirname, 'web'),
    examplesRoot: join(import.meta.dirname, 'examples'),
    secrets: await openSecrets(storeRoot, safeStorage),
  });
  await writeWindowPort(storeRoot, Number(new URL(server.url).port));
  return server;
}

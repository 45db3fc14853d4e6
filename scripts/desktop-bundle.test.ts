import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildDesktop, desktopDist, desktopRoot } from './build-desktop.mjs';
import { findElectron, NO_ELECTRON } from './find-electron.mjs';

beforeAll(buildDesktop, 300_000);

const readJson = (file: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(desktopRoot, file), 'utf8')) as Record<string, unknown>;

/** A stub module for `electron`: every call returns nothing, windows are recorded, and the app is ready at once. */
const STUB = `
const { join } = require('node:path');
const Module = require('node:module');
const anything = () => new Proxy(function () {}, {
  get: (_, name) => (name === 'then' ? undefined : anything()),
  apply: () => anything(),
  construct: () => anything(),
});
class BrowserWindow {
  constructor(options) { this.options = options; this.webContents = anything(); }
  loadURL(url) {
    process.stdout.write(JSON.stringify({ url, options: this.options }) + '\\n');
    setTimeout(() => process.exit(0), 100);
    return Promise.resolve();
  }
  on() {} show() {} isMaximized() { return false; }
}
const app = {
  setPath() {}, setAsDefaultProtocolClient() {}, requestSingleInstanceLock: () => true, on() {},
  whenReady: () => Promise.resolve(), getLocale: () => 'en', setBadgeCount() {}, exit: () => process.exit(0),
};
const screen = { getAllDisplays: () => [{ id: 1, workArea: { x: 0, y: 0, width: 1440, height: 900 } }] };
const safeStorage = { isEncryptionAvailable: () => false };
const electron = new Proxy({ app, BrowserWindow, screen, safeStorage }, { get: (own, name) => own[name] ?? anything() });
const load = Module._load;
Module._load = (name, ...rest) => (name === 'electron' ? electron : load(name, ...rest));
`;

describe('the bundled desktop app', () => {
  const folder = mkdtempSync(join(tmpdir(), 'crewagent-desktop-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('[G1] starts, serves, and opens its window on the page, with Electron replaced by a stub', async () => {
    const stub = join(folder, 'stub.cjs');
    writeFileSync(stub, STUB);
    const child = spawn(process.execPath, ['--require', stub, join(desktopDist, 'main.cjs')], {
      env: { ...process.env, CREWAGENT_HOME: join(folder, 'store') },
    });
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(err).toBe('');
    const { url, options } = JSON.parse(out) as { url: string; options: Record<string, unknown> };
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}&surface=electron$/);
    expect(options).toMatchObject({
      webPreferences: { preload: join(desktopDist, 'preload.cjs'), sandbox: true, contextIsolation: true },
    });
  });

  it('[G1] needs only Electron, Node and optional modules', () => {
    const files = [
      ...readdirSync(desktopDist),
      ...readdirSync(join(desktopDist, 'chunks')).map((name) => `chunks/${name}`),
    ];
    const required = files
      .filter((name) => name.endsWith('.cjs'))
      .flatMap((name) => [
        ...readFileSync(join(desktopDist, name), 'utf8').matchAll(/require\("([^".][^"]*)"\)/g),
      ])
      .map(([, name = '']) => name.replace(/^node:/, ''));
    const external = new Set(required.filter((name) => !builtinModules.includes(name)));
    // ajv requires these only in validators saved as files, which we do not use.
    const isWritten = (name: string): boolean => /^ajv(?:-formats)?\/dist\//.test(name);
    expect([...external].filter((name) => name !== 'electron' && !isWritten(name))).toEqual([]);
  });

  it('[G10] has a preload of one small file that requires only Electron', () => {
    const preload = readFileSync(join(desktopDist, 'preload.cjs'), 'utf8');
    expect([...preload.matchAll(/require\("([^"]+)"\)/g)].map(([, name]) => name)).toEqual(['electron']);
    expect(preload.length).toBeLessThan(2_000);
  });
});

describe('the installers', () => {
  const config = readJson('electron-builder.json');

  it('[G1] are built with fuses set and archive integrity checks', () => {
    expect(config).toMatchObject({ asar: true, npmRebuild: false });
    expect(config.electronFuses).toEqual({
      runAsNode: false,
      enableCookieEncryption: true,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
      loadBrowserProcessSpecificV8Snapshot: false,
      grantFileProtocolExtraPrivileges: false,
    });
  });

  it('[G1] register links and packages, contact no update server, and use the tested Electron version', () => {
    expect(config).toMatchObject({
      publish: null,
      protocols: [{ schemes: ['crewagent'] }],
      fileAssociations: [{ ext: 'bmad' }],
      mac: { target: ['dmg'] },
      win: { target: ['nsis'] },
      linux: { target: ['AppImage', 'deb'] },
    });
    const { devDependencies } = readJson('package.json') as { devDependencies: Record<string, string> };
    expect(config.electronVersion).toBe(devDependencies.electron);
  });
});

describe('without an Electron', () => {
  it('[G1] prints one line that offers the page and an app window', () => {
    expect(findElectron({}, '/nowhere')).toBeUndefined();
    expect(NO_ELECTRON).toMatch(/"npm start".*serve --app/);
  });
});

/**
 * Implements `ElectronApi` with Electron's objects. Contains no logic.
 */
import { writeFile } from 'node:fs/promises';
import { REQUEST_CHANNEL } from '@crewagent/protocol/desktop-bridge';
import {
  app,
  BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  type MenuItemConstructorOptions,
  Notification,
  nativeImage,
  nativeTheme,
  screen,
  session,
  shell,
  Tray,
} from 'electron';
import type { AppWindow, ElectronApi, MenuItem, WindowOptions } from './electron-api.ts';

export function toElectronApi(iconFile: string): ElectronApi {
  let tray: Tray | undefined;
  // Keeps references: a garbage-collected notification loses its click handler.
  const shown = new Set<Notification>();
  return {
    createWindow,
    displays: () => screen.getAllDisplays().map(({ id, workArea }) => ({ id, workArea })),
    permissions: {
      setPermissionRequestHandler: (handler) =>
        session.defaultSession.setPermissionRequestHandler((_, __, allow) => handler(allow)),
      setPermissionCheckHandler: (handler) => session.defaultSession.setPermissionCheckHandler(handler),
    },
    setMenu: (items) => Menu.setApplicationMenu(Menu.buildFromTemplate(items.map(toTemplate))),
    setTray({ tooltip, items }, onClick) {
      if (!tray) {
        tray = new Tray(nativeImage.createFromPath(iconFile).resize({ width: 16, height: 16 }));
        tray.on('click', onClick);
      }
      tray.setToolTip(tooltip);
      tray.setContextMenu(Menu.buildFromTemplate(items.map(toTemplate)));
    },
    notify({ title, body, onClick }) {
      if (!Notification.isSupported()) return;
      const notification = new Notification({ title, body });
      shown.add(notification);
      notification.on('click', onClick);
      notification.on('close', () => shown.delete(notification));
      notification.show();
    },
    async confirm({ message, detail, buttons }) {
      const choice = { buttons: [...buttons], defaultId: 0, cancelId: 0 };
      const { response } = await dialog.showMessageBox({ type: 'question', message, detail, ...choice });
      return response === 1;
    },
    async showError(message, detail) {
      await dialog.showMessageBox({ type: 'error', message, detail });
    },
    async chooseFolder() {
      const { filePaths } = await dialog.showOpenDialog({ properties: ['openDirectory', 'createDirectory'] });
      return filePaths[0];
    },
    async choosePackage(title) {
      const filters = [{ name: '.bmad, .md', extensions: ['bmad', 'md'] }];
      const { filePaths } = await dialog.showOpenDialog({ title, properties: ['openFile'], filters });
      return filePaths[0];
    },
    reveal: (path) => shell.showItemInFolder(path),
    openOutside: (url) => shell.openExternal(url),
    async savePdf(defaultPath) {
      const window = BrowserWindow.getFocusedWindow() ?? BrowserWindow.getAllWindows()[0];
      if (!window) return false;
      // Printed before the dialog: the page shows the document only until it is answered.
      const pdf = await window.webContents.printToPDF({ preferCSSPageSize: true, printBackground: true });
      const { filePath } = await dialog.showSaveDialog(window, { defaultPath });
      if (filePath) await writeFile(filePath, pdf);
      return Boolean(filePath);
    },
    setBadge: (count) => void app.setBadgeCount(count),
    setTheme(theme) {
      nativeTheme.themeSource = theme;
    },
    addRecentFolder: (path) => app.addRecentDocument(path),
    handle: (channel, handler) =>
      ipcMain.handle(channel, ({ senderFrame }, ...args: readonly unknown[]) =>
        handler({ frameUrl: senderFrame?.url, isMainFrame: senderFrame?.parent === null }, args),
      ),
    exit: () => app.exit(),
  };
}

function createWindow({ webPreferences, ...options }: WindowOptions): AppWindow {
  const window = new BrowserWindow({ ...options, webPreferences: { ...webPreferences } });
  const { webContents: contents } = window;
  return {
    load: (url) => window.loadURL(url),
    url: () => contents.getURL(),
    reload: () => contents.reload(),
    show: () => window.show(),
    hide: () => window.hide(),
    focus: () => window.focus(),
    isFocused: () => window.isFocused(),
    bounds: () => window.getNormalBounds(),
    isMaximized: () => window.isMaximized(),
    maximize: () => window.maximize(),
    send: (request) => contents.send(REQUEST_CHANNEL, request),
    onNavigate(listener) {
      contents.on('will-frame-navigate', (event) => listener(event, event.url));
      contents.on('will-redirect', (event) => listener(event, event.url));
    },
    onOpenWindow: (listener) => contents.setWindowOpenHandler(({ url }) => ({ action: listener(url) })),
    onAttachWebview: (listener) => contents.on('will-attach-webview', listener),
    onCrash: (listener) => contents.on('render-process-gone', (_, { reason }) => listener(reason)),
    onClose: (listener) => window.on('close', listener),
    onReshape(listener) {
      window.on('resized', listener);
      window.on('moved', listener);
      // Linux emits neither of the two events above.
      window.on('close', listener);
      window.on('maximize', listener);
      window.on('unmaximize', listener);
    },
  };
}

function toTemplate({ submenu, role, click, ...item }: MenuItem): MenuItemConstructorOptions {
  return {
    ...item,
    ...(role === undefined ? {} : { role: role as NonNullable<MenuItemConstructorOptions['role']> }),
    ...(click ? { click } : {}),
    ...(submenu ? { submenu: submenu.map(toTemplate) } : {}),
  };
}

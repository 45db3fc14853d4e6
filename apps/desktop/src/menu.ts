/** The application menu and the tray menu, as values. Pure. */
import type { MenuItem } from './electron-api.ts';
import type { Texts } from './texts.ts';

export interface MenuActions {
  newConversation(): void;
  openFolder(): void;
  openPackage(): void;
  stop(): void;
  resume(): void;
  go(path: string): void;
  tab(step: 1 | -1): void;
  show(): void;
  quit(): void;
}

const SEPARATOR: MenuItem = { type: 'separator' };

/** Uses no accelerators of the page (Ctrl+K, Ctrl+P, …). */
export function toMenu(t: Texts, actions: MenuActions, isMac: boolean): readonly MenuItem[] {
  const settings = { label: t.settings, accelerator: 'CmdOrCtrl+,', click: () => actions.go('/settings') };
  const quit = { label: t.quit, accelerator: 'CmdOrCtrl+Q', click: () => actions.quit() };
  const appMenu: MenuItem = {
    label: 'CrewAgent',
    submenu: [
      { role: 'about' },
      SEPARATOR,
      settings,
      SEPARATOR,
      { role: 'hide' },
      { role: 'hideOthers' },
      SEPARATOR,
      quit,
    ],
  };
  return [
    ...(isMac ? [appMenu] : []),
    {
      label: t.file,
      submenu: [
        { label: t.newConversation, accelerator: 'CmdOrCtrl+N', click: () => actions.newConversation() },
        { label: t.openFolder, accelerator: 'CmdOrCtrl+O', click: () => actions.openFolder() },
        { label: t.openPackage, accelerator: 'CmdOrCtrl+Shift+O', click: () => actions.openPackage() },
        ...(isMac
          ? [{ role: 'recentDocuments', submenu: [{ role: 'clearRecentDocuments' }] }]
          : [SEPARATOR, settings]),
        SEPARATOR,
        { role: 'close' },
        ...(isMac ? [] : [quit]),
      ],
    },
    // Without these roles, copy and paste do not work on macOS.
    {
      label: t.edit,
      submenu: ['undo', 'redo', 'cut', 'copy', 'paste', 'selectAll'].map((role) => ({ role })),
    },
    {
      label: t.run,
      submenu: [
        { label: t.stop, accelerator: 'CmdOrCtrl+.', click: () => actions.stop() },
        { label: t.resume, accelerator: 'CmdOrCtrl+Shift+R', click: () => actions.resume() },
      ],
    },
    {
      label: t.view,
      submenu: [
        { label: t.start, accelerator: 'CmdOrCtrl+Shift+H', click: () => actions.go('/start') },
        { label: t.packages, click: () => actions.go('/packages') },
        SEPARATOR,
        { label: t.nextTab, accelerator: 'Ctrl+Tab', click: () => actions.tab(1) },
        { label: t.previousTab, accelerator: 'Ctrl+Shift+Tab', click: () => actions.tab(-1) },
        SEPARATOR,
        ...['resetZoom', 'zoomIn', 'zoomOut', 'togglefullscreen'].map((role) => ({ role })),
      ],
    },
    { label: t.window, submenu: [{ role: 'minimize' }, { role: 'zoom' }] },
  ];
}

export interface WaitingWork {
  readonly title: string;
  readonly path: string;
}

const MAX_LISTED = 10;

export function toTray(
  t: Texts,
  actions: Pick<MenuActions, 'show' | 'quit' | 'go'>,
  waiting: readonly WaitingWork[],
) {
  const summary = t.waiting(waiting.length);
  return {
    tooltip: `CrewAgent · ${summary}`,
    items: [
      { label: t.show, click: () => actions.show() },
      SEPARATOR,
      ...waiting.slice(0, MAX_LISTED).map(({ title, path }) => ({
        label: toPlain(title) || t.untitled,
        click: () => actions.go(path),
      })),
      ...(waiting.length === 0 ? [] : [SEPARATOR]),
      { label: t.quit, click: () => actions.quit() },
    ],
  };
}

/** Titles are untrusted text: reduces them to one line, and escapes `&`, which would underline a letter. */
function toPlain(title: string): string {
  return title
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, 60)
    .replaceAll('&', '&&');
}

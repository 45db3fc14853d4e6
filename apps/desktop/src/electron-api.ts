/**
 * The part of Electron's API that the desktop app uses, as small interfaces. `to-electron-api.ts` implements them with Electron's
 * objects, tests with recording fakes. Only `main.ts`, `preload.ts` and `to-electron-api.ts` import Electron.
 */
import type { WindowRequest } from '@crewagent/protocol/desktop-bridge';
import type { toWebPreferences } from './web-preferences.ts';
import type { Bounds, DisplayArea } from './window-state.ts';

export interface WindowOptions extends Partial<Bounds> {
  readonly width: number;
  readonly height: number;
  readonly minWidth: number;
  readonly minHeight: number;
  readonly show: false;
  readonly title: string;
  readonly webPreferences: ReturnType<typeof toWebPreferences>;
}

/** A navigation or attachment that can be prevented. */
export interface Preventable {
  preventDefault(): void;
}

export interface AppWindow {
  load(url: string): Promise<void>;
  /** The current URL. */
  url(): string;
  reload(): void;
  show(): void;
  hide(): void;
  focus(): void;
  isFocused(): boolean;
  bounds(): Bounds;
  isMaximized(): boolean;
  maximize(): void;
  send(request: WindowRequest): void;
  /** For the main frame and all other frames. */
  onNavigate(listener: (event: Preventable, url: string) => void): void;
  /** `window.open` and links with a target. */
  onOpenWindow(listener: (url: string) => 'deny'): void;
  onAttachWebview(listener: (event: Preventable) => void): void;
  onCrash(listener: (reason: string) => void): void;
  onClose(listener: (event: Preventable) => void): void;
  /** Moved, resized, maximized. */
  onReshape(listener: () => void): void;
}

/** Requests of pages for permissions: camera, location, notifications, etc. */
export interface PermissionApi {
  setPermissionRequestHandler(handler: (allow: (isAllowed: boolean) => void) => void): void;
  setPermissionCheckHandler(handler: () => boolean): void;
}

export interface MenuItem {
  readonly label?: string;
  readonly type?: 'separator';
  readonly role?: string;
  readonly accelerator?: string;
  readonly submenu?: readonly MenuItem[];
  readonly click?: () => void;
}

export interface Notice {
  readonly title: string;
  readonly body: string;
  readonly onClick: () => void;
}

export interface Question {
  readonly message: string;
  readonly detail: string;
  /** The first button is the safe choice, and the one for Escape. */
  readonly buttons: readonly [string, string];
}

export interface IpcSender {
  /** URL of the calling frame; undefined if the frame is gone. */
  readonly frameUrl: string | undefined;
  readonly isMainFrame: boolean;
}

export interface ElectronApi {
  createWindow(options: WindowOptions): AppWindow;
  displays(): readonly DisplayArea[];
  permissions: PermissionApi;
  setMenu(items: readonly MenuItem[]): void;
  setTray(tray: { readonly tooltip: string; readonly items: readonly MenuItem[] }, onClick: () => void): void;
  notify(notice: Notice): void;
  /** Whether the second button was pressed. */
  confirm(question: Question): Promise<boolean>;
  showError(message: string, detail: string): Promise<void>;
  chooseFolder(): Promise<string | undefined>;
  choosePackage(title: string): Promise<string | undefined>;
  reveal(path: string): void;
  openOutside(url: string): Promise<void>;
  /** Saves what the window prints where the person chooses; false if none. */
  savePdf(name: string): Promise<boolean>;
  setBadge(count: number): void;
  setTheme(theme: 'system' | 'light' | 'dark'): void;
  addRecentFolder(path: string): void;
  handle(channel: string, handler: (sender: IpcSender, args: readonly unknown[]) => unknown): void;
  /** Exits without confirmation. */
  exit(): void;
}

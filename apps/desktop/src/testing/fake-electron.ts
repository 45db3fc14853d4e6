/** Fake of `ElectronApi` for tests: records calls, and simulates the person and the system. */
import { EventEmitter } from 'node:events';
import type { WindowRequest } from '@crewagent/protocol/desktop-bridge';
import type {
  AppWindow,
  ElectronApi,
  IpcSender,
  MenuItem,
  Notice,
  Question,
  WindowOptions,
} from '../electron-api.ts';
import type { Bounds, DisplayArea } from '../window-state.ts';

/** A fake window that can simulate events. */
export class FakeWindow implements AppWindow {
  readonly options: WindowOptions;
  readonly loaded: string[] = [];
  readonly sent: WindowRequest[] = [];
  readonly #events = new EventEmitter();
  #onOpen: (url: string) => string = () => 'allow';
  isShown = false;
  hasFocus = false;
  hasMaximized = false;
  reloads = 0;
  shape: Bounds = { x: 10, y: 20, width: 900, height: 700 };

  constructor(options: WindowOptions) {
    this.options = options;
  }

  load = async (url: string): Promise<void> => void this.loaded.push(url);
  /** The page removes the token from its URL. */
  url = (): string => (this.loaded.at(-1) ?? '').replace(/#.*/, '');
  reload = (): void => void this.reloads++;
  show = (): boolean => (this.isShown = true);
  hide = (): boolean => (this.isShown = false);
  focus = (): boolean => (this.hasFocus = true);
  isFocused = (): boolean => this.hasFocus;
  bounds = (): Bounds => this.shape;
  isMaximized = (): boolean => this.hasMaximized;
  maximize = (): boolean => (this.hasMaximized = true);
  send = (request: WindowRequest): number => this.sent.push(request);
  onNavigate: AppWindow['onNavigate'] = (listener) => this.#events.on('navigate', listener);
  onOpenWindow: AppWindow['onOpenWindow'] = (listener) => (this.#onOpen = listener);
  onAttachWebview: AppWindow['onAttachWebview'] = (listener) => this.#events.on('attach', listener);
  onCrash: AppWindow['onCrash'] = (listener) => this.#events.on('crash', listener);
  onClose: AppWindow['onClose'] = (listener) => this.#events.on('close', listener);
  onReshape: AppWindow['onReshape'] = (listener) => this.#events.on('reshape', listener);

  /** Whether a navigation to this URL is allowed. */
  navigates = (url: string): boolean => this.#isAllowed('navigate', url);
  opens = (url: string): boolean => this.#onOpen(url) !== 'deny';
  attaches = (): boolean => this.#isAllowed('attach');
  /** Whether the window closes, instead of being hidden. */
  closes = (): boolean => this.#isAllowed('close');
  crash = (reason = 'crashed'): boolean => this.#events.emit('crash', reason);
  reshape(shape: Bounds): void {
    this.shape = shape;
    this.#events.emit('reshape');
  }

  #isAllowed(event: string, ...args: readonly string[]): boolean {
    let isAllowed = true;
    const preventDefault = (): void => {
      isAllowed = false;
    };
    this.#events.emit(event, { preventDefault }, ...args);
    return isAllowed;
  }
}

export function createFakeElectron() {
  const windows: FakeWindow[] = [];
  const notices: Notice[] = [];
  const questions: Question[] = [];
  const outside: string[] = [];
  const handlers = new Map<string, (sender: IpcSender, args: readonly unknown[]) => unknown>();
  const seen = {
    menu: [] as readonly MenuItem[],
    tray: { tooltip: '', items: [] as readonly MenuItem[] },
    badge: 0,
    theme: 'system',
    isExited: false,
    errors: [] as string[],
    revealed: [] as string[],
    savedPdfs: [] as string[],
    recent: [] as string[],
    permission: undefined as boolean | undefined,
    check: undefined as boolean | undefined,
  };
  /** The person's choices in dialogs. */
  const person = {
    agrees: true,
    folder: undefined as string | undefined,
    file: undefined as string | undefined,
  };
  const displays: DisplayArea[] = [{ id: 1, workArea: { x: 0, y: 0, width: 1920, height: 1040 } }];
  const api: ElectronApi = {
    createWindow(options) {
      const window = new FakeWindow(options);
      windows.push(window);
      return window;
    },
    displays: () => displays,
    permissions: {
      setPermissionRequestHandler(handler) {
        handler((isGranted) => {
          seen.permission = isGranted;
        });
      },
      setPermissionCheckHandler: (handler) => {
        seen.check = handler();
      },
    },
    setMenu: (items) => {
      seen.menu = items;
    },
    setTray: (tray) => {
      seen.tray = tray;
    },
    notify: (notice) => void notices.push(notice),
    confirm(question) {
      questions.push(question);
      return Promise.resolve(person.agrees);
    },
    showError(message, detail) {
      seen.errors.push(`${message} ${detail}`);
      return Promise.resolve();
    },
    chooseFolder: () => Promise.resolve(person.folder),
    choosePackage: () => Promise.resolve(person.file),
    reveal: (path) => void seen.revealed.push(path),
    openOutside(url) {
      outside.push(url);
      return Promise.resolve();
    },
    savePdf(name) {
      seen.savedPdfs.push(name);
      return Promise.resolve(true);
    },
    setBadge: (count) => {
      seen.badge = count;
    },
    setTheme: (theme) => {
      seen.theme = theme;
    },
    addRecentFolder: (path) => void seen.recent.push(path),
    handle: (channel, handler) => void handlers.set(channel, handler),
    exit: () => {
      seen.isExited = true;
    },
  };
  return { api, windows, notices, questions, outside, handlers, seen, person, displays };
}

/** Finds a menu item by its path of labels. */
export function findItem(items: readonly MenuItem[], ...labels: readonly string[]): MenuItem | undefined {
  const [label, ...others] = labels;
  const item = items.find((other) => other.label === label);
  return others.length === 0 ? item : findItem(item?.submenu ?? [], ...others);
}

/** Fake of `ElectronApi` for tests: records calls, and simulates the person and the system. */
import type { WindowRequest } from '@crewagent/protocol/desktop-bridge';
import type {
  AppWindow,
  ElectronApi,
  IpcSender,
  MenuItem,
  Notice,
  Preventable,
  Question,
  WindowOptions,
} from '../electron-api.ts';
import type { Bounds, DisplayArea } from '../window-state.ts';

type Listener = (event: Preventable) => void;

/** A fake window that can simulate events. */
export class FakeWindow implements AppWindow {
  readonly options: WindowOptions;
  readonly loaded: string[] = [];
  readonly sent: WindowRequest[] = [];
  readonly #navigate: ((event: Preventable, url: string) => void)[] = [];
  readonly #open: ((url: string) => 'deny')[] = [];
  readonly #close: Listener[] = [];
  readonly #attach: Listener[] = [];
  readonly #crash: ((reason: string) => void)[] = [];
  readonly #reshape: (() => void)[] = [];
  isShown = false;
  hasFocus = false;
  hasMaximized = false;
  reloads = 0;
  shape: Bounds = { x: 10, y: 20, width: 900, height: 700 };

  constructor(options: WindowOptions) {
    this.options = options;
  }

  load(url: string): Promise<void> {
    this.loaded.push(url);
    return Promise.resolve();
  }
  url(): string {
    // The page removes the token from its URL.
    return (this.loaded.at(-1) ?? '').replace(/#.*/, '');
  }
  reload(): void {
    this.reloads += 1;
  }
  show(): void {
    this.isShown = true;
  }
  hide(): void {
    this.isShown = false;
  }
  focus(): void {
    this.hasFocus = true;
  }
  isFocused(): boolean {
    return this.hasFocus;
  }
  bounds(): Bounds {
    return this.shape;
  }
  isMaximized(): boolean {
    return this.hasMaximized;
  }
  maximize(): void {
    this.hasMaximized = true;
  }
  send(request: WindowRequest): void {
    this.sent.push(request);
  }
  onNavigate(listener: (event: Preventable, url: string) => void): void {
    this.#navigate.push(listener);
  }
  onOpenWindow(listener: (url: string) => 'deny'): void {
    this.#open.push(listener);
  }
  onAttachWebview(listener: Listener): void {
    this.#attach.push(listener);
  }
  onCrash(listener: (reason: string) => void): void {
    this.#crash.push(listener);
  }
  onClose(listener: Listener): void {
    this.#close.push(listener);
  }
  onReshape(listener: () => void): void {
    this.#reshape.push(listener);
  }

  /** Whether a navigation to this URL is allowed. */
  navigates(url: string): boolean {
    return isAllowed(this.#navigate.map((listener) => (event) => listener(event, url)));
  }
  opens(url: string): boolean {
    return this.#open.map((listener) => listener(url)).some((action) => action !== 'deny');
  }
  attaches(): boolean {
    return isAllowed(this.#attach);
  }
  /** Whether the window closes, instead of being hidden. */
  closes(): boolean {
    return isAllowed(this.#close);
  }
  crash(reason = 'crashed'): void {
    for (const listener of this.#crash) listener(reason);
  }
  reshape(shape: Bounds): void {
    this.shape = shape;
    for (const listener of this.#reshape) listener();
  }
}

function isAllowed(listeners: readonly Listener[]): boolean {
  let isPrevented = false;
  const event = {
    preventDefault: () => {
      isPrevented = true;
    },
  };
  for (const listener of listeners) listener(event);
  return !isPrevented;
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

/**
 * The desktop app on top of `ElectronApi`: one window, menus, tray, notifications and external requests, around the server that
 * holds the store.
 */

import type { ShownAppearance } from '@crewagent/protocol/desktop-bridge';
import type { Language } from '@crewagent/protocol/languages';
import type { RunningServer } from '@crewagent/server';
import { handleBridge } from './bridge.ts';
import { createCommands, toMessage } from './commands.ts';
import type { ElectronApi } from './electron-api.ts';
import {
  applyMessage,
  NO_WORKS,
  runningWorks,
  toWorkPath,
  type WorkNotice,
  waitingWorks,
} from './follow-works.ts';
import { openMainWindow } from './main-window.ts';
import { type MenuActions, toMenu, toTray } from './menu.ts';
import type { OpenRequest } from './open-requests.ts';
import { denyPermissions } from './secure-window.ts';
import { superviseServer } from './supervise-server.ts';
import { TEXTS } from './texts.ts';
import type { WindowStateFile } from './window-state.ts';

export interface DesktopAppOptions {
  readonly api: ElectronApi;
  readonly startServer: () => Promise<RunningServer>;
  readonly preload: string;
  readonly states: WindowStateFile;
  readonly isMac: boolean;
  /** Used until the page reports its language. */
  readonly language: Language;
  readonly now?: () => number;
  readonly firstWaitMs?: number;
}

export type DesktopApp = Awaited<ReturnType<typeof createDesktopApp>>;

export async function createDesktopApp(options: DesktopAppOptions) {
  const { api, now = () => performance.now() } = options;
  let followed = NO_WORKS;
  let texts = TEXTS[options.language];
  let isQuitting = false;
  denyPermissions(api.permissions);

  const supervisor = await superviseServer({
    start: options.startServer,
    firstWaitMs: options.firstWaitMs,
    onMessage(message) {
      const step = applyMessage(followed, message);
      followed = step.followed;
      showWaiting();
      if (step.notice) notify(step.notice);
    },
    onReplaced() {
      api.notify({ title: texts.serverLost, body: texts.serverLostDetail, onClick: () => window?.show() });
      void window?.connect();
    },
    onLost: (error) => void api.showError(texts.serverFailed, toMessage(error)),
  });
  let window: Awaited<ReturnType<typeof openMainWindow>> | undefined;

  /** Asks for confirmation if something is running, stops it in a resumable state, and exits. */
  const quit = async (): Promise<void> => {
    if (isQuitting) return;
    const running = runningWorks(followed).length;
    const isStopping = supervisor.server.isOurs && running > 0;
    const question = {
      message: texts.quitWhileRunning(running),
      detail: texts.quitDetail,
      buttons: [texts.cancel, texts.quit],
    } as const;
    if (isStopping && !(await api.confirm(question))) return;
    isQuitting = true;
    await supervisor.stop().catch(() => undefined);
    api.exit();
  };
  const go = (path: string): void => window?.go(path);
  const commands = createCommands({ api, client: () => supervisor.client, texts: () => texts, go });
  const actions: MenuActions = {
    newConversation: () => go(toNewPath(window?.path ?? '/')),
    openFolder: () => void commands.openFolder(),
    openPackage: () => void commands.openPackage(),
    stop: () => void commands.stop(window?.path ?? '/'),
    resume: () => void commands.resume(window?.path ?? '/'),
    go,
    tab: (step) => window?.ask({ kind: 'tab', step }),
    show: () => window?.show(),
    quit: () => void quit(),
  };
  const showWaiting = (): void => {
    const waiting = waitingWorks(followed).map((work) => ({ title: work.title, path: toWorkPath(work) }));
    api.setTray(toTray(texts, actions, waiting), actions.show);
    api.setBadge(waiting.length);
  };
  const notify = ({ kind, work }: WorkNotice): void => {
    if (window?.isFocused) return;
    const body = texts[kind];
    api.notify({ title: work.title || texts.untitled, body, onClick: () => window?.go(toWorkPath(work)) });
  };
  const setAppearance = ({ language, theme }: ShownAppearance): void => {
    texts = TEXTS[language];
    api.setTheme(theme);
    api.setMenu(toMenu(texts, actions, options.isMac));
    showWaiting();
  };

  handleBridge({
    api,
    origin: () => supervisor.origin,
    packageTitle: () => texts.openPackage,
    projectFolders: async () => (await supervisor.client.projects.list()).projects.map(({ path }) => path),
    onAppearance: setAppearance,
  });
  api.setMenu(toMenu(texts, actions, options.isMac));
  showWaiting();
  window = await openMainWindow({
    ...options,
    now,
    address: () => supervisor.server,
    isQuitting: () => isQuitting,
  });

  return {
    /** Opens the requests of the system, a link or a second start; without requests it shows the window. */
    async open(requests: readonly OpenRequest[]): Promise<void> {
      window?.show();
      for (const request of requests) {
        if (request.kind === 'view') go(request.path);
        else await commands.installPackage(request.file);
      }
    },
    quit,
  };
}

/** The path for a new conversation: the current project, or the start screen. */
function toNewPath(path: string): string {
  return /^\/p\/[\w-]+/.exec(path)?.[0] ?? '/start';
}

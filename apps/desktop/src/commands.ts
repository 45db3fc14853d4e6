/**
 * Commands of the menu and of external requests, executed through the server's API. A failure is shown in a dialog.
 */
import type { ApiClient } from '@crewagent/protocol/api/client';
import type { ElectronApi } from './electron-api.ts';
import type { Texts } from './texts.ts';

export interface CommandOptions {
  readonly api: Pick<
    ElectronApi,
    'addRecentFolder' | 'chooseFolder' | 'choosePackage' | 'confirm' | 'showError'
  >;
  readonly client: () => ApiClient;
  readonly texts: () => Texts;
  readonly go: (path: string) => void;
}

export function createCommands({ api, client, texts, go }: CommandOptions) {
  const attempt = async (action: () => Promise<unknown>): Promise<void> => {
    try {
      await action();
    } catch (error) {
      await api.showError(texts().actionFailed, toMessage(error));
    }
  };
  /** Asks for confirmation first, because the file may come from a click in a mail. */
  const installPackage = (path: string): Promise<void> =>
    attempt(async () => {
      const { installPackage: ask, installDetail: detail, cancel, install } = texts();
      const message = ask(path.split(/[/\\]/).at(-1) ?? path);
      if (!(await api.confirm({ message, detail, buttons: [cancel, install] }))) return;
      const { package: installed } = await client().packages.importPath({ body: { path } });
      go(`/packages/${installed.hash}`);
    });
  return {
    openFolder: () =>
      attempt(async () => {
        const path = await api.chooseFolder();
        if (path === undefined) return;
        const { projectId } = await client().projects.open({ body: { path } });
        api.addRecentFolder(path);
        go(`/p/${projectId}`);
      }),
    async openPackage(): Promise<void> {
      const file = await api.choosePackage(texts().openPackage);
      if (file !== undefined) await installPackage(file);
    },
    installPackage,
    /** Stops the Work at this path of the page; a no-op if there is none. */
    stop: (path: string) => attempt(() => withWork(path, (workId) => client().works.stop({ workId }))),
    resume: (path: string) =>
      attempt(() => withWork(path, (workId) => client().works.resume({ workId, body: {} }))),
  };
}

async function withWork(path: string, use: (workId: string) => Promise<unknown>): Promise<void> {
  const [, workId] = /^\/p\/[\w-]+\/w\/([\w-]+)$/.exec(path) ?? [];
  if (workId !== undefined) await use(workId);
}

export function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

import { BRIDGE_NAME, type DesktopBridge } from '@crewagent/protocol/desktop-bridge';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { page } from 'vitest/browser';
import { revealFile } from '../api/files-queries.ts';
import { ImportPackage } from '../packages/import-package.tsx';
import { FolderDialog } from '../projects/folder-dialog.tsx';
import { FolderCard } from '../start/folder-card.tsx';
import { renderServed } from '../testing/served.tsx';
import { useAction } from '../ui/use-action.ts';

const opened = vi.fn(async (_: { body: { path: string } }) => ({ projectId: 'p' }));
const inspect = vi.fn(async (_: { body: { path: string } }) => {
  throw new Error('not needed here');
});
const SERVED = {
  projects: { list: async () => ({ projects: [] }), open: opened },
  packages: { inspect },
  folders: {
    list: async ({ query }: { query: { path?: string } }) => ({
      path: query.path ?? '/home/ann',
      folders: [],
      roots: [],
      isCut: false,
    }),
  },
};

function inWindow(bridge: Partial<DesktopBridge>): void {
  Object.assign(globalThis, { [BRIDGE_NAME]: bridge });
}

function AskForFolder() {
  const choose = useAction(async (path: string) => void opened({ body: { path } }));
  return <FolderDialog purpose="relink" onClose={() => undefined} onChoose={choose} />;
}

afterEach(() => {
  Reflect.deleteProperty(globalThis, BRIDGE_NAME);
  vi.clearAllMocks();
});

const press = (name: string) => page.getByRole('button', { name, exact: true }).click();

describe('native dialogs', () => {
  it('[G20] a folder is chosen in the dialog of the system, and opened; cancelling changes nothing', async () => {
    const chooseFolder = vi.fn<DesktopBridge['chooseFolder']>();
    chooseFolder.mockResolvedValueOnce(undefined).mockResolvedValueOnce('/home/me/larder');
    inWindow({ chooseFolder });
    await renderServed(SERVED, <FolderCard />);
    await press('Open a folder');
    await expect.poll(() => chooseFolder.mock.calls.length).toBe(1);
    expect(opened).not.toHaveBeenCalled();
    await press('Open a folder');
    await expect.poll(() => opened.mock.calls[0]?.[0].body.path).toBe('/home/me/larder');
    expect(page.getByRole('dialog').query()).toBeNull();
  });

  it('[G20] without a window the page has its own dialog', async () => {
    await renderServed(SERVED, <FolderCard />);
    await press('Open a folder');
    await expect.element(page.getByRole('dialog')).toBeVisible();
    expect(page.getByRole('button', { name: 'Browse…' }).query()).toBeNull();
  });

  it('[G20] the dialog of the page takes over a folder from that of the system', async () => {
    inWindow({ chooseFolder: async () => '/home/me/moved' });
    await renderServed(SERVED, <AskForFolder />);
    await press('Browse…');
    await expect
      .element(page.getByRole('textbox', { name: 'Folder', exact: true }))
      .toHaveValue('/home/me/moved');
    await press('Use this folder');
    await expect.poll(() => opened.mock.calls[0]?.[0].body.path).toBe('/home/me/moved');
  });

  it('[G20] a package is chosen in the dialog of the system, and looked at by its path', async () => {
    inWindow({ choosePackage: async () => '/home/me/plan.bmad' });
    await renderServed(SERVED, <ImportPackage />);
    await press('Choose a file');
    await expect.poll(() => inspect.mock.calls[0]?.[0].body.path).toBe('/home/me/plan.bmad');
  });

  it('[G20] a file is shown by the window, or else by the server', async () => {
    const byServer = vi.fn(async () => ({}));
    const client = {
      projects: { list: async () => ({ projects: [{ projectId: 'p', path: '/home/me/larder' }] }) },
      files: { reveal: byServer },
    } as unknown as Parameters<typeof revealFile>[0];
    const reveal = vi.fn<DesktopBridge['reveal']>(async (path) => !path.includes('outside'));
    inWindow({ reveal });
    await revealFile(client, 'p', 'docs/a b.md');
    expect(reveal.mock.calls).toEqual([['/home/me/larder/docs/a b.md']]);
    expect(byServer).not.toHaveBeenCalled();
    await revealFile(client, 'p', 'outside.md');
    expect(byServer).toHaveBeenCalledTimes(1);
    Reflect.deleteProperty(globalThis, BRIDGE_NAME);
    await revealFile(client, 'p', 'docs/a b.md');
    expect(byServer).toHaveBeenCalledTimes(2);
  });
});

import { describe, expect, it, vi } from 'vitest';
import { page } from 'vitest/browser';
import { renderServed } from '../testing/served.tsx';
import { useAction } from '../ui/use-action.ts';
import { FolderDialog } from './folder-dialog.tsx';

const opened = vi.fn();
const SERVED = {
  folders: {
    list: async ({ query: { path = '/home/ann' } }: { query: { path?: string } }) => {
      if (path === '/home/nobody') throw new Error('There is no such folder.');
      return { path, folders: [{ name: `in ${path}`, path: `${path}/in` }], roots: [], isCut: false };
    },
  },
};

function OpenFolder() {
  const choose = useAction(async (path: string) => void opened(path));
  return <FolderDialog purpose="open" onClose={() => undefined} onChoose={choose} />;
}

const field = () => page.getByRole('textbox', { name: 'Folder', exact: true });
const choose = () => page.getByRole('button', { name: 'Open this folder' });

describe('the folder dialog', () => {
  it('lists the folder whose path is typed', async () => {
    await renderServed(SERVED, <OpenFolder />);
    await expect.element(page.getByText('in /home/ann')).toBeVisible();
    await field().fill('/home/ben');
    await expect.element(page.getByText('in /home/ben')).toBeVisible();
    await expect.element(field()).toHaveValue('/home/ben');
    await choose().click();
    await expect.poll(() => opened.mock.calls).toEqual([['/home/ben']]);
  });

  it('says that there is no such folder, and does not let it be chosen', async () => {
    await renderServed(SERVED, <OpenFolder />);
    await expect.element(page.getByText('in /home/ann')).toBeVisible();
    await field().fill('/home/nobody');
    await expect.element(page.getByRole('alert')).toBeVisible();
    expect(page.getByText('in /home/ann').query()).toBeNull();
    await expect.element(choose()).toBeDisabled();
    await field().fill('/home/ann');
    await expect.element(choose()).toBeEnabled();
  });
});

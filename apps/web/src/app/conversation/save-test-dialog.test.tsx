import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { findIssues } from '../../testing/find-issues.ts';
import { renderServed } from '../../testing/served.tsx';
import { useToasts } from '../../ui/overlays/toast-store.ts';
import SaveTestDialog from './save-test-dialog.tsx';

it('saves a run as a test under a name, and says where', async () => {
  const asked: unknown[] = [];
  let isClosed = false;
  await renderServed(
    {
      works: {
        saveTest: (call: unknown) => {
          asked.push(call);
          return Promise.resolve({
            folder: '/home/me/larder',
            file: 'tests/larder.yaml',
            name: '',
            text: '',
            left: [],
          });
        },
      },
    },
    <SaveTestDialog runId="r" title="Larder" onClose={() => (isClosed = true)} />,
  );
  const field = page.getByRole('textbox', { name: 'Name of the test' });
  await expect.element(field).toHaveValue('Larder');
  expect(await findIssues(document.body)).toEqual([]);
  await field.fill(' ');
  await expect.element(page.getByRole('button', { name: 'Save test' })).toBeDisabled();
  await field.fill('A larder');
  await page.getByRole('button', { name: 'Save test' }).click();
  await expect.poll(() => isClosed).toBe(true);
  expect(asked).toEqual([{ workId: 'r', body: { name: 'A larder' } }]);
  expect(JSON.stringify(useToasts.getState())).toContain('Saved tests/larder.yaml in /home/me/larder.');
});

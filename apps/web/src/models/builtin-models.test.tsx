import { describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import type { BuiltinModels as Builtin } from '../api/settings-queries.ts';
import { useAppearance } from '../state/appearance.ts';
import { findIssues } from '../testing/find-issues.ts';
import { renderServed } from '../testing/served.tsx';
import { BuiltinModels } from './builtin-models.tsx';

const small = {
  ...{ name: 'qwen3-1.7b', title: 'Qwen3 1.7B (Q8_0)', licence: 'Apache-2.0', bytes: 1.8e9 },
  ...{ memoryGiB: 6, host: 'huggingface.co', isBest: false },
};
const large = {
  ...small,
  name: 'qwen3-4b',
  title: 'Qwen3 4B (Q4_K_M)',
  bytes: 2.5e9,
  memoryGiB: 12,
  isBest: true,
};

async function renderBuiltin(first: Builtin) {
  let shown = first;
  const asked: unknown[] = [];
  await renderServed(
    {
      models: {
        showBuiltin: async () => shown,
        installBuiltin: async ({ body }: { readonly body: unknown }) => {
          asked.push(body);
          return shown;
        },
        removeBuiltin: async (request: unknown) => {
          asked.push(request);
          return shown;
        },
      },
    },
    <main>
      <h1>Settings</h1>
      <h2>Models</h2>
      <BuiltinModels />
    </main>,
  );
  return {
    asked,
    set: (next: Builtin) => {
      shown = next;
    },
  };
}

describe('models that run inside of CrewAgent', () => {
  it('[U302] are shown with size, memory, licence and origin before they are downloaded, and which fits', async () => {
    const { asked, set } = await renderBuiltin({ recommended: [small, large], installed: [] });
    const row = page.getByRole('listitem').filter({ hasText: 'Qwen3 4B' });
    await expect
      .element(row)
      .toHaveTextContent(
        /Best for this computer.*about 2.5\sGB · for 12\sGB of memory · licence Apache-2.0 · from huggingface.co/,
      );
    expect(await findIssues()).toEqual([]);
    const installation = {
      name: 'qwen3-4b',
      status: 'downloading',
      receivedBytes: 5e8,
      totalBytes: 2.5e9,
    } as const;
    set({ recommended: [small, large], installed: [], installation });
    await page.getByRole('button', { name: 'Download Qwen3 4B (Q4_K_M)' }).click();
    await expect.element(row.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '20');
    await expect.element(row.getByText(/500\sMB of 2.5\sGB/)).toBeVisible();
    await expect.element(page.getByRole('button', { name: 'Download Qwen3 1.7B (Q8_0)' })).toBeDisabled();
    set({ recommended: [small, { ...large, partialBytes: 5e8 }], installed: [] });
    await row.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Resume the download of Qwen3 4B' }).click();
    await expect
      .poll(() => asked)
      .toEqual([{ name: 'qwen3-4b' }, { name: 'qwen3-4b' }, { name: 'qwen3-4b' }]);
  });

  it('[U302] say why they could not be installed, are removed after confirmation, and taken from a file', async () => {
    const message = 'huggingface.co cannot be reached. Check the network connection.';
    const { asked } = await renderBuiltin({
      recommended: [small, large],
      installed: [{ name: 'qwen3-1.7b', bytes: 1.8e9 }],
      installation: { name: 'qwen3-4b', status: 'failed', receivedBytes: 0, message },
    });
    await expect.element(page.getByRole('alert')).toHaveTextContent(message);
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByLabelText('Your own GGUF file').fill(' /models/own.gguf ');
    await page.getByRole('button', { name: 'Add' }).click();
    await expect.poll(() => asked).toEqual([{ name: 'qwen3-1.7b' }, { file: '/models/own.gguf' }]);
    useAppearance.setState({ language: 'zh-CN' });
    await expect.element(page.getByText('本机模型')).toBeVisible();
    useAppearance.setState({ language: 'en' });
  });
});

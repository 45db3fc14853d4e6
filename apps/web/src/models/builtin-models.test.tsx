import { describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import type { BuiltinModels as Builtin } from '../api/settings-queries.ts';
import { useAppearance } from '../state/appearance.ts';
import { findIssues } from '../testing/find-issues.ts';
import { renderServed } from '../testing/served.tsx';
import BuiltinModels from './builtin-models.tsx';

const small = {
  ...{ name: 'qwen3-1.7b', title: 'Qwen3 1.7B (Q8_0)', licence: 'Apache-2.0', bytes: 1.8e9 },
  ...{ memoryGiB: 6, isBest: false, page: 'https://huggingface.co/models?search=small' },
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
          shown = { recommended: shown.recommended, installed: [] };
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
  it('[U81] are shown with size, memory and licence, and which fits; a download needs a checksum and can be cancelled', async () => {
    const { asked, set } = await renderBuiltin({ recommended: [small, large], installed: [] });
    const row = page.getByRole('listitem').filter({ hasText: 'Qwen3 4B' });
    await expect
      .element(row)
      .toHaveTextContent(
        /Best for this computer.*about 2.5\sGB · needs 12\sGB of memory · licence Apache-2.0Find on Hugging Face$/,
      );
    await expect
      .element(row.getByRole('link', { name: /: Qwen3 4B/ }))
      .toHaveAttribute('href', 'https://huggingface.co/models?search=small');
    expect(await findIssues()).toEqual([]);
    const url = 'https://example.org/model.gguf';
    await page.getByLabelText('GGUF file').fill(url);
    await expect.element(page.getByRole('button', { name: 'Download' })).toBeDisabled();
    await page.getByLabelText('SHA-256 checksum').fill('a'.repeat(64));
    const installation = {
      name: 'model',
      status: 'downloading',
      receivedBytes: 5e8,
      totalBytes: 2.5e9,
    } as const;
    set({ recommended: [small, large], installed: [], installation });
    await page.getByRole('button', { name: 'Download' }).click();
    await expect.element(page.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '20');
    await expect.element(page.getByText(/500\sMB of 2.5\sGB/)).toBeVisible();
    await expect.element(page.getByRole('button', { name: 'Download' })).toBeDisabled();
    expect(await findIssues()).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect.element(page.getByRole('progressbar')).not.toBeInTheDocument();
    expect(asked).toEqual([{ url, sha256: 'a'.repeat(64) }, { name: 'model' }]);
  });

  it('[U81] say why they could not be installed, are removed after confirmation, and taken from a file', async () => {
    const message = 'example.org cannot be reached. Check the network connection.';
    const { asked } = await renderBuiltin({
      recommended: [small, large],
      installed: [{ name: 'small', bytes: 1.8e9 }],
      installation: { name: 'model', status: 'failed', receivedBytes: 0, message },
    });
    await expect.element(page.getByRole('alert')).toHaveTextContent(message);
    await page.getByRole('button', { name: 'Remove small' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByLabelText('GGUF file').fill(' /models/own.gguf ');
    await page.getByRole('button', { name: 'Add' }).click();
    await expect.poll(() => asked).toEqual([{ name: 'small' }, { file: '/models/own.gguf' }]);
    useAppearance.setState({ language: 'zh-CN' });
    await expect.element(page.getByText('本机模型')).toBeVisible();
    useAppearance.setState({ language: 'en' });
  });
});

import type { ShownModel } from '@crewagent/protocol/api/settings';
import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { findIssues } from '../testing/find-issues.ts';
import { renderServed } from '../testing/served.tsx';
import { ModelDialog } from './model-dialog.tsx';

const MODEL: ShownModel = {
  name: 'one',
  settings: { provider: 'openai', model: 'gpt' },
  hasKey: true,
  isDefault: true,
  overrides: [],
};

async function renderDialog(model: ShownModel | undefined) {
  const asked: unknown[] = [];
  const record =
    (what: string) =>
    async (request: unknown): Promise<undefined> => {
      asked.push([what, request]);
    };
  await renderServed(
    {
      models: {
        listProviderModels: async () => ({ baseUrl: '', models: [] }),
        put: async () => undefined,
        setKey: record('set'),
        removeKey: record('remove'),
        chooseKey: record('choose'),
      },
    },
    <main>
      <h1>Settings</h1>
      <ModelDialog
        model={model}
        otherNames={[]}
        startsAtKey={false}
        onClose={() => undefined}
        onSaved={() => void asked.push('saved')}
      />
    </main>,
  );
  return asked;
}

const save = () => page.getByRole('button', { name: 'Save and test' }).click();

describe('the keys of a model', () => {
  it('[U81] are one field at first; another key gets a name and is stored when the form is saved', async () => {
    const asked = await renderDialog(MODEL);
    await expect.element(page.getByRole('combobox', { name: 'Key in use' })).not.toBeInTheDocument();
    await page.getByRole('button', { name: 'Add another key' }).click();
    await expect.element(page.getByRole('textbox', { name: 'Name of the key' })).toHaveFocus();
    await userEvent.keyboard('sk-proj-0123456789abcdefghijkl');
    await page.getByLabelText('Another API key').fill(' sk-work ');
    await save();
    await expect.element(page.getByText('Use at most 24 letters', { exact: false })).toBeVisible();
    expect(await findIssues()).toEqual([]);
    await page.getByRole('textbox', { name: 'Name of the key' }).fill('work');
    const next = page.getByLabelText('If a key is refused or has no quota left, use the next one');
    await next.click();
    await expect.element(next).toBeChecked();
    expect(asked).toEqual([]);
    await save();
    await expect.poll(() => asked.at(-1)).toBe('saved');
    expect(asked).toEqual([
      ['set', { name: 'one', body: { key: 'sk-work', keyName: 'work' } }],
      ['choose', { name: 'one', body: { use: 'default', useNext: true } }],
      'saved',
    ]);
  });

  it('[U81] are chosen and removed; a typed key replaces the chosen one', async () => {
    const keys = { names: ['default', 'work', '私人'], used: 'work', useNext: false };
    const asked = await renderDialog({ ...MODEL, keys });
    await expect.element(page.getByText('Type to replace the key “work”.')).toBeVisible();
    await page.getByRole('button', { name: 'Remove “work”' }).click();
    await userEvent.selectOptions(page.getByRole('combobox', { name: 'Key in use' }), '私人');
    await page.getByLabelText('API key', { exact: true }).fill('sk-new');
    await expect.element(page.getByLabelText('API key', { exact: true })).toHaveValue('sk-new');
    expect(await findIssues()).toEqual([]);
    await save();
    await expect.poll(() => asked.at(-1)).toBe('saved');
    expect(asked).toEqual([
      ['remove', { name: 'one', query: { keyName: 'work' } }],
      ['choose', { name: 'one', body: { use: '私人', useNext: false } }],
      ['set', { name: 'one', body: { key: 'sk-new' } }],
      'saved',
    ]);
  });

  it('[U81] are one field for a new model', async () => {
    await renderDialog(undefined);
    await expect.element(page.getByLabelText('API key', { exact: true })).toBeVisible();
    await expect.element(page.getByRole('button', { name: 'Add another key' })).not.toBeInTheDocument();
  });
});

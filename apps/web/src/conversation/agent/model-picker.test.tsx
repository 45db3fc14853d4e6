import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { findIssues } from '../../testing/find-issues.ts';
import { renderServed } from '../../testing/served.tsx';
import { ModelPicker } from './model-picker.tsx';

async function renderPicker(count: number): Promise<string[]> {
  const chosen: string[] = [];
  const models = Array.from({ length: count }, (_, index) => ({ name: `vendor-${index}/large` }));
  await renderServed(
    {
      models: { list: async () => ({ models }) },
      settings: { show: async () => ({ settings: {}, environment: {} }) },
    },
    <ModelPicker
      model={{ kind: 'rehearsal' }}
      isRunning={false}
      isBusy={false}
      onChoose={(name) => chosen.push(name)}
    />,
  );
  await page.getByRole('button', { name: /^Model: / }).click();
  return chosen;
}

it('finds one of many models by a part of its name, with the keyboard', async () => {
  const chosen = await renderPicker(40);
  const field = page.getByRole('combobox', { name: 'Find a model' });
  await expect.element(field).toHaveFocus();
  await expect.element(page.getByRole('option')).toHaveLength(41);
  await userEvent.keyboard('large 17');
  await expect.element(page.getByRole('option')).toHaveLength(1);
  expect(await findIssues()).toEqual([]);
  await userEvent.keyboard('{Enter}');
  await expect.poll(() => chosen).toEqual(['vendor-17/large']);
  await expect.element(field).not.toBeInTheDocument();
  await expect.element(page.getByRole('button', { name: /^Model: / })).toHaveFocus();
});

it('says that no model has the name, and closes with Escape', async () => {
  const chosen = await renderPicker(40);
  await userEvent.keyboard('none such');
  await expect.element(page.getByText('No model has this name.')).toBeVisible();
  await userEvent.keyboard('{Escape}');
  await expect.element(page.getByText('No model has this name.')).not.toBeInTheDocument();
  expect(chosen).toEqual([]);
});

it('is a menu where there are few', async () => {
  const chosen = await renderPicker(3);
  await page.getByRole('menuitem', { name: 'vendor-1/large' }).click();
  await expect.poll(() => chosen).toEqual(['vendor-1/large']);
});

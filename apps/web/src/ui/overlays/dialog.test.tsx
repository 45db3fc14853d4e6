import { describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { render } from 'vitest-browser-react';
import { RadioGroup } from '../forms/checkbox.tsx';
import { PanelHead } from '../panel-head.tsx';
import { Dialog } from './dialog.tsx';

const parts = { isOpen: true, onClose: () => undefined, closeLabel: 'Close' };

describe('a dialog', () => {
  it('[U20] focuses the chosen option, not the close button', async () => {
    const options = ['one', 'two'].map((value) => ({ value, label: value }));
    await render(
      <Dialog {...parts} title="Go back">
        <RadioGroup label="Steps" value="two" options={options} onChange={() => undefined} />
      </Dialog>,
    );
    await expect.element(page.getByRole('radio', { name: 'two' })).toHaveFocus();
  });

  it('[U20] without a field has the focus itself, so that it is read before it is closed', async () => {
    await render(
      <Dialog {...parts} title="A package" footer={<button type="button">Install</button>}>
        What it needs.
      </Dialog>,
    );
    await expect.element(page.getByRole('dialog', { name: 'A package' })).toHaveFocus();
  });

  it('[U36] as a sheet uses the heading of its panel, which leaves room for the close button', async () => {
    await render(
      <Dialog {...parts} title="Files" sheet="left">
        <PanelHead title="Files">
          <button type="button">New</button>
        </PanelHead>
      </Dialog>,
    );
    await expect.element(page.getByRole('dialog', { name: 'Files' })).toBeVisible();
    expect(page.getByRole('heading').elements()).toHaveLength(1);
    const [last, out] = ['New', 'Close'].map((name) =>
      page.getByRole('button', { name }).element().getBoundingClientRect(),
    );
    expect(last?.right).toBeLessThanOrEqual(out?.left ?? 0);
  });
});

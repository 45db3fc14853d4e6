import { useState } from 'react';
import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { render } from 'vitest-browser-react';
import { Tabs } from './tabs.tsx';

function Scene() {
  const [active, setActive] = useState('one');
  const tabs = ['one', 'two'].map((id) => ({ id, label: id, content: `Content of ${id}` }));
  return (
    <>
      <input aria-label="Message" />
      <Tabs label="Tabs" tabs={tabs} active={active} onChange={setActive} />
    </>
  );
}

describe('tabs', () => {
  it('show the focus ring for the keyboard, and not for a click that comes from a text field', async () => {
    await render(<Scene />);
    const tab = (name: string) => page.getByRole('tab', { name });
    const hasRing = (name: string): boolean => tab(name).element().matches(':focus-visible');
    await page.getByLabelText('Message').click();
    await tab('two').click();
    await expect.element(tab('two')).toHaveFocus();
    await expect.element(page.getByText('Content of two')).toBeVisible();
    expect(hasRing('two')).toBe(false);
    await userEvent.keyboard('{ArrowLeft}');
    await expect.element(page.getByText('Content of one')).toBeVisible();
    expect(hasRing('one')).toBe(true);
  });
});

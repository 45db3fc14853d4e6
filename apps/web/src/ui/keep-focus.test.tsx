import { useEffect, useState } from 'react';
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { render } from 'vitest-browser-react';
import { keepFocus } from './keep-focus.ts';
import { useToasts } from './overlays/toast-store.ts';
import { Toasts } from './overlays/toasts.tsx';

function List() {
  const [names, setNames] = useState(['a', 'b', 'c']);
  useEffect(keepFocus, []);
  return (
    <section aria-label="List">
      <button type="button">New</button>
      {names.length > 0 ? (
        <ul>
          {names.map((name) => (
            <li key={name}>
              <button type="button">{`Open ${name}`}</button>
              <button type="button" onClick={() => setNames(names.filter((other) => other !== name))}>
                {`Remove ${name}`}
              </button>
            </li>
          ))}
        </ul>
      ) : undefined}
    </section>
  );
}

const button = (name: string) => page.getByRole('button', { name });

async function removeFocused(name: string): Promise<void> {
  (button(name).element() as HTMLElement).focus();
  await userEvent.keyboard('{Enter}');
}

it('a removed row passes the focus to the next one, the last row to the previous one, the only one to its list', async () => {
  await render(<List />);
  await removeFocused('Remove b');
  await expect.element(button('Remove c')).toHaveFocus();
  await removeFocused('Remove c');
  await expect.element(button('Remove a')).toHaveFocus();
  await removeFocused('Remove a');
  await expect.element(button('New')).toHaveFocus();
});

it('a row that is removed while another element has the focus moves nothing', async () => {
  await render(<List />);
  const remove = button('Remove b').element() as HTMLElement;
  (button('New').element() as HTMLElement).focus();
  remove.click();
  await expect.element(button('Remove b')).not.toBeInTheDocument();
  await expect.element(button('New')).toHaveFocus();
});

it('a toast that is closed gives the focus to the next one, the last one back', async () => {
  await render(
    <>
      <List />
      <Toasts />
    </>,
  );
  (button('New').element() as HTMLElement).focus();
  useToasts.getState().show('First');
  useToasts.getState().show('Second');
  await expect.element(page.getByText('Second', { exact: true }).first()).toBeVisible();
  const close = page.getByRole('button', { name: 'Close' });
  (close.last().element() as HTMLElement).focus();
  await userEvent.keyboard('{Enter}');
  await expect.element(close).toHaveFocus();
  await userEvent.keyboard('{Enter}');
  await expect.element(button('New')).toHaveFocus();
});

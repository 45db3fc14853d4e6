import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { render } from 'vitest-browser-react';
import { ChoiceMark, Picker } from './picker.tsx';

const LONG =
  'A sentence that is much too long for one line of the menu, as people need some words to choose.';

it('all choices begin at the same place, however long their hints are', async () => {
  const items = ['First', 'Second', 'Third'].map((label, index) => ({
    id: label,
    label,
    icon: <ChoiceMark isChosen={index === 0} />,
    hint: LONG.slice(0, (LONG.length * (index + 1)) / 3),
    onChoose: () => undefined,
  }));
  await render(<Picker label="Approvals" icon={undefined} chosen="First" items={items} />);
  await page.getByRole('button', { name: 'Approvals: First' }).click();
  await expect.element(page.getByRole('menuitem')).toHaveLength(3);
  const starts = page
    .getByRole('menuitem')
    .elements()
    .map((item) => Math.round(item.lastElementChild?.getBoundingClientRect().left ?? 0));
  expect(new Set(starts).size).toBe(1);
});

import { describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { render } from 'vitest-browser-react';
import { ChoicesRow } from './choice-rows.tsx';
import { EventRow } from './event-row.tsx';

const stamp = { seq: 1, ts: '2026-01-01T00:00:00.000Z' } as const;
const LONG = `Write the next story ${'of the backlog '.repeat(30)}or the one whose key you give`;

describe('choices', () => {
  it('have each number once and are shown completely; pressing one sends it', async () => {
    const typed: string[] = [];
    const candidates = [
      { index: 1, input: '1', label: `1. ${LONG}` },
      { index: 2, input: '2.1', label: '2.1. 3. is a heading' },
    ];
    await render(
      <ChoicesRow
        item={{ ...stamp, kind: 'choices', reason: 'Two fit.', candidates }}
        onInput={(text) => typed.push(text)}
        isOver={false}
      />,
    );
    const [first, second] = page.getByRole('button').elements();
    expect(first?.textContent).toBe(`1${LONG}`);
    expect(second?.textContent).toBe('2.13. is a heading');
    const label = page.getByText(LONG).element();
    expect(label.scrollWidth).toBeLessThanOrEqual(label.clientWidth);
    await page.getByRole('button').last().click();
    await expect.poll(() => typed).toEqual(['2.1']);
  });

  it('[V28] of runs have their numbers and titles; what is sent names the run', async () => {
    const typed: string[] = [];
    const ids = ['0199aaaa-0000-7000-8000-000000000001', '0199aaaa-0000-7000-8000-000000000002'];
    const candidates = ids.map((id, at) => ({
      index: at + 1,
      input: `/resume ${id}`,
      label: `${at + 1}. Create a story · Intake · 2026-01-31 09:3${at}`,
    }));
    await render(
      <ChoicesRow
        item={{ ...stamp, kind: 'choices', reason: 'Choose the run to resume by its number.', candidates }}
        onInput={(text) => typed.push(text)}
        isOver={false}
      />,
    );
    await expect
      .element(page.getByRole('group', { name: 'Which run do you want to continue?' }))
      .toBeVisible();
    const shown = page.getByRole('button').elements();
    expect(shown.map(({ textContent }) => textContent)).toEqual([
      '1Create a story · Intake · 2026-01-31 09:30',
      '2Create a story · Intake · 2026-01-31 09:31',
    ]);
    await page.getByRole('button').last().click();
    await expect.poll(() => typed).toEqual([`/resume ${ids[1]}`]);
  });

  it.each([
    [undefined, 'Wrote “story”'],
    ['Stories', 'Chose “Stories”'],
  ])('are not shown as chosen before one is: %s', async (label, line) => {
    const command = {
      ...stamp,
      kind: 'command',
      command: 'ClarifyChoice',
      input: 'story',
      reason: '',
    } as const;
    await render(
      <EventRow item={label === undefined ? command : { ...command, label }} titleOf={(id) => id} />,
    );
    await expect.element(page.getByText(line)).toBeVisible();
  });
});

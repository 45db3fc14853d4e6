import { describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { findIssues } from '../../testing/find-issues.ts';
import { renderServed } from '../../testing/served.tsx';
import VersionsView from './versions-view.tsx';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const version = (change: number) => ({
  ...{ workId: 'w', path: '@project/plan.png', change, at: '2026-01-01T10:00:00Z' },
  ...{ kind: 'changed' as const, step: `Step ${change}` },
});

describe('the versions of a picture', () => {
  it('[U50] are pictures: each step before and after it, or as it left the picture', async () => {
    const fileVersion = ({
      query,
    }: {
      readonly query: { readonly change: string; readonly side: string };
    }) =>
      query.change === '1' && query.side === 'before'
        ? { path: '', reason: 'absent' }
        : { path: '', base64: PIXEL };
    await renderServed(
      { works: { fileVersion } },
      <main>
        <h1>plan.png</h1>
        <VersionsView projectId="p" path="@project/plan.png" versions={[version(1), version(2)]} />
      </main>,
    );
    await expect
      .poll(() => page.getByRole('img', { name: /(Before|After) · plan.png/ }).elements().length)
      .toBe(2);
    const shown = () =>
      page
        .getByRole('figure')
        .elements()
        .map((figure) => figure.querySelector('img')?.naturalWidth);
    await expect.poll(shown).toEqual([1, 1]);
    expect(await findIssues()).toEqual([]);
    await page.getByRole('button', { name: 'Older version' }).click();
    await expect.element(page.getByText('The file did not exist then.')).toBeVisible();
    await page.getByRole('radio', { name: 'File' }).click();
    await expect.poll(() => page.getByRole('img', { name: 'plan.png' }).elements().length).toBe(1);
  });
});

import { afterEach, describe, expect, it, vi } from 'vitest';
import { page } from 'vitest/browser';
import { renderServed } from '../../testing/served.tsx';
import { FileNotes } from './file-notes.tsx';
import type { OpenedFile } from './use-file.ts';

afterEach(() => vi.restoreAllMocks());

describe('the notices of a file', () => {
  it('compare the texts again only when one changed', async () => {
    const texts = ['one\ntwo', 'one\nthree'];
    const file = {
      standing: 'conflict',
      text: texts[1],
      content: { isTooLarge: false, kind: 'text', text: texts[0] },
    } as unknown as OpenedFile;
    const notes = (isSaving: boolean) => (
      <FileNotes projectId="p" path="@project/a" file={{ ...file, isSaving }} />
    );
    const { show } = await renderServed({}, notes(false));
    const split = vi.spyOn(String.prototype, 'split');
    await page.getByRole('button', { name: 'Show changes' }).click();
    await expect.element(page.getByText('three')).toBeVisible();
    const compared = () => split.mock.contexts.filter((text) => texts.includes(String(text))).length;
    const before = compared();
    expect(before).toBeGreaterThan(0);
    await show(notes(true));
    await show(notes(false));
    expect(compared()).toBe(before);
  });
});

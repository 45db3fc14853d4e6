import type { InspectedPackage } from '@crewagent/protocol/api/packages';
import { describe, expect, it, vi } from 'vitest';
import { page } from 'vitest/browser';
import { renderServed } from '../testing/served.tsx';
import { ImportDialog } from './import-dialog.tsx';

describe('a rejected file', () => {
  it('[U84] has findings that can be copied for its author', async () => {
    const copied: string[] = [];
    vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(async (text) => void copied.push(text));
    const finding = { severity: 'error', code: 'MISSING_FILE', file: 'bmad.json', line: 3 } as const;
    const errors = [{ ...finding, message: 'A file is missing.', fix: 'Add it.' }];
    await renderServed(
      { packages: { list: async () => ({ packages: [] }) } },
      <ImportDialog
        source="/tmp/notes.bmad"
        inspected={{ report: { ok: false, path: 'notes.bmad', errors, warnings: [] } }}
        onClose={() => undefined}
        onInstalled={() => undefined}
      />,
    );
    await page.getByRole('button', { name: 'Copy findings' }).click();
    await expect.poll(() => copied).toEqual(['error MISSING_FILE bmad.json:3\nA file is missing.\nAdd it.']);
    await expect.element(page.getByText('Findings copied')).toBeVisible();
  });

  it.each([
    ['NOT_AN_ARCHIVE', 'This is not a package.', 'Choose a .bmad file.'],
    ['MISSING_FILE', 'This package can’t be installed.', 'Send these findings to the author.'],
  ] as const)('[U84] is shown with advice: %s', async (code, what, advice) => {
    const finding = { severity: 'error', code, file: '.', message: 'It is not.', fix: 'Mend it.' } as const;
    const report: InspectedPackage['report'] = {
      ok: false,
      path: 'notes.txt',
      errors: [finding],
      warnings: [],
    };
    await renderServed(
      { packages: { list: async () => ({ packages: [] }) } },
      <ImportDialog
        source="/tmp/notes.txt"
        inspected={{ report }}
        onClose={() => undefined}
        onInstalled={() => undefined}
      />,
    );
    await expect.element(page.getByText(what)).toBeVisible();
    await expect.element(page.getByText(advice)).toBeVisible();
    await expect.element(page.getByText('It is not.')).toBeVisible();
  });
});

import type { InspectedPackage } from '@crewagent/protocol/api/packages';
import { describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { renderServed } from '../testing/served.tsx';
import { ImportDialog } from './import-dialog.tsx';

describe('a rejected file', () => {
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

import type { InspectedPackage } from '@crewagent/protocol/api/packages';
import { describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { renderServed } from '../testing/served.tsx';
import { ImportDialog } from './import-dialog.tsx';

const HASH = 'a'.repeat(64);
const KEY = `${'A'.repeat(43)}=`;
const NONE = { added: [], removed: [], changed: [] };

async function showDialog(inspected: Partial<InspectedPackage>) {
  const installs: unknown[] = [];
  await renderServed(
    {
      packages: {
        list: async () => ({ packages: [] }),
        importPath: async ({ body }: { body: unknown }) => {
          installs.push(body);
          return { package: { hash: HASH, name: 'notes' }, alreadyInstalled: false, warnings: [] };
        },
      },
    },
    <ImportDialog
      source="https://example.org/notes.bmad"
      inspected={{
        report: { ok: true, path: 'notes', errors: [], warnings: [] },
        contents: {
          ...{ name: 'notes', version: '2.0.0', requiresNetwork: false, agents: [], workflows: [] },
          about: {
            title: 'Meeting notes',
            license: 'MIT',
            authors: [{ name: 'Ada', url: 'https://example.org/ada' }],
          },
        },
        ...inspected,
      }}
      onClose={() => undefined}
      onInstalled={() => undefined}
    />,
  );
  return { installs, install: page.getByRole('button', { name: 'Install' }) };
}

describe('the dialog before an installation', () => {
  it('shows what the author says, the signer, the hash and what changes, and installs exactly that', async () => {
    const { installs, install } = await showDialog({
      archive: { hash: HASH, signer: { status: 'new', key: KEY, fingerprint: '1234-abcd' } },
      changes: {
        ...{ from: '1.0.0', to: '2.0.0', agents: { ...NONE, added: ['editor'] } },
        workflows: { added: [], removed: ['old-flow'], changed: [] },
      },
    });
    for (const text of ['Meeting notes', 'MIT', 'From 1.0.0 to 2.0.0', 'editor', 'old-flow'])
      await expect.element(page.getByText(text).first()).toBeVisible();
    await expect.element(page.getByText('1234-abcd (for the first time)')).toBeVisible();
    await expect.element(page.getByText('a'.repeat(16))).toBeVisible();
    await expect
      .element(page.getByRole('link', { name: 'Ada' }))
      .toHaveAttribute('href', 'https://example.org/ada');
    await install.click();
    await expect
      .poll(() => installs)
      .toEqual([{ path: 'https://example.org/notes.bmad', sha256: HASH, acceptsSigner: false }]);
  });

  it.each([
    [
      { status: 'changed', key: KEY, fingerprint: 'new-key', before: 'old-key' },
      'Now new-key, before old-key.',
    ],
    [{ status: 'missing', before: 'old-key' }, 'Before: old-key.'],
  ] as const)(
    'installs a package of another signer only if the person accepts it: %j',
    async (signer, text) => {
      const { installs, install } = await showDialog({ archive: { hash: HASH, signer } });
      await expect.element(page.getByRole('alert')).toHaveTextContent(text);
      await expect.element(install).toBeDisabled();
      await page.getByRole('checkbox', { name: 'I have checked this. Install it anyway.' }).click();
      await install.click();
      await expect.poll(() => installs).toMatchObject([{ acceptsSigner: true }]);
    },
  );

  it('names the identity of a Sigstore bundle', async () => {
    const fingerprint = 'release@example.org via https://accounts.example.org (Sigstore)';
    const key = 'sigstore:https://accounts.example.org release@example.org';
    await showDialog({ archive: { hash: HASH, signer: { status: 'known', key, fingerprint } } });
    await expect.element(page.getByText(fingerprint)).toBeVisible();
  });

  it('says plainly that a package is not signed', async () => {
    await showDialog({ archive: { hash: HASH, signer: { status: 'unsigned' } } });
    await expect.element(page.getByText('Not signed')).toBeVisible();
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument();
  });
});

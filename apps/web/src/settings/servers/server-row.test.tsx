import type { ListedServer } from '@crewagent/protocol/mcp';
import { describe, expect, it, vi } from 'vitest';
import { page } from 'vitest/browser';
import { useAppearance } from '../../state/appearance.ts';
import { findIssues } from '../../testing/find-issues.ts';
import { renderServed } from '../../testing/served.tsx';
import { ServerRow } from './server-row.tsx';

const LISTED = {
  id: 'tickets',
  origin: 'user',
  server: { enabled: true, trusted: false, disabledTools: [], url: 'https://mcp.test', headers: [] },
  hash: 'a',
  storedValues: [],
  isApproved: true,
  status: { state: 'stopped' },
} as unknown as ListedServer;

describe('an MCP server', () => {
  it.each([
    ['en', 'Remove tickets', 'Cancel', 'Remove'],
    ['zh-CN', '移除 tickets', '取消', '移除'],
  ] as const)('[U360] is removed after confirmation only, in %s', async (language, open, cancel, confirm) => {
    useAppearance.setState({ language });
    const remove = vi.fn(async () => ({}));
    const sandbox = { kind: 'none', isIsolating: false } as never;
    await renderServed(
      { servers: { remove } },
      <ul>
        <ServerRow listed={LISTED} project={undefined} sandbox={sandbox} />
      </ul>,
    );
    const dialog = page.getByRole('alertdialog');
    await page.getByRole('button', { name: open }).click();
    await expect.element(dialog).toBeVisible();
    expect(await findIssues(dialog.element())).toEqual([]);
    await dialog.getByRole('button', { name: cancel, exact: true }).click();
    await expect.element(dialog).not.toBeInTheDocument();
    expect(remove).not.toHaveBeenCalled();
    await page.getByRole('button', { name: open }).click();
    await dialog.getByRole('button', { name: confirm, exact: true }).click();
    await expect.poll(() => remove.mock.calls).toEqual([[{ server: 'tickets' }]]);
  });
});

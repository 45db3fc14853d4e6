import type { CostReport } from '@crewagent/protocol/api/costs';
import { settingsSchema } from '@crewagent/protocol/settings';
import { describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { useAppearance } from '../state/appearance.ts';
import { findIssues } from '../testing/find-issues.ts';
import { renderServed } from '../testing/served.tsx';
import { CostsSection } from './costs-section.tsx';

const sum = (costUsd: number, unpricedTokens = 0) => ({
  ...{ requests: 3, promptTokens: 1_000, completionTokens: 200, costUsd, unpricedTokens },
});
const REPORT: CostReport = {
  total: sum(1.5, 1_200),
  days: [
    { name: '2026-01-31', ...sum(1) },
    { name: '2026-01-30', ...sum(0.5) },
  ],
  models: [
    { name: 'gpt-5-mini', ...sum(1.5) },
    { name: 'local', ...sum(0, 1_200) },
  ],
  packages: [
    { name: 'create-story', ...sum(1.5) },
    { name: '', ...sum(0, 1_200) },
  ],
  works: [{ workId: 'w1', projectId: 'p1', title: 'Create a story', ...sum(1.5) }],
  prices: [{ model: 'gpt-5-mini', list: { asOf: '2026-01-06', source: 'https://prices.example/list' } }],
  remaining: 0,
};

const show = (report: CostReport) =>
  renderServed(
    {
      costs: { show: async () => report },
      settings: {
        show: async () => ({
          settings: settingsSchema.parse({ limits: { maxCostUsd: 1 } }),
          decided: ['limits.maxCostUsd'],
        }),
      },
    },
    <main>
      <h1>Settings</h1>
      <CostsSection />
    </main>,
  );

describe('costs', () => {
  it.each(['light', 'dark'] as const)('[U20] have no axe violations in the %s theme', async (theme) => {
    useAppearance.setState({ theme });
    await show(REPORT);
    await expect.element(page.getByRole('table', { name: 'By model' })).toBeVisible();
    expect(await findIssues()).toEqual([]);
  });

  it('are tables by day, model, package and Work, with the source of prices; unknown is never 0', async () => {
    await show(REPORT);
    const models = page.getByRole('table', { name: 'By model' });
    await expect.element(models).toHaveTextContent('List price of 2026-01-06, prices.example');
    await expect.element(models.getByRole('row', { name: /local/ })).toHaveTextContent('price unknown');
    await expect.element(page.getByText('$1.50 + unknown')).toBeVisible();
    await expect
      .element(page.getByRole('table', { name: 'By package' }))
      .toHaveTextContent('Chat without a package');
    await expect.element(page.getByText('Share, with a line at the limit of $1.00')).toBeVisible();
    await expect.element(page.getByRole('textbox', { name: 'Cost limit' })).toBeVisible();
    await expect.element(page.getByRole('table', { name: 'By person' })).not.toBeInTheDocument();
    await page.getByRole('button', { name: 'Create a story' }).click();
    await expect.poll(() => location.pathname).toBe('/p/p1/w/w1');
  });

  it('are tables by person and project on a team server, also of those that are gone', async () => {
    const people = [
      { id: 'a', name: 'Ada', ...sum(1) },
      { id: 'b', name: 'Ada', ...sum(0.5) },
    ];
    await show({ ...REPORT, people, projects: [{ id: 'p', name: '', ...sum(1.5) }] });
    await expect
      .element(page.getByRole('table', { name: 'By person' }).getByRole('row').nth(2))
      .toBeVisible();
    await expect
      .element(page.getByRole('table', { name: 'By project' }))
      .toHaveTextContent('Deleted project');
  });
});

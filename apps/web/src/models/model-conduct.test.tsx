import type { LedgerRow } from '@crewagent/protocol/ledger';
import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { useAppearance } from '../state/appearance.ts';
import { findIssues } from '../testing/find-issues.ts';
import { HOSTILE } from '../testing/made-events.ts';
import { renderServed } from '../testing/served.tsx';
import { ModelConduct } from './model-conduct.tsx';

const STRONG: LedgerRow = {
  model: 'strong',
  package: 'create-story',
  runs: 3,
  runsProved: 3,
  movesRefused: 0,
  outputsIncomplete: 0,
  personNotHeard: 0,
  invalidCalls: 0,
  loops: 0,
  wastedTurns: 0,
  turns: 30,
  nodesProved: 15,
  usage: { promptTokens: 29_000, completionTokens: 1_000, cachedTokens: 0, costUsd: 0.3 },
};
const WEAK: LedgerRow = {
  ...STRONG,
  model: HOSTILE,
  runsProved: 1,
  movesRefused: 1,
  outputsIncomplete: 2,
  personNotHeard: 3,
  invalidCalls: 4,
  loops: 5,
  wastedTurns: 6,
  nodesProved: 0,
};

const show = (report: () => Promise<{ rows: readonly LedgerRow[] }>) =>
  renderServed(
    { models: { report } },
    <main>
      <h1>Settings</h1>
      <h2>Models</h2>
      <ModelConduct />
    </main>,
  );

/** The text of each cell, row by row, without the head. */
const cells = (): string[][] =>
  [...document.querySelectorAll('tbody tr')].map((row) =>
    [...row.children].map((cell) => cell.textContent ?? ''),
  );

describe('how models behaved', () => {
  it('[U81] is a table with the rows of the report, reachable with the keyboard', async () => {
    await show(async () => ({ rows: [STRONG, WEAK] }));
    await expect.element(page.getByRole('table')).toBeVisible();
    const [first, second] = cells();
    expect(first).toEqual([
      'strongcreate-story',
      '3 of 3',
      '0',
      '0',
      '0',
      '0',
      '0',
      '0%',
      '2',
      '2K',
      '$0.02',
    ]);
    expect(second?.slice(1)).toEqual(['1 of 3', '1', '2', '3', '4', '5', '20%', '–', '–', '–']);
    expect(second?.[0]).toContain('<img');
    expect('wasHacked' in globalThis).toBe(false);
    await userEvent.tab();
    await expect.element(page.getByRole('region', { name: 'How models behaved' })).toHaveFocus();
    expect(await findIssues()).toEqual([]);
    useAppearance.setState({ language: 'zh-CN' });
    await expect.element(page.getByRole('heading', { name: '模型表现' })).toBeVisible();
    expect(cells()[0]?.slice(1, 8)).toEqual(['3 / 3', '0', '0', '0', '0', '0', '0%']);
    expect(await findIssues()).toEqual([]);
  });

  it('says what will be here, while it is read and where there is nothing', async () => {
    let answer: (report: { rows: readonly LedgerRow[] }) => void = () => undefined;
    await show(() => new Promise((resolve) => (answer = resolve)));
    await expect.element(page.getByText(/In your runs so far/)).toBeVisible();
    await expect.element(page.getByText(/No model has worked/)).not.toBeInTheDocument();
    answer({ rows: [] });
    await expect.element(page.getByText(/No model has worked on a run yet/)).toBeVisible();
    await expect.element(page.getByRole('table')).not.toBeInTheDocument();
    expect(await findIssues()).toEqual([]);
  });
});

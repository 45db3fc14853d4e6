import type { RunFact } from '@crewagent/protocol/events';
import { beforeEach, describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { useAppearance } from '../../state/appearance.ts';
import { findIssues } from '../../testing/find-issues.ts';
import { helloBranchLog, inConversation } from '../../testing/logs.ts';
import { RUN_ID, runCreated, toLog } from '../../testing/made-events.ts';
import { renderConversation } from '../../testing/render-conversation.tsx';

const turn = (nodeId: string): RunFact => ({
  ...{ type: 'turn.started', turn: 1, nodeId, agentId: 'analyst', requestBytes: 1, estimatedTokens: 1 },
});
const reply: RunFact = { type: 'message.completed', role: 'assistant', purpose: 'reply', content: 'Ready.' };
const usage = (costUsd?: number): RunFact => {
  const used = { promptTokens: 900, completionTokens: 100, cachedTokens: 0, costUsd };
  return { type: 'usage.updated', turn: 1, usage: used, total: used };
};

const openOverview = () => page.getByRole('tab', { name: 'Overview' }).click();
const node = (name: RegExp) => page.getByRole('group', { name });

describe('the overview of a run', () => {
  beforeEach(() => page.viewport(1440, 900));

  it('[U541] has a card for each step with its state in words, its time, tokens and files, and no axe issue', async () => {
    await renderConversation(inConversation(helloBranchLog));
    await openOverview();
    await expect.element(node(/^Intake, done, .* tokens, 1 file$/)).toBeVisible();
    const card = node(/^Intake/);
    await expect.element(card).toHaveTextContent(/Intake.*done · analyst.*tokens/);
    await expect.element(node(/^Plan a fresh start, skipped$/)).toHaveTextContent('skipped');
    await expect
      .element(page.getByRole('heading', { name: 'Overview of the run', level: 2 }))
      .toBeInTheDocument();
    expect(await findIssues()).toEqual([]);
  });

  it('[U541] shows a step in the conversation on a click or Enter, and keeps its own view', async () => {
    await renderConversation(inConversation(helloBranchLog));
    await openOverview();
    await node(/^Assess what exists/).click();
    const header = page.getByRole('heading', { name: 'Assess what exists', level: 3 });
    await expect.element(header).toHaveFocus();
    await expect.element(header).toBeInViewport();
    await openOverview();
    const first = node(/^Intake/);
    (first.element() as HTMLElement).focus();
    await userEvent.keyboard('{Enter}');
    await expect.element(page.getByRole('heading', { name: 'Intake', level: 3 })).toHaveFocus();
  });

  it('[U541] is one stop of the Tab key; arrow keys follow the edges, and Space opens the details', async () => {
    await renderConversation(inConversation(helloBranchLog));
    await openOverview();
    await expect.element(node(/^Intake/)).toBeVisible();
    const stops = () => [...document.querySelectorAll('.react-flow__node[tabindex="0"]')];
    expect(stops()).toHaveLength(1);
    (node(/^Intake/).element() as HTMLElement).focus();
    await userEvent.keyboard('{ArrowDown}');
    await expect.element(node(/^Decide the project type/)).toHaveFocus();
    // The edge that was taken comes first.
    await userEvent.keyboard('{ArrowDown}');
    await expect.element(node(/^Assess what exists/)).toHaveFocus();
    await userEvent.keyboard('{ArrowLeft}');
    await expect.element(node(/^Plan a fresh start/)).toHaveFocus();
    await userEvent.keyboard('{ArrowUp}{ArrowUp}');
    await expect.element(node(/^Intake/)).toHaveFocus();
    expect(stops()).toHaveLength(1);
    await userEvent.keyboard(' ');
    await expect.element(page.getByRole('heading', { name: 'Intake', level: 3 })).toHaveFocus();
  });

  it('[U541] draws the time of each step, says it on focus, and shows the same as a table', async () => {
    const log = toLog(RUN_ID, [
      runCreated,
      turn('step-01-intake'),
      reply,
      { type: 'phase.changed', phase: 'WaitingUser', reason: { code: 'reply', message: '' } },
      { type: 'phase.changed', phase: 'Running' },
      turn('end-99'),
      reply,
      { type: 'phase.changed', phase: 'Completed' },
    ]);
    await renderConversation(inConversation(log));
    await openOverview();
    // A card has the time of the work, the chart also that of the wait.
    await expect.element(node(/^Intake, done, 3s/)).toBeVisible();
    await page.getByRole('tab', { name: 'Time' }).click();
    const chart = page.getByRole('group', { name: 'Time by step' });
    const bars = chart.getByRole('button');
    await expect.element(bars.first()).toHaveAccessibleName('Intake, 4s, Model 3s, Waiting for you 1s');
    (bars.first().element() as HTMLElement).focus();
    await expect.element(page.getByRole('tooltip')).toHaveTextContent(/Intake4s.*Model3s.*Waiting for you1s/);
    await userEvent.keyboard('{ArrowDown}');
    await expect.element(bars.nth(1)).toHaveFocus();
    expect(await findIssues()).toEqual([]);
    const row = page.getByRole('row', { name: /Intake/ });
    await expect.element(row).toHaveTextContent(/^Intake1\d\d:\d\d:\d\d3s–1s4s/);
    await page.getByRole('checkbox', { name: 'As a table' }).click();
    await expect.element(chart).not.toBeInTheDocument();
    await expect.element(row).toBeVisible();
    expect(await findIssues()).toEqual([]);
  });

  it.each([
    [1024, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const)('[U541] has no axe issue at %i pixels, %s', async (width, theme) => {
    await page.viewport(width, 844);
    useAppearance.setState({ theme });
    await renderConversation(inConversation(helloBranchLog));
    await openOverview();
    await expect.element(node(/^Intake, done/)).toBeVisible();
    for (const view of ['Graph', 'Time', 'Cost']) {
      await page.getByRole('tab', { name: view, exact: true }).click();
      await expect.element(page.getByRole('tabpanel', { name: view, exact: true })).toBeVisible();
      expect(await findIssues()).toEqual([]);
    }
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(width);
  });

  it.each([
    [undefined, 'price unknown'],
    [0.25, '$0.25'],
  ])('[U541] says what a step cost: %s', async (costUsd, text) => {
    const log = toLog(RUN_ID, [runCreated, turn('step-01-intake'), reply, usage(costUsd)]);
    await renderConversation(inConversation(log));
    await openOverview();
    await page.getByRole('tab', { name: 'Cost' }).click();
    await expect.element(page.getByRole('row', { name: /Intake/ })).toHaveTextContent(`1,000${text}`);
    await expect.element(page.getByText('$0.00')).not.toBeInTheDocument();
    expect(await findIssues()).toEqual([]);
  });
});

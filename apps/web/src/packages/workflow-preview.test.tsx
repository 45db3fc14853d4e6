import type { ShownNode } from '@crewagent/protocol/api/packages';
import { describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { findIssues } from '../testing/find-issues.ts';
import { renderServed } from '../testing/served.tsx';
import { StepList } from './workflow-preview.tsx';

describe('the steps of a workflow', () => {
  it('show the agent by its name', async () => {
    const agents = [{ id: 'architect', name: 'Winston', title: 'Architect' }];
    const node = { id: 'plan', type: 'step', title: 'Plan', agentId: 'architect' } as const;
    await renderServed(
      {
        packages: {
          show: () => Promise.resolve({ package: { name: 'steps' }, agents, workflows: [] }),
        },
      },
      <StepList
        hash="steps"
        workflow="w"
        nodes={[{ ...node, inputs: [], outputs: [], setsVariables: [] }]}
        openId={undefined}
        onOpen={() => undefined}
      />,
    );
    await expect.element(page.getByRole('button', { name: /Plan Winston/ })).toBeVisible();
  });

  it('expand to what the model is sent, part by part', async () => {
    const node: ShownNode = {
      id: 'plan',
      type: 'step',
      title: 'Plan',
      inputs: [],
      outputs: [],
      setsVariables: [],
    };
    const parts = [
      { layer: 'rules', role: 'system', text: 'Be careful.', tokens: 100 },
      { layer: 'anchor', role: 'user', text: 'currentNodeId: plan', tokens: 300 },
    ];
    const { container } = await renderServed(
      {
        packages: {
          node: () => Promise.resolve({ node, text: 'Make a plan.' }),
          prompt: () => Promise.resolve({ nodeId: 'plan', contextTokens: 1_000, tokens: 400, parts }),
        },
      },
      <StepList hash="steps" workflow="w" nodes={[node]} openId="plan" onOpen={() => undefined} />,
    );
    await page.getByRole('button', { name: 'What the model is sent' }).click();
    await expect.element(page.getByText('400 of 1K tokens (40%)')).toBeVisible();
    await page.getByRole('button', { name: /Current step.*75%/ }).click();
    await expect.element(page.getByText('currentNodeId: plan')).toBeVisible();
    expect(await findIssues(container)).toEqual([]);
  });
});

import type { ShownNode } from '@crewagent/protocol/api/packages';
import { describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { findIssues } from '../testing/find-issues.ts';
import { renderServed } from '../testing/served.tsx';
import { StepList, WorkflowPreview } from './workflow-preview.tsx';

describe('the workflow of a package', () => {
  const workflow = { ref: 'workflow.md', title: 'Hello', description: 'Asks and plans.', nodes: 1 };
  const graph = { workflow, nodes: [], edges: [], entryNodeId: 'a' };
  const said = { title: 'Hello', description: 'Asks and plans.' };

  it('is described where the package does not say the same', async () => {
    const { show } = await renderServed(
      { packages: { graph: () => Promise.resolve(graph) } },
      <WorkflowPreview hash="p" workflows={[workflow]} said={said} />,
    );
    await expect.element(page.getByRole('heading', { name: '1 workflow' })).toBeVisible();
    await expect.element(page.getByText('Asks and plans.')).not.toBeInTheDocument();
    const other = { ...workflow, description: 'Plans only.' };
    await show(<WorkflowPreview hash="p" workflows={[other]} said={said} />);
    await expect.element(page.getByText('Plans only.')).toBeVisible();
    const second = { ...workflow, ref: 'b.md', title: 'Second' };
    await show(<WorkflowPreview hash="p" workflows={[workflow, second]} said={said} />);
    await expect.poll(() => document.querySelector('section p')?.textContent).toBe('Hello');
  });
});

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

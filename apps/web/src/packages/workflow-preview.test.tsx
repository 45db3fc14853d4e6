import { describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
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
});

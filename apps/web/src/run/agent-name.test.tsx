import { describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { renderServed } from '../testing/served.tsx';
import { AgentName } from './agent-name.tsx';

const agents = [
  { id: 'sm', name: 'Bob', title: 'Scrum Master', icon: '🏃‍♀️' },
  { id: 'qa', name: '\u202eNora', title: 'Tester', icon: 'QA lead' },
  { id: 'cook', name: 'Ann', title: 'Ann', icon: '' },
];

describe('an agent', () => {
  it('is shown by name and icon, with the id as details', async () => {
    await renderServed(
      { packages: { show: () => Promise.resolve({ package: { name: 'demo' }, agents, workflows: [] }) } },
      <>
        <AgentName packageHash="a" agentId="sm" />
        <AgentName packageHash="a" agentId="qa" hasTitle />
        <AgentName packageHash="a" agentId="cook" hasTitle />
        <AgentName packageHash="a" agentId="gone" />
      </>,
    );
    await expect.element(page.getByTitle('sm')).toHaveTextContent('🏃‍♀️ Bob');
    await expect.element(page.getByTitle('qa')).toHaveTextContent(/^QA .Nora, Tester$/);
    await expect.element(page.getByTitle('cook')).toHaveTextContent(/^Ann$/);
    await expect.element(page.getByText('gone')).toBeVisible();
    expect(document.body.textContent).not.toContain('\u202e');
  });

  it('is shown by its id if nothing else is known', async () => {
    const show = () => Promise.reject(new Error('The package is gone.'));
    await renderServed({ packages: { show } }, <AgentName packageHash="b" agentId="sm" />);
    await expect.element(page.getByText('sm')).toBeVisible();
  });
});

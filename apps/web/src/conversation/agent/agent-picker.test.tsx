import { EMPTY_CONVERSATION_STATE } from '@crewagent/protocol/conversation-state';
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { renderServed } from '../../testing/served.tsx';
import { AgentPicker } from './agent-picker.tsx';

it('shows the packages of agents with the same name', async () => {
  const sam = { id: 'sam', name: 'Sam', title: 'Summarizer' };
  const bob = { id: 'bob', name: 'Bob', title: 'Scrum master' };
  const contents = {
    a: { package: { hash: 'a', name: 'stories' }, agents: [sam, bob], workflows: [] },
    b: { package: { hash: 'b', name: 'plans' }, agents: [sam], workflows: [] },
  };
  await renderServed(
    {
      packages: {
        list: async () => ({ packages: [{ hash: 'a' }, { hash: 'b' }], damaged: [] }),
        show: async ({ hash }: { readonly hash: 'a' | 'b' }) => contents[hash],
      },
    },
    <AgentPicker
      state={EMPTY_CONVERSATION_STATE}
      workflow={undefined}
      isRunning={false}
      isBusy={false}
      onChoose={() => undefined}
    />,
  );
  await page.getByRole('button', { name: /^Chat with/ }).click();
  for (const name of ['Sam · Summarizer (stories)', 'Sam · Summarizer (plans)', 'Bob · Scrum master'])
    await expect.element(page.getByRole('menuitem', { name, exact: true })).toBeVisible();
});

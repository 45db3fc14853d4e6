import type { ListMessage, WorkSummary } from '@crewagent/protocol/api/work-messages';
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { createMessageQueue } from '../api/message-queue.ts';
import { WorkProvider } from '../api/work-context.tsx';
import type { Route } from '../navigation/router.ts';
import { renderServed } from '../testing/served.tsx';
import { AttentionWatch } from './attention-watch.tsx';

const running: WorkSummary = {
  workId: 'w',
  projectId: 'p',
  kind: 'chat',
  title: 'Plan a party',
  phase: 'Running',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};
const asking: WorkSummary = {
  ...running,
  phase: 'WaitingUser',
  reason: { code: 'question', message: '', details: { prompt: 'How many guests?' } },
  updatedAt: '2026-01-01T00:01:00.000Z',
};
const toast = page.getByText(/How many guests\?/);

/** The page at a screen, with one chat that begins to ask. */
async function renderAsking(route: Route) {
  const work = createMessageQueue<ListMessage>();
  work.push({ type: 'snapshot', data: { works: [running], damaged: [] } });
  const watchAt = (at: Route) => (
    <WorkProvider>
      <AttentionWatch route={at} />
    </WorkProvider>
  );
  const screen = await renderServed(
    {
      system: { events: () => work.read() },
      packages: { list: async () => ({ packages: [], damaged: [] }) },
    },
    watchAt(route),
  );
  await expect.poll(() => document.title).toBeTruthy();
  work.push({ type: 'work', data: asking });
  await expect.poll(() => document.title).toMatch(/^\(1\)/);
  return { goTo: (at: Route) => screen.show(watchAt(at)) };
}

it('[U243] a question is announced, and no longer when Start lists it', async () => {
  const { goTo } = await renderAsking({ name: 'packages' });
  await expect.element(toast).toBeVisible();
  await goTo({ name: 'start' });
  await expect.element(toast).not.toBeInTheDocument();
});

it('[U243] a question is not said twice on Start', async () => {
  await renderAsking({ name: 'start' });
  await expect.element(toast).not.toBeInTheDocument();
});

import { expect, it, vi } from 'vitest';
import { page } from 'vitest/browser';
import { render } from 'vitest-browser-react';
import { createServerWatch } from '../api/server-watch.ts';
import { WorkProvider } from '../api/work-context.tsx';
import type { Route } from '../navigation/router.ts';
import { useAppearance } from '../state/appearance.ts';
import { findIssues } from '../testing/find-issues.ts';
import { renderServed } from '../testing/served.tsx';
import { ServerNote } from './server-note.tsx';

/** A server that answers requests by name, when it is told to. */
function createServer() {
  const waiting = new Map<string, () => void>();
  const send = ((url: string) =>
    new Promise<Response>((resolve) => waiting.set(url, () => resolve(new Response('{}'))))) as typeof fetch;
  const watch = createServerWatch(send, { probe: (ask) => ask('probe') });
  return { watch, waiting };
}

it('[U194] a request that is not answered for ten seconds is reported until the server answers', async () => {
  vi.useFakeTimers();
  try {
    const { watch, waiting } = createServer();
    void watch.fetch('slow');
    vi.advanceTimersByTime(9_000);
    expect(watch.isSilent()).toBe(false);
    vi.advanceTimersByTime(2_000);
    expect(watch.isSilent()).toBe(true);
    waiting.get('probe')?.();
    await vi.advanceTimersByTimeAsync(0);
    expect(watch.isSilent()).toBe(false);
    // It answers others: the request takes its time.
    for (let second = 0; second < 60; second++) {
      await vi.advanceTimersByTimeAsync(1_000);
      waiting.get('probe')?.();
      expect(watch.isSilent()).toBe(false);
    }
    watch.end();
  } finally {
    vi.useRealTimers();
  }
});

it('[U194] an idle page notices it too, but not a page that was asleep', async () => {
  vi.useFakeTimers();
  try {
    const { watch } = createServer();
    vi.advanceTimersByTime(12_000);
    vi.setSystemTime(Date.now() + 3_600_000);
    vi.advanceTimersByTime(2_000);
    expect(watch.isSilent()).toBe(false);
    vi.advanceTimersByTime(12_000);
    expect(watch.isSilent()).toBe(true);
    watch.end();
  } finally {
    vi.useRealTimers();
  }
});

it.each([
  ['en', 'CrewAgent isn’t answering'],
  ['zh-CN', 'CrewAgent 没有响应'],
] as const)('[U194] is said with what to do: %s', async (language, title) => {
  useAppearance.setState({ language });
  const watch = { ...createServer().watch, isSilent: () => true };
  await render(<ServerNote watch={watch} route={{ name: 'start' }} />);
  await expect.element(page.getByRole('status')).toHaveTextContent(title);
  await expect.element(page.getByRole('status')).toHaveTextContent('Ctrl+C');
  expect(await findIssues(page.getByRole('status').element())).toEqual([]);
});

it('[U194] a server that is gone is said on every screen but a conversation, which says it itself', async () => {
  let setState: (state: 'open' | 'broken') => void = () => undefined;
  const events = async function* (_: object, options: { onState: typeof setState }) {
    setState = options.onState;
    yield* [];
    await new Promise(() => undefined);
  };
  const { watch } = createServer();
  const at = (route: Route) => (
    <WorkProvider>
      <ServerNote watch={watch} route={route} />
    </WorkProvider>
  );
  const { show } = await renderServed({ system: { events } }, at({ name: 'start' }));
  const note = page.getByText('CrewAgent can’t be reached.');
  setState('broken');
  // A stream that is reopened at once is not worth a word.
  setState('open');
  setState('broken');
  await expect.element(note).not.toBeInTheDocument();
  setState('broken');
  await expect.element(note).toBeVisible();
  expect(await findIssues(page.getByRole('status').element())).toEqual([]);
  await show(at({ name: 'work', projectId: 'p', workId: 'w' }));
  await expect.element(note).not.toBeInTheDocument();
  await show(at({ name: 'packages' }));
  await expect.element(note).toBeVisible();
  setState('open');
  await expect.element(note).not.toBeInTheDocument();
  watch.end();
});

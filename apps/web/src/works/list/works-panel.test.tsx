import type { ListMessage, WorkSummary } from '@crewagent/protocol/api/work-messages';
import { byLastChange, parseCursor, toCursor } from '@crewagent/protocol/work-order';
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { createMessageQueue } from '../../api/message-queue.ts';
import { WorkProvider } from '../../api/work-context.tsx';
import { layoutOf } from '../../state/layout.ts';
import { openFile } from '../../state/open-files.ts';
import { findIssues } from '../../testing/find-issues.ts';
import { renderServed } from '../../testing/served.tsx';
import { WorksPanel } from './works-panel.tsx';

const at = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();
const work = (workId: string, hours: number, phase: WorkSummary['phase']): WorkSummary => ({
  workId,
  projectId: 'p',
  title: `Story ${workId}`,
  kind: 'workflow',
  phase,
  createdAt: at(hours),
  updatedAt: at(hours),
});

async function renderPanel() {
  const list = createMessageQueue<ListMessage>();
  const works = [
    work('a', 0, 'Running'),
    work('b', 0.01, 'WaitingUser'),
    work('c', 24, 'Completed'),
    work('d', 90, 'Completed'),
  ];
  list.push({ type: 'snapshot', data: { works, damaged: [] } });
  await renderServed(
    { system: { events: () => list.read() } },
    <WorkProvider>
      <main>
        <h1>Project</h1>
        <WorksPanel projectId="p" openId="b" />
      </main>
    </WorkProvider>,
  );
  await expect.element(page.getByText('Story a')).toBeVisible();
}

it('[U40] lists Works by day, filtered', async () => {
  await renderPanel();
  for (const group of ['Today', 'Yesterday', 'Earlier'])
    await expect.element(page.getByRole('heading', { name: group })).toBeVisible();
  expect(await findIssues()).toEqual([]);
  await page.getByText('Done', { exact: true }).click();
  await expect.element(page.getByText('Story a')).not.toBeInTheDocument();
  await expect.element(page.getByText('Story d')).toBeVisible();
});

it('[U96] has one Tab stop, with arrow keys inside', async () => {
  await renderPanel();
  const row = (name: string) => page.getByRole('button', { name: new RegExp(`^Story ${name}`) });
  const stops = [...document.querySelectorAll<HTMLElement>('li button')].filter(
    ({ tabIndex }) => tabIndex === 0,
  );
  expect(stops).toEqual([row('b').element()]);
  stops[0]?.focus();
  await userEvent.keyboard('{ArrowDown}');
  await expect.element(row('c')).toHaveFocus();
  await userEvent.keyboard('{Home}');
  await expect.element(row('a')).toHaveFocus();
  await userEvent.keyboard('{ArrowRight}');
  await expect.element(page.getByRole('button', { name: 'More actions for Story a' })).toHaveFocus();
  await userEvent.keyboard('{ArrowLeft}');
  await expect.element(row('a')).toHaveFocus();
});

it.each([
  [/^Story a/, '/p/p/w/a'],
  [/^New/, '/p/p'],
])('shows what %s opens in front of an open file', async (name, path) => {
  await renderPanel();
  history.replaceState(undefined, '', '/p/p/w/b');
  openFile('p', '@project/a.md');
  await page.getByRole('button', { name }).first().click();
  await expect.poll(() => location.pathname).toBe(path);
  await expect
    .poll(() => layoutOf('p'))
    .toMatchObject({ activeFile: undefined, openFiles: ['@project/a.md'] });
});

it('[U40] loads older Works while the user scrolls and searches, and shows changes of any of them', async () => {
  const list = createMessageQueue<ListMessage>();
  const all = Array.from({ length: 60 }, (_, n) =>
    work(`w${String(n).padStart(2, '0')}`, n + 1, 'Completed'),
  );
  const asked: unknown[] = [];
  const answer = ({ query }: { query: { after?: string; text?: string } }) => {
    asked.push(query);
    const found = all.filter(({ title }) => title.includes(query.text ?? ''));
    const rest = found.filter((one) => byLastChange(one, parseCursor(query.after ?? '9,z')) > 0);
    const works = rest.slice(0, 20);
    const last = works.at(-1);
    return Promise.resolve({
      works,
      damaged: [],
      ...(rest.length > 20 && last ? { next: toCursor(last) } : {}),
    });
  };
  const [first] = all.slice(19, 20);
  const next = toCursor(first ?? work('', 0, 'Running'));
  const counts = { total: 60, waiting: 0, archived: {}, asking: {} };
  list.push({ type: 'snapshot', data: { works: all.slice(0, 20), damaged: [], counts, next } });
  await renderServed(
    { system: { events: () => list.read() }, works: { list: answer } },
    <WorkProvider>
      <div style={{ height: 400 }}>
        <WorksPanel projectId="p" openId={undefined} />
      </div>
    </WorkProvider>,
  );
  await expect.element(page.getByText('Story w00')).toBeVisible();
  for (const title of ['Story w19', 'Story w39', 'Story w59'])
    await expect
      .poll(() => {
        for (const row of document.querySelectorAll('li:last-child')) row.scrollIntoView();
        return document.body.textContent;
      })
      .toContain(title);
  // A Work on a later page has changed: it comes first.
  list.push({ type: 'work', data: { ...work('w59', 0, 'Running'), title: 'Renamed' } });
  await expect.poll(() => document.querySelector('li')?.textContent).toContain('Renamed');
  await page.getByRole('searchbox').fill('w4');
  await expect.poll(() => document.querySelectorAll('li').length).toBe(10);
  await expect.poll(() => asked.at(-1)).toMatchObject({ project: 'p', list: 'roots', text: 'w4' });
});

import type { FoundText } from '@crewagent/protocol/api/search';
import type { ListMessage, WorkSummary } from '@crewagent/protocol/api/work-messages';
import { byLastChange, parseCursor, toCursor } from '@crewagent/protocol/work-order';
import { afterEach, expect, it } from 'vitest';
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

async function renderPanel(found: readonly FoundText[] = []) {
  const list = createMessageQueue<ListMessage>();
  const works = [
    work('a', 0, 'Running'),
    work('b', 0.01, 'WaitingUser'),
    work('c', 24, 'Completed'),
    work('d', 90, 'Completed'),
  ];
  const answers = [...found];
  list.push({ type: 'snapshot', data: { works, damaged: [] } });
  await renderServed(
    {
      system: { events: () => list.read() },
      search: { find: () => Promise.resolve(answers.shift() ?? found.at(-1) ?? NOTHING_FOUND) },
    },
    <WorkProvider>
      <main>
        <h1>Project</h1>
        <WorksPanel projectId="p" openId="b" />
      </main>
    </WorkProvider>,
  );
  await expect.element(page.getByText('Story a')).toBeVisible();
}

const NOTHING_FOUND: FoundText = { works: [], indexed: 4, total: 4, isFull: false };

afterEach(() => history.replaceState(undefined, '', '/'));

it('[U96] finds words in messages and files, marks them, and leads to the place', async () => {
  const snippet = { text: 'The soup needs salt.', marks: [[4, 8]], runId: 'run-c', seq: 12 } as const;
  const snippets = [
    { ...snippet, kind: 'reply', marks: [[4, 8]] },
    { ...snippet, kind: 'file', marks: [[4, 8]], path: '@project/artifacts/soup.md' },
  ] satisfies FoundText['works'][number]['snippets'];
  const found = { workId: 'c', projectId: 'p', title: 'Story c', updatedAt: at(24), snippets };
  await renderPanel([
    { ...NOTHING_FOUND, indexed: 1 },
    { ...NOTHING_FOUND, works: [found] },
  ]);
  await page.getByRole('searchbox').fill('soup');
  const message = page.getByRole('button', { name: /The soup needs salt\./ }).first();
  await expect.element(message).toBeVisible();
  await expect.element(page.getByText('soup', { exact: true }).first()).toBeVisible();
  expect(await findIssues()).toEqual([]);
  await message.click();
  await expect.poll(() => `${location.pathname}${location.search}`).toBe('/p/p/w/c?at=run-c%3A12');
  await page.getByRole('button', { name: /soup\.md/ }).click();
  await expect.poll(() => layoutOf('p').activeFile).toBe('@project/artifacts/soup.md');
});

it('[U96] says that no message or file has the words', async () => {
  await renderPanel();
  await page.getByRole('searchbox').fill('nothing');
  await expect.element(page.getByText('No messages or files contain these words.')).toBeVisible();
});

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

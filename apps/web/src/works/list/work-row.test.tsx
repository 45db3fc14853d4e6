import { describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { renderServed } from '../../testing/served.tsx';
import type { ListedWork } from './to-works.ts';
import { WorkRow } from './work-row.tsx';

const now = new Date().toISOString();
const LISTED: ListedWork = {
  work: {
    workId: 'c',
    projectId: 'p',
    kind: 'workflow',
    title: 'Plan a menu',
    phase: 'WaitingUser',
    createdAt: now,
    updatedAt: now,
  },
  kind: 'workflow',
  title: 'Plan a menu',
  phase: 'WaitingUser',
  isArchived: false,
  leftRuns: [],
};

describe('a Work in the list', () => {
  it.each([200, 260, 420])('truncates no word, %i pixels wide', async (width) => {
    await renderServed(
      {},
      <ul style={{ width }}>
        <WorkRow listed={LISTED} projectId="p" isOpen={false} />
      </ul>,
    );
    const kind = page.getByText('Workflow', { exact: true });
    await expect.element(kind).toBeInTheDocument();
    const { scrollWidth, clientWidth } = kind.element();
    expect(scrollWidth).toBeLessThanOrEqual(clientWidth);
    expect(isInSight(kind.element())).toBe(width === 420);
    expect(isInSight(page.getByText('Waiting for you').element())).toBe(true);
  });

  it('[V32] is archived with one press, and brought back from the message about it', async () => {
    const asked: unknown[] = [];
    const change = (request: { readonly body: unknown }): Promise<object> => {
      asked.push(request.body);
      return Promise.resolve({});
    };
    await renderServed(
      { works: { change } },
      <ul>
        <WorkRow listed={LISTED} projectId="p" isOpen={false} />
      </ul>,
    );
    await page
      .getByRole('button', { name: /Plan a menu/ })
      .last()
      .click();
    await page.getByRole('menuitem', { name: 'Archive' }).click();
    await expect.element(page.getByText('“Plan a menu” archived.').first()).toBeVisible();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => asked).toEqual([{ isArchived: true }, { isArchived: false }]);
    await expect.element(page.getByText('“Plan a menu” restored.').first()).toBeVisible();
  });

  it('[V28] counts its left runs, and resumes each', async () => {
    const asked: unknown[] = [];
    const resume = (request: unknown): Promise<object> => {
      asked.push(request);
      return Promise.resolve({});
    };
    const left = { ...LISTED.work, workId: 'r', parentId: 'c', title: 'Create a story' };
    await renderServed(
      { works: { resume } },
      <ul>
        <WorkRow listed={{ ...LISTED, leftRuns: [left] }} projectId="p" isOpen={false} />
      </ul>,
    );
    await expect.element(page.getByText('1 paused run')).toBeVisible();
    await page
      .getByRole('button', { name: /Plan a menu/ })
      .last()
      .click();
    await page.getByRole('menuitem', { name: /^Resume “Create a story”/ }).click();
    await expect.poll(() => asked).toEqual([{ workId: 'c', body: { runId: 'r' } }]);
  });
});

function isInSight(element: Element): boolean {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return [left + 1, right - 1].every((x) =>
    element.contains(document.elementFromPoint(x, (top + bottom) / 2)),
  );
}

import type { JournalEntry } from '@crewagent/protocol/journal';
import { beginVisit } from '@crewagent/protocol/story/node-visits';
import { createStory } from '@crewagent/protocol/story/story';
import type { ReactNode } from 'react';
import { describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { useAppearance } from '../../state/appearance.ts';
import { layoutOf } from '../../state/layout.ts';
import { findIssues } from '../../testing/find-issues.ts';
import { type Answers, renderServed } from '../../testing/served.tsx';
import { AfterCompletion } from './after-completion.tsx';

function completed(artifacts: readonly string[]) {
  const view = createStory('run');
  return { ...view, phase: 'Completed' as const, state: { ...view.state, artifacts } };
}

const NO_CHANGES = { works: { changes: () => ({ changes: [] }) } };

async function render(content: ReactNode, answers: Answers = NO_CHANGES) {
  const { show } = await renderServed(answers, content);
  return { rerender: show };
}

const change = (
  changeId: number,
  path: string,
  kind: JournalEntry['kind'],
  undone = false,
): JournalEntry => ({
  changeId,
  at: '2026-01-31T09:30:00.000Z',
  callId: `c${changeId}`,
  path,
  kind,
  bytesBefore: 10,
  bytesAfter: 20,
  undone,
  undoable: true,
});

describe('a rehearsal', () => {
  const rehearsed = {
    ...completed([]),
    model: { kind: 'rehearsal' as const },
    package: { name: 'hello', version: '1.0.0', hash: 'abc' },
  };
  const served = (defaultModel?: string): Answers => ({
    ...NO_CHANGES,
    models: { list: async () => ({ models: [] }), findLocalModels: async () => ({ servers: [] }) },
    settings: { show: async () => ({ settings: { defaultModel }, environment: {} }) },
  });

  it('[U45] starts again with the model that is set up; the form is behind the settings', async () => {
    const created: unknown[] = [];
    const create = async ({ body }: { readonly body: unknown }) => {
      created.push(body);
      return { workId: 'w' };
    };
    await render(<AfterCompletion projectId="p" active={rehearsed} />, {
      ...served('deepseek'),
      works: { ...NO_CHANGES.works, create },
    });
    await expect.element(page.getByText(/Run it with your model/)).toBeVisible();
    expect(page.getByRole('button', { name: 'Connect a model' }).query()).toBeNull();
    await page.getByRole('button', { name: 'Start with deepseek' }).click();
    await expect.poll(() => location.pathname).toBe('/p/p/w/w');
    expect(created).toEqual([{ projectId: 'p', kind: 'workflow', packageHash: 'abc', model: 'deepseek' }]);
    await page.getByRole('button', { name: 'Change settings' }).click();
    await expect.poll(() => location.pathname).toBe('/p/p/new/abc');
  });

  it.each([undefined, 'rehearsal'])('[U45] without a model connects one in place (%s)', async (name) => {
    const project = { projectId: 'p', name: 'Larder', path: '/home/ann/larder', exists: true };
    await render(<AfterCompletion projectId="p" active={rehearsed} />, {
      ...served(name),
      projects: { list: async () => ({ projects: [project] }) },
    });
    await page.getByRole('button', { name: 'Connect a model' }).click();
    const dialog = page.getByRole('dialog', { name: 'Connect a model' });
    await expect.element(dialog.getByText('Runs in Larder')).toBeVisible();
    await expect.element(dialog.getByRole('button', { name: 'Test and start' })).toBeVisible();
    expect(await findIssues()).toEqual([]);
  });
});

describe('changed files', () => {
  const DIFF = '--- @project/plan.md\n+++ @project/plan.md\n@@ -1 +1 @@\n-old\n+new\n';

  it.each([
    ['en', 'Changed 1 of your files', 'Review: plan.md', 'Undo: plan.md', 'Undone'],
    ['zh-CN', '改动了你的 1 个文件', '查看改动：plan.md', '撤销：plan.md', '已撤销'],
  ] as const)(
    '[U45] come first if a workflow changed them, in %s',
    async (language, title, review, undo, undone) => {
      useAppearance.setState({ language });
      let isUndone = false;
      const asked: unknown[] = [];
      const journal = () => [
        change(1, '@project/artifacts/new.md', 'created'),
        change(2, '@project/plan.md', 'changed', isUndone),
        change(3, '@project/plan.md', 'changed', isUndone),
      ];
      await render(<AfterCompletion projectId="p" active={completed(['artifacts/new.md'])} />, {
        works: {
          changes: async () => ({ changes: journal() }),
          fileDiff: async () => ({ diff: DIFF }),
          undo: async ({ body }: { body: unknown }) => {
            asked.push(body);
            isUndone = true;
            return { files: [{ path: '@project/plan.md', outcome: 'restored' }] };
          },
        },
      });
      const card = page.getByRole('region', { name: /What’s next|接下来/ });
      await expect.element(card).toHaveTextContent(new RegExp(`^${title}`));
      await page.getByRole('button', { name: review }).click();
      await expect.element(card.getByText('new', { exact: true })).toBeVisible();
      expect(await findIssues(card.element())).toEqual([]);
      await page.getByRole('button', { name: undo }).click();
      await expect.element(card.getByText(undone).first()).toBeVisible();
      expect(asked).toEqual([{ callId: 'c3' }, { callId: 'c2' }]);
      useAppearance.setState({ language: 'en' });
    },
  );
});

describe('new files outside the results folder', () => {
  it('[U45] are listed apart from the results, opened and undone', async () => {
    let isUndone = false;
    const asked: unknown[] = [];
    await render(<AfterCompletion projectId="p" active={completed(['artifacts/new.md'])} />, {
      works: {
        changes: async () => ({
          changes: [
            change(1, '@project/artifacts/new.md', 'created'),
            change(2, '@project/docs/NOTES.md', 'created', isUndone),
            change(3, '@project/gone.md', 'created'),
            change(4, '@project/gone.md', 'deleted'),
          ],
        }),
        undo: async ({ body }: { body: unknown }) => {
          asked.push(body);
          isUndone = true;
          return { files: [{ path: '@project/docs/NOTES.md', outcome: 'deleted' }] };
        },
      },
    });
    const files = page.getByRole('list', { name: 'Also created outside the results folder' });
    await expect.element(files).toHaveTextContent(/^docs\/NOTES\.mdOpenUndo$/);
    expect(await findIssues(files.element())).toEqual([]);
    await page.getByRole('button', { name: 'Open: docs/NOTES.md' }).click();
    await expect.poll(() => layoutOf('p')).toMatchObject({ activeFile: '@project/docs/NOTES.md' });
    await page.getByRole('button', { name: 'Undo: docs/NOTES.md' }).click();
    await expect.element(files).toHaveTextContent(/^docs\/NOTES\.mdUndone$/);
    expect(asked).toEqual([{ callId: 'c2' }]);
  });
});

describe('after a workflow', () => {
  it('shows one line if messages followed', async () => {
    await render(<AfterCompletion projectId="p" active={completed(['a.md'])} isAgain />);
    await expect.element(page.getByText('Complete')).toBeVisible();
    await expect.element(page.getByRole('listitem')).not.toBeInTheDocument();
  });

  it('[U45] opens each of the first files it wrote, and the others on demand', async () => {
    const paths = [1, 2, 3, 4, 5, 6, 7].map((number) => `notes/file-${number}.md`);
    await render(
      <AfterCompletion
        projectId="p"
        active={completed(['@state/own.md', '@project/notes/file-7.md', ...paths])}
      />,
    );
    const files = page.getByRole('list', { name: 'Files written' });
    expect(files.getByRole('listitem').elements()).toHaveLength(5);
    expect(await findIssues(files.element())).toEqual([]);
    await page.getByRole('button', { name: 'Open file-4.md' }).click();
    await expect.poll(() => layoutOf('p')).toMatchObject({ activeFile: '@project/notes/file-4.md' });
    await page.getByRole('button', { name: 'and 2 more' }).click();
    await expect.poll(() => layoutOf('p')).toMatchObject({ inspectorTab: 'artifacts' });
  });

  it('[U45] suggests a real model first after a rehearsal', async () => {
    const view = { ...completed([]), model: { kind: 'rehearsal' as const } };
    const { rerender } = await render(<AfterCompletion projectId="p" active={view} />);
    const first = () =>
      page
        .getByRole('button')
        .elements()
        .filter(({ classList }) => classList.contains('bg-accent'));
    expect(first().map(({ textContent }) => textContent)).toEqual(['Connect a model']);
    await rerender(<AfterCompletion projectId="p" active={completed([])} />);
    expect(first().map(({ textContent }) => textContent)).toEqual(['Show files']);
  });

  it('[U45] names missing files, and does not claim completion', async () => {
    const visit = beginVisit('plan', 1, '2026-01-31T09:30:00.000Z');
    const left = { ...visit, outputsMissing: ['notes/plan.md', 'notes/list.md'] };
    const view = { ...completed(['notes/list.md']), visits: [left] };
    const { rerender } = await render(<AfterCompletion projectId="p" active={view} />);
    const missing = page.getByRole('list', { name: 'An expected file is missing.' });
    await expect.element(missing).toHaveTextContent(/^notes\/plan\.md$/);
    await expect.element(page.getByText('Done. Results are in your folder')).not.toBeInTheDocument();
    expect(await findIssues(missing.element())).toEqual([]);
    await rerender(<AfterCompletion projectId="p" active={{ ...view, visits: [left, visit] }} />);
    await expect.element(missing).not.toBeInTheDocument();
    await expect.element(page.getByText('Done. Results are in your folder')).toBeVisible();
  });

  it('[U45] shows no list if nothing was written', async () => {
    await render(<AfterCompletion projectId="p" active={completed([])} />);
    await expect.element(page.getByRole('button', { name: 'Show files' })).toBeVisible();
    await expect.element(page.getByRole('listitem')).not.toBeInTheDocument();
  });
});

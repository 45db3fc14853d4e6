import type { JournalEntry } from '@crewagent/protocol/journal';
import { beginVisit } from '@crewagent/protocol/story/node-visits';
import { createStory, type Story } from '@crewagent/protocol/story/story';
import type { ReactNode } from 'react';
import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { useAppearance } from '../state/appearance.ts';
import { changeLayout, layoutOf } from '../state/layout.ts';
import { useTeamServer } from '../state/team-server.ts';
import { findIssues } from '../testing/find-issues.ts';
import { type Answers, renderServed } from '../testing/served.tsx';
import ClosingCard from './closing-card.tsx';

function completed(artifacts: readonly string[]) {
  const view = createStory('run');
  return { ...view, phase: 'Completed' as const, state: { ...view.state, artifacts } };
}

function Card({ view, isAgain = false }: { readonly view: Readonly<Story>; readonly isAgain?: boolean }) {
  const onInspect = (inspectorTab: string): void => changeLayout('p', { inspectorTab });
  return <ClosingCard projectId="p" runs={new Map()} {...{ view, isAgain, onInspect }} />;
}

const DOCUMENT: Answers = {
  files: {
    read: async () => ({
      kind: 'text',
      isTooLarge: false,
      text: '---\nstatus: draft\n---\n# A plan\n\nFirst things first.',
    }),
  },
};

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

  it.each([
    ['view', undefined, []],
    ['view', 'mine', []],
    ['run', undefined, ['Start your own']],
    ['run', 'mine', ['Start with mine', 'Change settings', 'Start your own']],
  ] as const)(
    'of a team offers somebody with the role %s and the model %s: %j',
    async (role, model, offered) => {
      useTeamServer.setState({
        me: {
          person: {
            ...{ personId: 'b', email: 'ben@example.com', name: 'Ben', isAdmin: false, isDisabled: false },
            createdAt: '2026-01-01T00:00:00.000Z',
          },
          ...{ roles: { p: role }, hasPassword: true, passkeys: 0, absent: [] },
        },
      });
      await render(<Card view={rehearsed} />, served(model));
      await expect.element(page.getByRole('button', { name: 'Export' })).toBeVisible();
      const names = page
        .getByRole('button', { name: /^(Start|Connect|Change)/ })
        .elements()
        .map((button) => button.textContent);
      expect(names).toEqual(offered);
      expect(page.getByText('Connect a model to get real results.').elements()).toEqual([]);
    },
  );

  it('[U45] starts again with the model that is set up; the form is behind the settings', async () => {
    const created: unknown[] = [];
    const create = async ({ body }: { readonly body: unknown }) => {
      created.push(body);
      return { workId: 'w' };
    };
    await render(<Card view={rehearsed} />, {
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
    await render(<Card view={rehearsed} />, {
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

describe('the parts of the card', () => {
  it('[U36] arrive together, whichever answer comes last', async () => {
    const waiting: (() => void)[] = [];
    const later =
      <Value,>(value: Value) =>
      () =>
        new Promise<Value>((resolve) => void waiting.push(() => resolve(value)));
    await render(<Card view={completed(['plan.md'])} />, {
      works: { changes: () => ({ changes: [change(1, '@project/plan.md', 'created')] }) },
      files: { read: later(await DOCUMENT.files?.read?.()) },
      models: { list: later({ models: [] }) },
      settings: { show: async () => ({ settings: {}, environment: {} }) },
    });
    const card = page.getByRole('region', { name: 'Result' });
    await expect.poll(() => waiting.length).toBe(2);
    expect(card.query()).toBeNull();
    waiting.pop()?.();
    await Promise.resolve();
    expect(card.query()).toBeNull();
    waiting.pop()?.();
    await expect.element(card.getByText('First things first.')).toBeVisible();
    expect(card.getByText('Results (1)').query()).not.toBeNull();
  });
});

it('[U15] shows the main result as soon as it is in the project, which on a team server is after the run', async () => {
  let write = (): void => undefined;
  const written = new Promise<void>((resolve) => {
    write = resolve;
  });
  let isWritten = false;
  await render(<Card view={completed(['plan.md'])} />, {
    works: { changes: () => ({ changes: [change(1, '@project/artifacts/plan.md', 'created')] }) },
    files: {
      read: async () => (isWritten ? DOCUMENT.files?.read?.() : Promise.reject(new Error('not there'))),
      async *events() {
        await written;
        yield {
          data: {
            type: 'changes',
            changes: [{ path: '@project/artifacts', kind: 'created', isFolder: true }],
          },
        };
      },
    },
  });
  await expect.element(page.getByText('This file can’t be shown.')).toBeVisible();
  isWritten = true;
  write();
  await expect.element(page.getByText('First things first.')).toBeVisible();
});

describe('the files of a run', () => {
  const DIFF = '--- @project/plan.md\n+++ @project/plan.md\n@@ -1 +1 @@\n-old\n+new\n';

  it.each([
    [
      'en',
      'Your files (1)',
      'Results (2)',
      'Review: plan.md',
      'Undo: plan.md',
      'Undone',
      'Redo: plan.md',
      '1 of your files changed',
    ],
    [
      'zh-CN',
      '你的文件（1）',
      '成果（2）',
      '查看改动：plan.md',
      '撤销：plan.md',
      '已撤销',
      '重做：plan.md',
      '改动了你的 1 个文件',
    ],
  ] as const)(
    '[U45] are listed once each, with lines and undo, in %s',
    async (language, yours, results, review, undo, undone, redo, sentence) => {
      useAppearance.setState({ language });
      let isUndone = false;
      const asked: unknown[] = [];
      const journal = () => [
        change(1, '@project/artifacts/new.md', 'created'),
        change(2, '@project/artifacts/old.md', 'changed'),
        change(3, '@project/plan.md', 'changed', isUndone),
        change(4, '@project/plan.md', 'changed', isUndone),
        change(5, '@project/gone.md', 'created'),
        change(6, '@project/gone.md', 'deleted'),
      ];
      await render(<Card view={completed(['artifacts/new.md', 'artifacts/old.md'])} />, {
        ...DOCUMENT,
        works: {
          changes: async () => ({ changes: journal() }),
          fileDiff: async () => ({ diff: DIFF }),
          undo: async ({ body }: { body: unknown }) => {
            asked.push(body);
            isUndone = true;
            return { files: [{ path: '@project/plan.md', outcome: 'restored' }] };
          },
          redo: async ({ body }: { body: unknown }) => {
            asked.push(body);
            isUndone = false;
            return { files: [{ path: '@project/plan.md', outcome: 'restored' }] };
          },
        },
      });
      const card = page.getByRole('region', { name: /^(?:Result of the run|运行结果)$/ });
      await expect.element(card).toHaveTextContent(sentence);
      const own = page.getByRole('list', { name: yours });
      await expect.element(own).toHaveTextContent(/^plan\.md.*\+1 −1/);
      const names = () =>
        page
          .getByRole('list', { name: results })
          .getByRole('listitem')
          .elements()
          .map(({ textContent }) => /^[a-z]+\.md/.exec(textContent ?? '')?.[0]);
      expect(names()).toEqual(['old.md', 'new.md']);
      await page.getByRole('button', { name: review }).click();
      await expect.element(own.getByText('new', { exact: true })).toBeVisible();
      // Beside the diff, not in the row as well.
      await expect.poll(() => own.getByText('+1').elements().length).toBe(1);
      expect(await findIssues(card.element())).toEqual([]);
      (page.getByRole('button', { name: undo }).element() as HTMLElement).focus();
      await userEvent.keyboard('{Enter}');
      await expect.element(own.or(card).getByText(undone).first()).toBeVisible();
      expect(asked.splice(0)).toEqual([{ callId: 'c4' }, { callId: 'c3' }]);
      await expect.element(page.getByRole('button', { name: redo })).toHaveFocus();
      await userEvent.keyboard('{Enter}');
      await expect.element(page.getByRole('button', { name: undo })).toHaveFocus();
      expect(asked).toEqual([{ callId: 'c3' }, { callId: 'c4' }]);
      useAppearance.setState({ language: 'en' });
    },
  );

  it('[U45] stay where they are when the main result is undone', async () => {
    let isUndone = false;
    const names = () =>
      page
        .getByRole('list', { name: /^Results/ })
        .getByRole('listitem')
        .elements()
        .map(({ textContent }) => /^[a-z]+\.md/.exec(textContent ?? '')?.[0]);
    await render(<Card view={completed(['artifacts/notes.md', 'artifacts/summary.md'])} />, {
      ...DOCUMENT,
      works: {
        changes: async () => ({
          changes: [
            change(1, '@project/artifacts/notes.md', 'created'),
            change(2, '@project/artifacts/summary.md', 'created', isUndone),
          ],
        }),
        fileDiff: async () => ({ diff: DIFF }),
        undo: async () => {
          isUndone = true;
          return { files: [{ path: '@project/artifacts/summary.md', outcome: 'removed' }] };
        },
      },
    });
    await expect.poll(names).toEqual(['summary.md', 'notes.md']);
    await page.getByRole('button', { name: 'Undo: artifacts/summary.md' }).click();
    await expect.element(page.getByRole('article', { name: 'Result: notes.md' })).toBeVisible();
    expect(names()).toEqual(['summary.md', 'notes.md']);
  });

  it('[U45] that a called workflow wrote are compared in its own journal', async () => {
    const compared: unknown[] = [];
    const called = { ...change(1, '@project/artifacts/recipe.md', 'created'), runId: 'child' };
    await render(<Card view={completed(['artifacts/recipe.md'])} />, {
      ...DOCUMENT,
      works: {
        changes: async () => ({ changes: [called] }),
        fileDiff: async ({ workId }: { workId: string }) => {
          compared.push(workId);
          return { diff: DIFF };
        },
      },
    });
    await expect
      .element(page.getByRole('list', { name: 'Results (1)' }))
      .toHaveTextContent(/recipe\.md.*\+1/);
    expect(compared).toEqual(['child']);
  });

  it('[U45] open from the list; many are shown on demand', async () => {
    const paths = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => `notes/file-${number}.md`);
    await render(<Card view={completed(['@state/own.md', '@project/notes/file-7.md', ...paths])} />);
    const files = page.getByRole('list', { name: 'Results (8)' });
    await expect.poll(() => files.getByRole('listitem').elements()).toHaveLength(3);
    await page.getByRole('button', { name: 'Open: notes/file-8.md' }).click();
    await expect.poll(() => layoutOf('p')).toMatchObject({ activeFile: '@project/notes/file-8.md' });
    await page.getByRole('button', { name: 'and 5 more' }).click();
    await expect.poll(() => files.getByRole('listitem').elements()).toHaveLength(8);
  });
});

describe('the main result', () => {
  it('[U45] comes first, to be read', async () => {
    await render(<Card view={completed(['artifacts/plan.md'])} />, {
      ...DOCUMENT,
      works: { changes: async () => ({ changes: [change(1, '@project/artifacts/plan.md', 'created')] }) },
    });
    const card = page.getByRole('region', { name: 'Result of the run' });
    const result = card.getByRole('article', { name: 'Result: plan.md' });
    await expect.element(result.getByRole('heading', { name: 'A plan' })).toBeVisible();
    expect(card.element().firstElementChild).toBe(result.element());
    expect(await findIssues(result.element())).toEqual([]);
    await result.getByRole('button', { name: 'Open' }).click();
    await expect.poll(() => layoutOf('p')).toMatchObject({ activeFile: '@project/artifacts/plan.md' });
  });

  it('[U45] that cannot be read says so', async () => {
    await render(<Card view={completed(['artifacts/plan.md'])} />);
    await expect.element(page.getByText('This file can’t be shown.', { exact: false })).toBeVisible();
  });
});

describe('after a workflow', () => {
  it('shows one line if messages followed', async () => {
    await render(<Card view={completed(['a.md'])} isAgain />);
    await expect.element(page.getByText('Complete')).toBeVisible();
    await expect.element(page.getByRole('listitem')).not.toBeInTheDocument();
  });

  it('[U45] suggests a real model first after a rehearsal', async () => {
    const view = { ...completed([]), model: { kind: 'rehearsal' as const } };
    const { rerender } = await render(<Card view={view} />);
    const first = () =>
      page
        .getByRole('button')
        .elements()
        .filter(({ classList }) => classList.contains('bg-accent'));
    await expect.poll(() => first().map(({ textContent }) => textContent)).toEqual(['Connect a model']);
    await rerender(<Card view={completed([])} />);
    expect(first()).toEqual([]);
  });

  it('[U45] does not offer the files of a run that wrote none', async () => {
    const view = { ...completed([]), model: { kind: 'rehearsal' as const } };
    const { rerender } = await render(<Card view={view} />);
    await expect.element(page.getByText('ran for real, but without a model.')).toBeVisible();
    const show = page.getByRole('button', { name: 'Show files' });
    await expect.element(show).not.toBeInTheDocument();
    await rerender(<Card view={{ ...view, ...completed(['a.md']) }} />);
    await expect.element(show).toBeVisible();
  });

  it('[U45] names missing files, and does not claim completion', async () => {
    const visit = beginVisit('plan', 1, '2026-01-31T09:30:00.000Z');
    const left = { ...visit, outputsMissing: ['notes/plan.md', 'notes/list.md'] };
    const view = { ...completed(['notes/list.md']), visits: [left] };
    const { rerender } = await render(<Card view={view} />);
    const missing = page.getByRole('list', { name: 'An expected file is missing.' });
    await expect.element(missing).toHaveTextContent(/^notes\/plan\.md$/);
    await expect.element(page.getByText('The workflow ended without all of its files.')).toBeVisible();
    expect(await findIssues(missing.element())).toEqual([]);
    await rerender(<Card view={{ ...view, visits: [left, visit] }} />);
    await expect.element(missing).not.toBeInTheDocument();
    await expect.element(page.getByText(/^1 result in your folder\. You can undo/)).toBeVisible();
  });

  it('[U45] counts the time of the work, and apart from it how long it waited for the person', async () => {
    const visit = beginVisit('plan', 1, '2026-01-31T09:30:00.000Z');
    const figures = () =>
      page
        .getByRole('definition')
        .elements()
        .map(({ textContent }) => textContent);
    const spentMs = { ...visit.spentMs, model: 8_000, tools: 1_000, waiting: 600_000 };
    const { rerender } = await render(<Card view={{ ...completed([]), visits: [{ ...visit, spentMs }] }} />);
    await expect.element(page.getByText('Waited for you')).toBeVisible();
    expect(figures()).toEqual(expect.arrayContaining(['9s', '10m 0s']));
    const own = { ...visit, spentMs: { ...spentMs, waiting: 0 } };
    await rerender(<Card view={{ ...completed([]), visits: [own] }} />);
    await expect.element(page.getByText('Waited for you')).not.toBeInTheDocument();
    expect(figures()).toContain('9s');
  });

  it('[U45] shows no list if nothing was written', async () => {
    await render(<Card view={completed([])} />);
    await expect.element(page.getByRole('button', { name: 'Export' })).toBeVisible();
    await expect.element(page.getByRole('listitem')).not.toBeInTheDocument();
  });
});

import type { ListMessage, WorkSummary } from '@crewagent/protocol/api/work-messages';
import type { UndoneFile } from '@crewagent/protocol/journal';
import { foldStory } from '@crewagent/protocol/story/fold-story';
import { beforeEach, describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { createMessageQueue } from '../api/message-queue.ts';
import { WorkProvider } from '../api/work-context.tsx';
import { navigate } from '../navigation/router.ts';
import { nodeTitle } from '../run/shown-names.ts';
import { useAppearance } from '../state/appearance.ts';
import { findIssues } from '../testing/find-issues.ts';
import { eventful, RUN_ID, toLog } from '../testing/made-events.ts';
import { renderServed } from '../testing/served.tsx';
import { InboxSection } from './inbox-section.tsx';

const times = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' };
const cutOff = { phase: 'WaitingUser', reason: { code: 'interrupted', message: '' } } as const;
const run: WorkSummary = {
  workId: RUN_ID,
  projectId: 'p',
  kind: 'workflow',
  title: 'Plan a project',
  run: {
    package: { name: 'n', version: '1.0.0', hash: 'h' },
    workflow: { ref: 'w', title: 'Plan a project' },
    activeAgentId: 'a',
    model: { kind: 'rehearsal' },
  },
  ...cutOff,
  ...times,
};
const conversation: WorkSummary = {
  workId: 'c',
  projectId: 'p',
  title: 'A chat',
  kind: 'chat',
  ...cutOff,
  ...times,
};
const view = { ...foldStory(RUN_ID, toLog(RUN_ID, eventful)), pending: undefined };
const change = {
  changeId: 1,
  at: '2027-01-01T00:00:00.000Z',
  callId: 'c10',
  path: '@project/docs/plan.md',
  kind: 'changed',
  bytesBefore: 1,
  bytesAfter: 2,
  undone: false,
  undoable: true,
};

interface Served {
  readonly files?: readonly UndoneFile[];
  /** Why the run is idle. */
  readonly reason?: WorkSummary['reason'];
  /** Errors of successive resume requests; afterwards it succeeds. */
  readonly failures?: string[];
  readonly artifacts?: readonly string[];
}

/** A server for the inbox; a resumed run no longer waits. */
async function renderInbox(served: Served = {}) {
  const { files = [], failures = [], reason = cutOff.reason, artifacts = view.state.artifacts } = served;
  const work = createMessageQueue<ListMessage>();
  const asked: unknown[] = [];
  const data = { works: [{ ...run, reason }, conversation], damaged: [] };
  work.push({ type: 'snapshot', data });
  await renderServed(
    {
      system: { events: () => work.read() },
      projects: { list: () => Promise.resolve({ projects: [] }) },
      packages: { list: () => Promise.resolve({ packages: [], damaged: [] }) },
      works: {
        position: () =>
          Promise.resolve({
            position: {
              title: nodeTitle(view, view.state.currentNodeId),
              files: artifacts.length,
              canGoBack: true,
            },
          }),
        show: () => Promise.resolve({ view }),
        changes: () => Promise.resolve({ changes: [change] }),
        rewind: ({ body }: { readonly body: unknown }) => {
          asked.push(['rewind', body]);
          work.push({ type: 'work', data: { ...run, reason: { code: 'rewound', message: '' } } });
          return Promise.resolve({ files });
        },
        resume: () => {
          asked.push('resume');
          const failure = failures.shift();
          if (failure !== undefined) return Promise.reject(new Error(failure));
          work.push({ type: 'work', data: { ...run, phase: 'Running', reason: undefined } });
          return Promise.resolve({});
        },
        change: ({ body }: { readonly body: { readonly isArchived: boolean } }) => {
          if (!body.isArchived) return Promise.reject(new Error('The disk is full.'));
          work.push({ type: 'work', data: { ...conversation, archivedAt: times.createdAt } });
          return Promise.resolve(conversation);
        },
      },
    },
    <WorkProvider>
      <InboxSection />
    </WorkProvider>,
  );
  return asked;
}

async function choose(title: string, name: string): Promise<void> {
  await page.getByRole('button', { name: `More actions for ${title}` }).click();
  await page.getByRole('menuitem', { name }).click();
}

const NODE = 'step-03b-brownfield';
const dialog = () => page.getByRole('dialog');
const button = (name: string) => dialog().getByRole('button', { name, exact: true }).first();

describe('the inbox', () => {
  beforeEach(() => navigate({ name: 'start' }));

  it('[U243] counts what needs attention, and lists apart what a person stopped', async () => {
    await renderInbox({ reason: { code: 'stopped', message: '' } });
    await expect
      .element(page.getByRole('heading', { name: /^Needs attention/ }))
      .toHaveTextContent('Needs attention1');
    const urgent = page.getByRole('list', { name: 'Needs attention' });
    await expect.element(urgent).toHaveTextContent('A chat');
    expect(urgent.getByRole('listitem').elements()).toHaveLength(1);
    await expect
      .element(
        page
          .getByRole('list', { name: 'Stopped' })
          .getByRole('button', { name: 'Plan a project', exact: true }),
      )
      .toBeVisible();
  });

  it.each([
    ['en', [], /^Stopped at “.+”, no files written$/],
    ['en', ['artifacts/a.md'], /^Stopped at “.+”, 1 file written$/],
    ['zh-CN', [], /^停在“.+”，尚未写入文件$/],
    ['zh-CN', ['artifacts/a.md'], /^停在“.+”，已写入 1 个文件$/],
  ] as const)(
    '[U243] says where a run stopped and how much it wrote, in %s: %j',
    async (language, artifacts, said) => {
      useAppearance.setState({ language });
      await renderInbox({ artifacts });
      await expect.element(page.getByText(said)).toBeVisible();
      useAppearance.setState({ language: 'en' });
    },
  );

  it('[U66] shows the outcome of files after the entry is gone', async () => {
    const files: UndoneFile[] = [{ path: '@project/docs/plan.md', outcome: 'conflict' }];
    const asked = await renderInbox({ files });
    await choose('Plan a project', 'Redo this step');
    await dialog()
      .getByRole('radio', { name: /Undo changes to 1 file/ })
      .click();
    await button('Redo this step').click();
    await expect.element(dialog().getByText('Some files were not changed.')).toBeVisible();
    await expect
      .element(page.getByRole('button', { name: 'More actions for Plan a project' }))
      .not.toBeInTheDocument();
    await expect.element(dialog().getByText('docs/plan.md')).toBeVisible();
    expect(await findIssues()).toEqual([]);
    expect(asked).toEqual([['rewind', { nodeId: NODE, undoesFiles: true }], 'resume']);
    await dialog().getByText('Close', { exact: true }).last().click();
    await expect.element(dialog()).not.toBeInTheDocument();
    expect(location.pathname).toBe('/start');
  });

  it('[U66] reports that a repeated step did not resume, and retries only that', async () => {
    const files: UndoneFile[] = [{ path: '@project/docs/plan.md', outcome: 'conflict' }];
    const asked = await renderInbox({ files, failures: ['There is no model.', 'There is still none.'] });
    await choose('Plan a project', 'Redo this step');
    await button('Redo this step').click();
    await expect.element(dialog().getByText('There is no model.')).toBeVisible();
    await expect.element(dialog().getByText('Some files were not changed.')).toBeVisible();
    await button('Resume').click();
    await expect.element(dialog().getByText('There is still none.')).toBeVisible();
    expect(asked).toEqual([['rewind', { nodeId: NODE, undoesFiles: false }], 'resume', 'resume']);
    await dialog().getByText('Close', { exact: true }).last().click();
    await expect.element(dialog()).not.toBeInTheDocument();
    expect(location.pathname).toBe(`/p/p/w/${RUN_ID}`);
  });

  it('[U66] closes when the second attempt to resume succeeds', async () => {
    const asked = await renderInbox({ failures: ['There is no model.'] });
    await choose('Plan a project', 'Redo this step');
    await button('Redo this step').click();
    await button('Resume').click();
    await expect.element(dialog()).not.toBeInTheDocument();
    expect(asked.filter((call) => call !== 'resume')).toHaveLength(1);
    expect(location.pathname).toBe('/start');
  });

  it('[U40] contains an idle, incomplete workflow, with its position', async () => {
    await renderInbox({ reason: { code: 'reply', message: '' } });
    const item = page.getByRole('listitem').filter({ hasText: 'Plan a project' });
    await expect.element(item.getByText('At “Assess what exists”, needs your input')).toBeVisible();
    await expect.element(item.getByRole('button', { name: 'Open and answer' })).toBeVisible();
  });

  it('[U40] [U91] labels a stopped run as stopped, and resumes it', async () => {
    const asked = await renderInbox({ reason: { code: 'stopped', message: '' } });
    const item = page.getByRole('listitem').filter({ hasText: 'Plan a project' });
    await expect.element(item.getByText('Stopped', { exact: true })).toBeVisible();
    // After the title, which opens it.
    const [, first] = item.getByRole('button').elements();
    expect(first?.textContent).toBe('Resume');
    await item.getByRole('button', { name: 'Resume' }).click();
    await expect.element(item).not.toBeInTheDocument();
    expect(asked).toEqual(['resume']);
  });

  it('[U96] is one stop of the Tab key, with arrows between its works and their buttons', async () => {
    await renderInbox();
    const chat = page.getByRole('button', { name: 'A chat', exact: true });
    const plan = page.getByRole('button', { name: 'Plan a project', exact: true });
    await expect.element(plan).toBeVisible();
    const names = () => document.activeElement?.textContent || document.activeElement?.ariaLabel;
    await userEvent.tab();
    const first = names();
    await userEvent.keyboard('{ArrowDown}');
    await expect.poll(() => [first, names()].sort()).toEqual(['A chat', 'Plan a project']);
    await userEvent.keyboard('{Home}{ArrowRight}');
    await expect.poll(() => names()).toBe('Resume');
    await userEvent.keyboard('{ArrowRight}');
    await expect.poll(() => names()).toBe('Open');
    await userEvent.keyboard('{ArrowRight}');
    await expect.poll(() => names()).toMatch(/^Actions|^More/);
    await userEvent.keyboard('{ArrowLeft}{ArrowLeft}{ArrowLeft}');
    await expect.poll(() => names()).toBe(first);
    await userEvent.keyboard('{End}');
    await userEvent.tab();
    const list = page.getByRole('list', { name: 'Needs attention' }).element();
    await expect.poll(() => list.contains(document.activeElement)).toBe(false);
    await expect.element(chat).toBeVisible();
    expect(await findIssues(list)).toEqual([]);
  });

  it('reports what could not be restored', async () => {
    await renderInbox();
    await choose('A chat', 'Abandon');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.element(page.getByRole('alert')).toHaveTextContent('The disk is full.');
  });
});

import type { ResumePreview as Preview } from '@crewagent/protocol/api/file-use';
import type { StaleVisit } from '@crewagent/protocol/stale';
import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { setLanguage } from '../../i18n/i18n.ts';
import { findIssues } from '../../testing/find-issues.ts';
import { renderServed } from '../../testing/served.tsx';
import ResumePreview from './resume-preview.tsx';
import RightsLine from './rights-line.tsx';
import StaleBadge from './stale-badge.tsx';
import StaleLine from './stale-line.tsx';

const STEPS: StaleVisit[] = [
  {
    runId: 'r',
    nodes: ['plan'],
    visit: 1,
    seq: 1,
    reasons: [{ kind: 'changed', path: '@project/docs/prd.md' }],
    results: ['@project/artifacts/plan.md'],
  },
  {
    runId: 'r',
    nodes: ['story'],
    visit: 2,
    seq: 7,
    reasons: [
      { kind: 'depends', path: '@project/artifacts/plan.md', from: 0 },
      { kind: 'step', version: '2.0.0' },
    ],
    results: ['@project/artifacts/stories/1.md'],
  },
];

const showStale = (steps: StaleVisit[]) =>
  renderServed(
    { works: { stale: async () => ({ steps }) } },
    <main>
      <h1>Run</h1>
      <StaleLine workId="r" mark="1" titleOf={(id) => `The ${id}`} />
    </main>,
  );

const PREVIEW: Preview = {
  runId: 'r',
  nodeId: 'plan',
  title: 'The plan',
  isOpen: false,
  unknownCalls: [
    { callId: '1', name: 'fs.write', path: 'notes.md' },
    { callId: '2', name: 'fs.read', path: 'a.md', isRead: true },
  ],
  request: {
    tokens: 1234,
    contextTokens: 32_000,
    parts: [{ layer: 'rules', count: 1, tokens: 1000 }],
  },
  changed: [{ path: '@project/docs/\u202eprd.md', kind: 'removed', by: 'read' }],
};

describe('steps that are out of date', () => {
  it('[W24] are counted; the chain of reasons opens with the keyboard', async () => {
    await showStale(STEPS);
    const line = page.getByRole('button', { name: '2 steps are out of date' });
    await expect.element(line).toHaveAttribute('aria-expanded', 'false');
    (line.element() as HTMLElement).focus();
    await userEvent.keyboard('{Enter}');
    for (const text of [
      'docs/prd.md has changed since this step read it',
      'It read artifacts/plan.md, which step The plan wrote',
      'The story (2)',
      'Version 2.0.0 of the package has another text for this step',
      'Results: artifacts/stories/1.md',
    ])
      await expect.element(page.getByText(text)).toBeVisible();
    expect(await findIssues()).toEqual([]);
    await setLanguage('zh-CN');
    await expect.element(page.getByRole('button', { name: '2 个步骤已过期' })).toBeVisible();
    await setLanguage('en');
  });

  it('[W24] are run again after the plan was shown and confirmed, with the plan that was shown', async () => {
    const calls: unknown[] = [];
    await renderServed(
      {
        works: {
          stale: async () => ({ steps: STEPS }),
          planRerun: async () => ({
            id: 'p1',
            runId: 'r',
            first: { nodeId: 'plan', visit: 1 },
            steps: [
              {
                nodes: ['plan'],
                visit: 1,
                does: 'again',
                reasons: [{ kind: 'changed', path: '@project/docs/prd.md' }],
                results: [],
              },
              { nodes: ['style'], visit: 1, does: 'carried', reasons: [], results: [] },
              {
                nodes: ['story'],
                visit: 2,
                does: 'maybe',
                reasons: [{ kind: 'depends', path: '@project/artifacts/plan.md', from: ['plan'] }],
                results: ['@project/artifacts/story.md'],
              },
            ],
          }),
          rerun: async (request) => {
            calls.push(request);
            return {
              workId: 'new',
              projectId: 'p',
              folder: '/p',
              nodeId: 'plan',
              visit: 1,
              changed: [],
              lost: [],
            };
          },
          resume: async ({ workId }) => {
            calls.push(workId);
            return {};
          },
        },
      },
      <main>
        <h1>Run</h1>
        <StaleLine workId="r" mark="1" titleOf={(id) => `The ${id}`} />
      </main>,
    );
    await page.getByRole('button', { name: '2 steps are out of date' }).click();
    await page.getByRole('button', { name: 'Run again what is out of date' }).click();
    const dialog = page.getByRole('dialog');
    for (const text of [
      'runs again if what it reads is different then',
      'keeps its results',
      'The story (2)',
    ])
      await expect.element(dialog.getByText(text, { exact: true })).toBeVisible();
    expect(await findIssues()).toEqual([]);
    await dialog.getByRole('button', { name: 'Run again' }).click();
    await expect.poll(() => calls).toEqual([{ workId: 'r', body: { seen: 'p1' } }, 'new']);
    await expect.element(dialog).not.toBeInTheDocument();
  });

  it('[W24] nothing is shown if everything is up to date', async () => {
    const asked: string[] = [];
    await renderServed(
      {
        works: {
          stale: async () => {
            asked.push('stale');
            return { steps: [] };
          },
        },
      },
      <StaleLine workId="r" mark="1" titleOf={(id) => id} />,
    );
    await expect.poll(() => asked).toEqual(['stale']);
    await expect.element(page.getByRole('button')).not.toBeInTheDocument();
  });
});

describe('a badge', () => {
  it('[W24] marks the steps and the results that are out of date, and no others', async () => {
    await renderServed(
      { works: { stale: async () => ({ steps: STEPS }) } },
      <ul>
        {['plan', 'other'].map((nodeId) => (
          <li key={nodeId} aria-label={nodeId}>
            <StaleBadge workId="r" mark="1" of={{ nodeId }} />
          </li>
        ))}
        {['@project/artifacts/plan.md', '@project/docs/prd.md'].map((path) => (
          <li key={path} aria-label={path}>
            <StaleBadge workId="r" mark="1" of={{ path }} />
          </li>
        ))}
      </ul>,
    );
    await expect.element(page.getByText('Out of date').first()).toBeVisible();
    const marked = page.getByRole('listitem').filter({ hasText: 'Out of date' });
    expect(marked.elements().map((item) => item.getAttribute('aria-label'))).toEqual([
      'plan',
      '@project/artifacts/plan.md',
    ]);
  });
});

describe('what happens next', () => {
  it('[W22] is asked for when it is opened, and names cut off calls, the step, the request and changed files', async () => {
    const asked: string[] = [];
    await renderServed(
      {
        works: {
          resumePreview: async () => {
            asked.push('preview');
            return PREVIEW;
          },
        },
      },
      <main>
        <h1>Run</h1>
        <ResumePreview workId="r" mark="1" />
      </main>,
    );
    const line = page.getByRole('button', { name: 'What happens next' });
    await expect.element(line).toBeVisible();
    expect(asked).toEqual([]);
    (line.element() as HTMLElement).focus();
    await userEvent.keyboard(' ');
    for (const text of [
      'The run goes on at The plan.',
      'fs.write notes.md',
      'The next request has about 1,234 of 32,000 tokens.',
    ])
      await expect.element(page.getByText(text)).toBeVisible();
    await expect.element(page.getByText('(only reads)')).toBeVisible();
    await expect.element(page.getByText('(removed)')).toBeVisible();
    // A name cannot turn the text around.
    expect(document.body.textContent).not.toContain('\u202e');
    expect(await findIssues()).toEqual([]);
  });

  it('[W22] says that the run is complete, or what a person is asked first', async () => {
    const { nodeId: _, title: __, ...complete } = PREVIEW;
    const answers = [{ ...PREVIEW, pending: { kind: 'question' as const, texts: ['Which one?'] } }, complete];
    for (const [index, expected] of ['First you are asked: Which one?', 'The run is complete.'].entries()) {
      await renderServed(
        { works: { resumePreview: async () => answers[index] as Preview } },
        <ResumePreview workId={`r${index}`} mark="1" />,
      );
      await page.getByRole('button', { name: 'What happens next' }).last().click();
      await expect.element(page.getByText(expected)).toBeVisible();
    }
  });
});

describe('files that no step declares', () => {
  it('[W26] are named on request, and added to the folder of the package', async () => {
    const files = (['read', 'write'] as const).map((access) => ({
      ...{ workflowRef: 'w', nodeId: 'plan', access, path: `@project/${access}.md` },
    }));
    await renderServed(
      {
        works: {
          undeclared: async () => ({ files, folder: '/packages/mine' }),
          declare: async () => ({ folder: '/packages/mine', added: files, left: [] }),
        },
      },
      <main>
        <h1>Run</h1>
        <RightsLine workId="r" mark="1" titleOf={(id) => `The ${id}`} />
      </main>,
    );
    await page.getByRole('button', { name: '2 files were used that their steps do not declare' }).click();
    await expect.element(page.getByText('write.md')).toBeVisible();
    expect(await findIssues()).toEqual([]);
    await page.getByRole('button', { name: 'Add to the package' }).click();
    await expect.element(page.getByRole('status')).toHaveTextContent('2 files were added to /packages/mine.');
  });

  it('[W26] can only be named if the folder of the package is not known', async () => {
    const files = [{ workflowRef: 'w', nodeId: 'plan', access: 'read' as const, path: '@project/a.md' }];
    await renderServed(
      { works: { undeclared: async () => ({ files }) } },
      <RightsLine workId="r" mark="1" titleOf={(id) => id} />,
    );
    await page.getByRole('button', { name: '1 file was used that its step does not declare' }).click();
    await expect.element(page.getByText('was not installed from a folder')).toBeVisible();
    await expect.element(page.getByRole('button', { name: 'Add to the package' })).not.toBeInTheDocument();
  });
});

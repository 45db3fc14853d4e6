import { ApiError } from '@crewagent/protocol/api/client';
import type { ShownProject } from '@crewagent/protocol/api/projects';
import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { findIssues } from '../../testing/find-issues.ts';
import { renderServed } from '../../testing/served.tsx';
import NewConversation from './new-conversation.tsx';

const [FIRST, SECOND] = ['a'.repeat(64), 'b'.repeat(64)];
const PROJECT: ShownProject = {
  projectId: 'p',
  name: 'Larder',
  path: '/home/mira/larder',
  exists: true,
  approvals: [],
  createdAt: '2026-01-01T00:00:00.000Z',
  lastOpenedAt: '2026-01-01T00:00:00.000Z',
};
const node = (id: string, inputs: readonly string[], outputs: readonly string[]) => ({
  id,
  type: 'step',
  title: id,
  inputs,
  outputs,
  setsVariables: [],
});

/** Two packages with a workflow each, in a project with some documents. */
function serve(
  begin: (body: unknown) => unknown = () => ({ workId: 'c', mode: 'run', phase: 'Running' }),
  approval = 'ask',
) {
  const begun: unknown[] = [];
  const workflow = { ref: 'main', title: 'Plan a menu', nodes: 2 };
  const entry = (name: string, kind: 'file' | 'folder') => ({
    name,
    kind,
    isSecret: false,
    isIgnored: false,
  });
  const folders: Readonly<Record<string, readonly unknown[]>> = {
    '@project': [entry('docs', 'folder'), entry('notes.md', 'file')],
    '@project/docs': [entry('epics.md', 'file')],
  };
  const installed = (hash: string) => ({ hash, name: `kitchen-${hash[0]}`, version: '1.0.0' });
  const answers = {
    packages: {
      list: async () => ({ packages: [FIRST, SECOND].map(installed) }),
      show: async ({ hash }: { readonly hash: string }) => ({
        package: installed(hash),
        agents: [],
        workflows: [workflow],
        requiresNetwork: false,
      }),
      graph: async () => ({
        workflow,
        entryNodeId: 'one',
        nodes: [
          node('one', ['@project/docs/epics.md', 'docs/prd.md'], ['artifacts/plan.md']),
          node('two', ['artifacts/plan.md'], []),
        ],
        edges: [{ id: 'e', from: 'one', to: 'two', label: '' }],
      }),
    },
    files: {
      list: async ({ query }: { readonly query: { readonly path: string } }) => ({
        entries: folders[query.path] ?? [],
        isTruncated: false,
        total: 0,
        path: query.path,
      }),
      find: async ({ query }: { readonly query: { readonly text: string } }) => ({
        paths: ['docs/epics.md', 'notes.md']
          .filter((path) => path.includes(query.text))
          .map((path) => `@project/${path}`),
        isCut: false,
      }),
    },
    works: {
      create: async ({ body }: { readonly body: unknown }) => {
        begun.push(body);
        return begin(body);
      },
    },
    folders: { list: async () => ({ path: '/home', folders: [], roots: [], isCut: false }) },
    models: { list: async () => ({ models: [] }) },
    settings: {
      show: async () => ({
        settings: { tools: { approval, artifactsDir: 'results' }, limits: {} },
        environment: {},
      }),
    },
  };
  return { answers, begun };
}

async function show(
  served: ReturnType<typeof serve>,
  more: { readonly project?: ShownProject; readonly packageHash?: string } = {},
) {
  await renderServed(
    served.answers,
    <main className="fixed inset-0">
      <NewConversation projectId="p" project={PROJECT} {...more} />
    </main>,
  );
}

const start = () => page.getByRole('button', { name: 'Start workflow' });
const add = () => page.getByRole('combobox', { name: 'Add a document' });

function serveError(code: string) {
  return serve(() => {
    throw new ApiError(404, { code, message: 'It is not there.' });
  });
}

describe('starting a Work', () => {
  it.each([
    [1440, 900],
    [390, 664],
  ])('[U79] has a visible button at %i × %i', async (width, height) => {
    await page.viewport(width, height);
    await show(serve());
    await expect.element(page.getByText('Steps of “Plan a menu”')).toBeVisible();
    await expect.element(page.getByText('Missing', { exact: true })).toBeVisible();
    const { top, bottom } = start().element().getBoundingClientRect();
    expect(top).toBeGreaterThan(0);
    expect(bottom).toBeLessThanOrEqual(height);
    expect(document.elementFromPoint(width / 2, bottom - 2)?.closest('.sticky')).not.toBeNull();
    // Nothing stays hidden behind it.
    const field = page.getByRole('textbox', { name: 'Instructions' });
    await field.click();
    const gap = (): number =>
      start().element().getBoundingClientRect().top - field.element().getBoundingClientRect().bottom;
    await expect.poll(gap).toBeGreaterThanOrEqual(0);
    expect(await findIssues()).toEqual([]);
  });

  it('[U79] shows next to the button why it failed', async () => {
    await page.viewport(1440, 900);
    const message = 'The document "@project/docs/epics.md" is not there; put it there, or leave it out.';
    const served = serve(() => {
      throw new ApiError(404, { code: 'FILE_NOT_FOUND', message });
    });
    await show(served);
    await start().click();
    await expect.element(page.getByRole('alert').getByText(message)).toBeInViewport();
  });

  it('[U79] preselects the package from the route, and its workflow', async () => {
    await page.viewport(1440, 900);
    const served = serve();
    await show(served, { packageHash: SECOND });
    await expect.element(page.getByRole('radio', { name: /Kitchen b/ })).toBeChecked();
    await start().click();
    await expect
      .poll(() => served.begun)
      .toMatchObject([{ kind: 'workflow', packageHash: SECOND, workflow: 'main' }]);
    await expect.poll(() => location.pathname).toBe('/p/p/w/c');
  });

  it('has its options after what is chosen, and shows a plain sequence as a list', async () => {
    await show(serve(), { packageHash: SECOND });
    const steps = page.getByRole('figure').getByRole('listitem');
    await expect.element(steps.first()).toHaveTextContent('one');
    const choice = page.getByRole('radiogroup', { name: 'Workflows' }).element();
    const options = page.getByRole('button', { name: /^Options/ }).element();
    expect(choice.compareDocumentPosition(options) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
  });

  it('[U79] tells which documents are needed and there, and hands over those that are chosen', async () => {
    await page.viewport(1440, 900);
    const served = serve();
    await show(served);
    const needed = page
      .getByRole('list', { name: 'Files the steps read from the project' })
      .getByRole('listitem');
    await expect
      .poll(() => needed.elements().map(({ textContent }) => textContent))
      .toEqual(['docs/epics.mdFound', 'docs/prd.mdMissing']);

    await userEvent.type(add(), 'doc');
    await expect.element(page.getByRole('option', { name: 'docs/', exact: true })).toBeVisible();
    // Enter opens a folder and chooses a file.
    await userEvent.keyboard('{Enter}');
    await expect.element(add()).toHaveValue('docs/');
    await expect.element(page.getByRole('option', { name: 'docs/epics.md' })).toBeVisible();
    await userEvent.keyboard('{Enter}');
    await userEvent.type(add(), 'notes');
    await page.getByRole('option', { name: 'notes.md' }).click();
    const given = page.getByRole('list', { name: 'Documents to include' }).getByRole('listitem');
    await expect
      .poll(() => given.elements().map(({ textContent }) => textContent))
      .toEqual(['docs/epics.md', 'notes.md']);
    expect(await findIssues()).toEqual([]);
    await page.getByRole('button', { name: 'Remove notes.md' }).click();

    await userEvent.type(add(), 'nothing like it{Enter}');
    await expect.element(page.getByText('No matching file in the project.')).toBeVisible();
    await start().click();
    await expect.poll(() => served.begun).toMatchObject([{ documents: ['@project/docs/epics.md'] }]);
  });

  it('[U79] asks what the workflow wants to know once, and stores the answers before it starts', async () => {
    await page.viewport(1440, 900);
    const served = serve();
    const stored: unknown[] = [];
    const question = { type: 'text', scope: 'project', packages: ['kitchen-a'] };
    const inputs = [
      {
        ...question,
        name: 'home',
        prompt: 'Where do menus go?',
        type: 'path',
        value: 'menus',
        source: 'default',
      },
      { ...question, name: 'guests', prompt: 'Who eats?', scope: 'person', source: 'none' },
      { ...question, name: 'spicy', prompt: 'Spicy?', type: 'confirm', value: true, source: 'answer' },
    ];
    const settings = {
      ...served.answers.settings,
      inputs: async () => ({ inputs }),
      update: async ({ body }: { readonly body: unknown }) => {
        stored.push(body);
        return {};
      },
    };
    await show({ ...served, answers: { ...served.answers, settings } as typeof served.answers });
    await expect.element(page.getByRole('group', { name: 'Questions from workflows' })).toBeVisible();
    await expect.element(page.getByText('Spicy?')).not.toBeInTheDocument();
    await expect.element(start()).toBeDisabled();
    await page.getByRole('button', { name: '1 question to answer' }).click();
    await userEvent.fill(page.getByRole('textbox', { name: 'Who eats?' }), 'Four of us');
    await userEvent.fill(page.getByRole('textbox', { name: 'Where do menus go?' }), '../out');
    await expect.element(page.getByText(/Enter a path inside the project/)).toBeVisible();
    expect(await findIssues()).toEqual([]);
    await userEvent.fill(page.getByRole('textbox', { name: 'Where do menus go?' }), 'menus/2026');
    await start().click();
    await expect.poll(() => served.begun).toHaveLength(1);
    expect(stored).toEqual([
      { inputs: { person: { guests: 'Four of us' }, projects: { p: { home: 'menus/2026' } } } },
    ]);
  });

  it('tells beside the button what is missing, and leads to it', async () => {
    await page.viewport(1440, 600);
    await show(serve());
    const documents = page.getByRole('group', { name: 'Documents' });
    await page.getByRole('button', { name: '1 document missing' }).click();
    await expect.element(documents).toHaveFocus();
    await expect.element(page.getByText('Missing', { exact: true })).toBeInViewport();
    const { bottom } = documents.element().getBoundingClientRect();
    expect(bottom).toBeLessThan(page.getByRole('figure').element().getBoundingClientRect().top);
    expect(await findIssues()).toEqual([]);
  });

  it('[U79] says what is written without approval, and where', async () => {
    await page.viewport(1440, 900);
    await show(serve());
    await page.getByRole('button', { name: /^Options/ }).click();
    await expect.element(page.getByText('Writes to results/ without asking')).toBeVisible();
  });

  it('[U79] requires another choice for a workflow that could only read', async () => {
    await page.viewport(1440, 900);
    const served = serve(undefined, 'read-only');
    await show(served);
    await expect.element(start()).toBeDisabled();
    await page.getByRole('button', { name: 'Choose permissions' }).click();
    await expect.element(page.getByRole('radio', { name: /^Read only/ })).toBeDisabled();
    await expect.element(page.getByRole('radio', { name: /^Read only/ })).not.toBeChecked();
    await expect.element(page.getByText('Not available for workflows, which need to write.')).toBeVisible();
    expect(await findIssues()).toEqual([]);
    await page.getByRole('radio', { name: /^Ask first/ }).click();
    await start().click();
    await expect.poll(() => served.begun).toMatchObject([{ approval: 'ask' }]);
  });

  it('[U79] lets a chat be read-only', async () => {
    await page.viewport(1440, 900);
    const served = serve(undefined, 'read-only');
    await show(served);
    await page.getByText('Chat', { exact: true }).click();
    await page.getByRole('button', { name: /^Options/ }).click();
    await expect.element(page.getByRole('radio', { name: /^Read only/ })).toBeChecked();
    await page.getByRole('button', { name: 'Start chat' }).click();
    await expect.poll(() => served.begun).toMatchObject([{ kind: 'chat' }]);
  });

  it('[U83] is not offered if the folder is gone, which can be located again', async () => {
    await page.viewport(1440, 900);
    await show(serve(), { project: { ...PROJECT, exists: false } });
    await expect.element(page.getByText('Folder not found')).toBeVisible();
    await expect.element(start()).not.toBeInTheDocument();
    await page.getByRole('button', { name: 'Locate folder' }).click();
    await expect.element(page.getByRole('dialog', { name: 'Where is the folder now?' })).toBeVisible();
  });

  it('[U83] offers to locate the folder if it disappeared meanwhile', async () => {
    await page.viewport(1440, 900);
    await show(serveError('FOLDER_NOT_FOUND'));
    await start().click();
    await page.getByRole('alert').getByRole('button', { name: 'Locate folder' }).click();
    await expect.element(page.getByRole('dialog', { name: 'Where is the folder now?' })).toBeVisible();
  });

  it('[U83] says that the project was removed if it was forgotten meanwhile', async () => {
    await page.viewport(1440, 900);
    await show(serveError('PROJECT_NOT_FOUND'));
    await start().click();
    await expect.element(page.getByRole('alert')).toHaveTextContent('Project not found.');
    await expect.element(page.getByRole('button', { name: 'Locate folder' })).not.toBeInTheDocument();
  });
});

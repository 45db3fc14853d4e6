import { ApiError } from '@crewagent/protocol/api/api-error';
import type { AuthorEdit, AuthorModel } from '@crewagent/protocol/author';
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { setLanguage } from '../i18n/i18n.ts';
import { findIssues } from '../testing/find-issues.ts';
import { renderServed } from '../testing/served.tsx';
import AuthorScreen from './author-screen.tsx';

const HASH = 'a'.repeat(64);
const node = (id: string, title: string, step?: Record<string, unknown>) => ({
  ...{
    id,
    title,
    type: 'step' as const,
    file: `steps/${id}.md`,
    inputs: [],
    outputs: [],
    setsVariables: ['topic'],
  },
  ...(step ? { step } : {}),
});
const MODEL: AuthorModel = {
  ...{
    name: 'garden',
    version: '1.0.0',
    isMethod: false,
    agentsFile: 'agents.json',
    tools: ['fs.read'],
    canUndo: true,
    canRedo: false,
  },
  agents: [
    {
      id: 'ann',
      value: {
        id: 'ann',
        metadata: { name: 'Ann', title: 'Gardener', icon: '*' },
        persona: { principles: ['Care'] },
        menu: [
          { trigger: 'a', description: 'A', cmd: 'x' },
          { trigger: 'b', description: 'B' },
        ],
      },
    },
  ],
  workflows: [
    {
      ...{
        graph: 'workflow.graph.json',
        document: 'workflow.md',
        title: 'Garden',
        entryNodeId: 'one',
        variables: [],
      },
      nodes: [
        node('one', 'Dig', {
          waits: { for: 'choice', options: ['A'] },
          produces: [{ path: 'x.md', contains: ['y'] }],
        }),
        node('two', 'Plant'),
      ],
      edges: [{ from: 'one', to: 'two', label: 'next', isDefault: false, conditionExpr: { '+': [1, 2] } }],
    },
  ],
  files: [{ path: 'steps/one.md', sha256: HASH, isText: true }],
  findings: [
    {
      severity: 'warning',
      code: 'NODE_UNREACHABLE',
      file: 'workflow.graph.json',
      pointer: '/nodes/1',
      line: 3,
      message: 'no way',
      fix: 'Add one.',
    },
  ],
};

const NO_EVENTS: AsyncIterable<never> = {
  [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: true, value: undefined }) }),
};

async function open(refuses = 0, model = MODEL) {
  const edits: AuthorEdit[] = [];
  const prompts: { readonly unsaved: object; readonly variables: object; readonly nodeId?: string }[] = [];
  let left = refuses;
  await renderServed(
    {
      authoring: {
        open: () => Promise.resolve({ folderId: 'f', path: '/tmp/garden', model }),
        show: () => Promise.resolve(model),
        read: () => Promise.resolve({ text: '# Dig\n', sha256: HASH }),
        events: () => NO_EVENTS,
        edit: ({ body }: { readonly body: { readonly edit: AuthorEdit } }) => {
          edits.push(body.edit);
          if (left-- > 0)
            return Promise.reject(new ApiError(412, { code: 'FILE_CONFLICT', message: 'changed' }));
          return Promise.resolve(model);
        },
        prompt: ({ body }: { readonly body: (typeof prompts)[number] }) => {
          prompts.push(body);
          return Promise.resolve({
            ...{ workflow: 'garden', title: 'Dig', agentId: 'ann', contextTokens: 1_000, tokens: 20 },
            nodeId: body.nodeId ?? '',
            parts: [{ layer: 'anchor', text: 'Dig a hole.', tokens: 20 }],
          });
        },
      },
    },
    <main style={{ height: 700 }}>
      <AuthorScreen folder="/tmp/garden" />
    </main>,
  );
  const view = page.getByRole('combobox', { name: 'View' });
  if (innerWidth < 768) await expect.element(view).toHaveValue('list');
  else await view.selectOptions('list');
  return { edits, prompts };
}

it('has the title of its workflow, and on a phone begins with the list', async () => {
  await page.viewport(390, 800);
  await open();
  await expect.element(page.getByRole('heading', { level: 1, name: 'Garden', exact: true })).toBeVisible();
  await expect.element(page.getByText('garden 1.0.0')).toBeVisible();
  await page.viewport(1280, 800);
});

it('changes a node through its form, and keeps what the form does not show', async () => {
  const { edits } = await open();
  await page.getByRole('button', { name: /^Dig/ }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Dig deep');
  await userEvent.keyboard('{Enter}');
  await page.getByRole('textbox', { name: 'Words at least' }).fill('20');
  await userEvent.tab();
  await page.getByRole('textbox', { name: 'Options' }).fill('A\nB\n');
  await userEvent.tab();
  await page.getByRole('combobox', { name: 'Waits for a person' }).selectOptions('approval');
  await page.getByRole('combobox', { name: 'Agent' }).selectOptions('ann');
  const at = { graph: 'workflow.graph.json', nodeId: 'one' };
  await expect
    .poll(() => edits)
    .toEqual([
      { kind: 'setNode', ...at, fields: { title: 'Dig deep' } },
      { kind: 'setStep', ...at, keys: { produces: [{ path: 'x.md', contains: ['y'], minWords: 20 }] } },
      { kind: 'setStep', ...at, keys: { waits: { for: 'choice', options: ['A', 'B'] } } },
      { kind: 'setStep', ...at, keys: { waits: { for: 'approval' } } },
      { kind: 'setNode', ...at, fields: { agentId: 'ann' } },
    ]);
  expect(await findIssues()).toEqual([]);
});

it('chooses the workflow that a node calls, and draws a package in which nothing runs', async () => {
  const [garden, ...none] = MODEL.workflows;
  if (!garden || none.length > 0) throw new Error('the model has one workflow');
  const call = { ...node('call', 'Water', { subworkflow: 'old.md' }), type: 'subworkflow' as const };
  const pond = { graph: 'sub/pond/workflow.graph.json', document: 'sub/pond/workflow.md', title: 'Pond' };
  const workflows = [
    { ...garden, nodes: [...garden.nodes, call] },
    { ...garden, ...pond },
  ];
  const { edits } = await open(0, { ...MODEL, workflows });
  await page.getByRole('button', { name: /^Water/ }).click();
  const calls = page.getByRole('combobox', { name: 'Calls the workflow' });
  await expect.element(calls).toHaveValue('old.md');
  await calls.selectOptions('Pond');
  const keys = { subworkflow: './sub/pond/workflow.md' };
  await expect
    .poll(() => edits)
    .toEqual([{ kind: 'setStep', graph: 'workflow.graph.json', nodeId: 'call', keys }]);
  await page.getByRole('button', { name: /^Dig/ }).click();
  await expect.element(calls).not.toBeInTheDocument();
  await page.getByRole('button', { name: 'Add a step' }).click();
  await expect.element(page.getByRole('textbox', { name: /Label of the edge/ })).toHaveValue('branch-2');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('combobox', { name: 'View' }).selectOptions('graph');
  await expect.element(page.getByRole('group', { name: 'Dig, starts here', exact: true })).toBeVisible();
  await expect.element(page.getByRole('group', { name: 'Plant', exact: true })).toBeVisible();
  await expect
    .element(page.getByLabelText('Edge from “Dig” to “Plant”', { exact: true }))
    .toBeInTheDocument();
});

it('works with the keyboard alone', async () => {
  const { edits } = await open();
  await page.getByRole('button', { name: /^Dig/ }).click();
  await userEvent.keyboard('{ArrowDown}{Enter}');
  await expect.element(page.getByRole('heading', { name: 'Edge from "Dig"' })).toBeVisible();
  // A condition that does not fit the rows is shown as JSON.
  await expect
    .element(page.getByRole('textbox', { name: 'JSONLogic' }))
    .toHaveValue('{\n  "+": [\n    1,\n    2\n  ]\n}');
  await userEvent.keyboard('{Delete}');
  await page.getByRole('button', { name: /^Plant/ }).click();
  await userEvent.keyboard('d');
  await expect.poll(() => edits.length).toBe(2);
  await page.getByRole('button', { name: /^Plant/ }).click();
  await userEvent.keyboard('{F2}');
  await page.getByRole('textbox', { name: 'Id' }).fill('plant it');
  await expect.element(page.getByRole('button', { name: 'Rename' }).last()).toBeDisabled();
  await page.getByRole('textbox', { name: 'Id' }).fill('plant');
  await userEvent.keyboard('{Enter}');
  await expect
    .poll(() => edits.map(({ kind }) => kind))
    .toEqual(['disconnect', 'duplicateNode', 'renameNode']);
});

it('shows what the model is sent while a text is typed, with variables', async () => {
  const { prompts } = await open();
  await page.getByRole('button', { name: /^Dig/ }).click();
  await page.getByRole('tab', { name: 'Text' }).click();
  await page.getByRole('button', { name: 'What the model is sent at "Dig"' }).click();
  await expect.element(page.getByText('20 of 1K tokens (2%)')).toBeVisible();
  await page.getByRole('textbox', { name: 'Text of steps/one.md' }).click();
  await userEvent.keyboard('{Control>}{Home}{/Control}Now: ');
  await expect.poll(() => prompts.at(-1)?.unsaved).toEqual({ 'steps/one.md': 'Now: # Dig\n' });
  await page.getByRole('textbox', { name: 'With these variables' }).fill('topic = Beds\nno pair\nempty=');
  await userEvent.tab();
  await expect.poll(() => prompts.at(-1)?.variables).toEqual({ topic: 'Beds', empty: '' });
  expect(await findIssues()).toEqual([]);
});

it('shows a method as a graph that is changed in its text', async () => {
  const file = { path: 'method.md', sha256: HASH, isText: true };
  await open(0, { ...MODEL, isMethod: true, files: [file], findings: [] });
  await expect.element(page.getByRole('textbox', { name: 'Text of method.md' })).toBeVisible();
  expect(page.getByRole('tab', { name: 'Agents' }).elements()).toEqual([]);
  expect(page.getByRole('button', { name: 'Add a step' }).elements()).toEqual([]);
  await page.getByRole('tab', { name: 'Details' }).click();
  await page.getByRole('button', { name: /^Dig/ }).click();
  await expect.element(page.getByRole('definition').getByText('next → Plant')).toBeVisible();
  await userEvent.keyboard('{Delete}');
  await expect.element(page.getByRole('definition').getByText('next → Plant')).toBeVisible();
  expect(page.getByRole('alertdialog').elements()).toEqual([]);
  await page.getByRole('button', { name: 'Open the text' }).click();
  await expect.element(page.getByRole('textbox', { name: 'Text of method.md' })).toBeVisible();
  expect(await findIssues()).toEqual([]);
});

it('asks when a file changed outside, in Chinese too', async () => {
  const { edits } = await open(1);
  await page.getByRole('button', { name: /^Dig/ }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Dig deep');
  await userEvent.tab();
  await expect
    .element(page.getByRole('alertdialog', { name: 'The package was changed outside' }))
    .toBeVisible();
  expect(await findIssues()).toEqual([]);
  await setLanguage('zh-CN');
  await page.getByRole('button', { name: '应用我的修改' }).click();
  await expect.poll(() => edits.length).toBe(2);
  expect(edits[1]).toEqual(edits[0]);
});

it('orders and changes the menu of an agent, and goes from a finding to its step', async () => {
  const { edits } = await open();
  await page.getByRole('tab', { name: 'Agents' }).click();
  await page.getByRole('button', { name: 'Move down' }).first().click();
  const item = page.getByRole('group', { name: 'Item 1' });
  await item.getByRole('textbox', { name: 'Description' }).fill('New');
  await userEvent.tab();
  await expect
    .poll(() => edits)
    .toEqual([
      {
        kind: 'setAgent',
        agentId: 'ann',
        fields: {
          menu: [
            { trigger: 'b', description: 'B' },
            { trigger: 'a', description: 'A', cmd: 'x' },
          ],
        },
      },
      {
        kind: 'setAgent',
        agentId: 'ann',
        fields: {
          menu: [
            { trigger: 'a', description: 'New', cmd: 'x' },
            { trigger: 'b', description: 'B' },
          ],
        },
      },
    ]);
  expect(await findIssues()).toEqual([]);
  await page.getByRole('tab', { name: 'Check (1)' }).click();
  await page.getByRole('button', { name: 'workflow.graph.json:3' }).click();
  await expect.element(page.getByRole('textbox', { name: 'Title' })).toHaveValue('Plant');
});

import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { findIssues } from '../testing/find-issues.ts';
import { renderServed } from '../testing/served.tsx';
import { InputsPart } from './inputs-part.tsx';
import { FieldsSection } from './settings-part.tsx';

const question = { scope: 'project', packages: ['kitchen'] };
const INPUTS = [
  {
    ...question,
    name: 'home',
    prompt: 'Where do menus go?',
    type: 'path',
    value: 'menus',
    source: 'default',
  },
  {
    ...question,
    name: 'level',
    prompt: 'How well do you cook?',
    type: 'choice',
    scope: 'person',
    choices: [
      { value: 'new', label: 'Learning' },
      { value: 'old', label: 'Well' },
    ],
    value: 'new',
    source: 'default',
  },
  { ...question, name: 'user_name', prompt: 'Who are you?', type: 'text', value: 'Mira', source: 'known' },
];

describe('answers to questions of workflows', () => {
  it('[U87] are shown with the settings of the person and changed there, for one project at a time', async () => {
    await page.viewport(1440, 900);
    const changes: unknown[] = [];
    const shown = { settings: {}, decided: {}, defaults: {}, environment: { hasKey: false } };
    await renderServed(
      {
        settings: {
          show: async () => shown,
          inputs: async () => ({ inputs: INPUTS }),
          update: async ({ body }: { readonly body: unknown }) => {
            changes.push(body);
            return shown;
          },
        },
        projects: { list: async () => ({ projects: [{ projectId: 'p', name: 'Larder' }] }) },
      },
      <main>
        <h1>Settings</h1>
        <FieldsSection section="person">
          <InputsPart />
        </FieldsSection>
      </main>,
    );
    await expect.element(page.getByRole('region', { name: 'Questions from workflows' })).toBeVisible();
    await expect.element(page.getByText('Who are you?')).not.toBeInTheDocument();
    await userEvent.selectOptions(page.getByRole('combobox', { name: 'How well do you cook?' }), 'old');
    const home = page.getByRole('textbox', { name: 'Where do menus go?' });
    await expect.element(home).toHaveAttribute('placeholder', 'menus');
    await userEvent.fill(home, '/etc');
    await userEvent.tab();
    await expect.element(page.getByText(/Enter a path inside the project/)).toBeVisible();
    await userEvent.fill(home, 'docs/menus');
    await userEvent.tab();
    await expect
      .poll(() => changes)
      .toEqual([
        { inputs: { person: { level: 'old' } } },
        { inputs: { projects: { p: { home: 'docs/menus' } } } },
      ]);
    expect(await findIssues()).toEqual([]);
  });
});

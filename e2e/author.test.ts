/** A package is made, changed, checked and found right on disk, all on the page. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tempFolder } from '../packages/core/src/testing/temp-folder.ts';
import { checkBothThemes } from './check-both-themes.ts';
import { hasChromium, startWholePage, type WholePage } from './whole-page.ts';

describe.skipIf(!hasChromium)('the editor of packages', () => {
  let whole: WholePage;

  beforeEach(async () => {
    whole = await startWholePage();
  }, 120_000);

  afterEach(async () => {
    const { complaints } = whole;
    await whole.close();
    // The browser reports the edit that was refused because the file had changed.
    expect(complaints.filter((text) => !text.includes('412 (Precondition Failed)'))).toEqual([]);
  });

  it('makes a package with a branch and a loop, checks it, and keeps what another program writes', async () => {
    const parent = await tempFolder();
    const folder = join(parent, 'my-package');
    const textOf = (file: string): Promise<string> => readFile(join(folder, file), 'utf8');
    const page = await whole.open({ path: '/packages' });
    await page.getByRole('button', { name: 'New package…' }).click();
    await page.getByRole('textbox', { name: 'Location' }).fill(parent);
    await page.getByRole('button', { name: 'Create here' }).click();

    // A decision after the first step, with a way back and a way on.
    const node = (name: string) => page.locator('.react-flow__node').filter({ hasText: name });
    await node('Ask for the topic').waitFor();
    await page.reload();
    await node('Ask for the topic').click();
    await page.keyboard.press('n');
    const add = page.getByRole('dialog', { name: 'Add a step' });
    await add.getByRole('textbox', { name: 'Title' }).fill('Enough known?');
    await add.getByRole('combobox', { name: 'Type' }).selectOption('decision');
    await add.getByRole('button', { name: 'Add' }).click();
    await node('Enough known?').waitFor();
    const connect = async (to: string, label: string): Promise<void> => {
      await page.getByRole('button', { name: 'Connect', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Connect "Enough known?"' });
      await dialog.getByRole('combobox', { name: 'Leads to' }).selectOption({ label: to });
      await dialog.getByRole('textbox', { name: 'Label' }).fill(label);
      await dialog.getByRole('button', { name: 'Connect' }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await connect('Ask for the topic', 'again');
    await connect('Write the note', 'enough');
    await expect.poll(() => page.locator('.react-flow__edge').count()).toBe(4);

    // An edge that is drawn with the mouse asks for its label, too.
    const handle = (name: string, kind: string) => node(name).locator(`.react-flow__handle.${kind}`);
    await handle('Write the note', 'source').dragTo(handle('Ask for the topic', 'target'));
    const drawn = page.getByRole('dialog', { name: 'Connect "Write the note"' });
    expect(await drawn.getByRole('combobox', { name: 'Leads to' }).inputValue()).toBe('step-01-ask');
    await drawn.getByRole('button', { name: 'Cancel' }).click();

    // The condition of the way on, and the default.
    await page.getByRole('button', { name: 'again → Ask for the topic' }).click();
    await page.getByRole('switch', { name: 'Taken by default' }).click();
    await page.getByRole('combobox', { name: 'View' }).selectOption('list');
    await page.getByRole('list', { name: 'Steps and edges' }).getByText('enough → Write the note').click();
    await page.getByRole('button', { name: 'Add a row' }).click();
    await page.getByRole('combobox', { name: 'Variable' }).fill('topic');
    await page.getByRole('combobox', { name: 'Operator' }).selectOption({ label: 'is set' });
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Condition in words' }).inputValue())
      .toBe('variables.topic');
    await checkBothThemes(page);
    const graph = JSON.parse(await textOf('workflow.graph.json')) as { edges: unknown[] };
    expect(graph.edges.slice(1)).toEqual([
      { from: 'step-01-ask', to: 'enough-known', label: 'branch-2' },
      { from: 'enough-known', to: 'step-01-ask', label: 'again', isDefault: true },
      {
        ...{ from: 'enough-known', to: 'end-02-write', label: 'enough' },
        conditionExpr: { '!!': [{ var: 'variables.topic' }] },
        conditionText: 'variables.topic',
      },
    ]);

    // A text that is typed while another program changes another line of it.
    const step = 'steps/end-02-write.md';
    const before = await textOf(step);
    await page
      .getByRole('list', { name: 'Steps and edges' })
      .getByText('Write the note', { exact: true })
      .click();
    await page.getByRole('tab', { name: 'Text' }).click();
    const editor = page.getByRole('textbox', { name: `Text of ${step}` });
    await editor.focus();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.type('Use fs.wri');
    // The editor ignores Enter for a moment after suggestions appear.
    await page.getByRole('option', { name: 'fs.write' }).click();
    await writeFile(join(folder, step), before.replace('minWords: 20', 'minWords: 25'));
    await page.getByText('The file changed meanwhile').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await textOf(step)).toBe(`${before.replace('minWords: 20', 'minWords: 25')}Use fs.write`);

    // An agent, then everything is checked.
    await page.getByRole('tab', { name: 'Agents' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Ada');
    await page.getByRole('button', { name: 'Add an item' }).click();
    await page.getByRole('group', { name: 'Item 1' }).last().waitFor();
    await expect.poll(() => textOf('agents.json')).toContain('"name": "Ada"');
    await checkBothThemes(page);
    await page.getByRole('tab', { name: /Check/ }).click();
    await page.getByRole('button', { name: 'Rehearse' }).click();
    await page.getByText('3/3').waitFor();
    await page.getByText('The package has no tests.').waitFor();
    await mkdir(join(folder, 'tests'));
    await writeFile(join(folder, 'tests/whole-way.yaml'), 'model: rehearsal\n');
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByText('1 test passed.').waitFor();
    await checkBothThemes(page);

    // Deleted with its file, and back.
    await page.getByRole('combobox', { name: 'View' }).selectOption('graph');
    await node('Enough known?').click();
    await page.keyboard.press('Delete');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await node('Enough known?').waitFor({ state: 'detached' });
    await expect(textOf('steps/enough-known.md')).rejects.toThrow();
    await page.getByRole('button', { name: 'Undo' }).click();
    await node('Enough known?').waitFor();
    expect(await textOf('steps/enough-known.md')).toContain('# Enough known?');
    await page.setViewportSize({ width: 1024, height: 700 });
    await checkBothThemes(page);
  });
});

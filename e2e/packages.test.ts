import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeTree } from '../packages/core/src/testing/file-tree.ts';
import { zipOf } from '../packages/core/src/testing/packages/raw-zip.ts';
import { checkBothThemes } from './check-both-themes.ts';
import { findIssues, hasChromium, ROOT, startWholePage, type WholePage } from './whole-page.ts';

const HELLO_BRANCH = join(ROOT, 'examples/hello-branch');
const MULTI = join(ROOT, 'examples/multi-workflows');

/** A module in the shape of other tools. */
async function writeSource(folder: string): Promise<void> {
  const steps = 'workflows/prune-tree/steps/step-0';
  await writeTree(folder, {
    'module.yaml': 'code: orchard\n',
    'workflows/prune-tree/workflow.md': '# Prune a tree\n\nFollow steps/step-01-look.md\n',
    [`${steps}1-look.md`]: '# Look\n\n- IF C: Read fully and follow: ./step-02-cut.md\n',
    [`${steps}2-cut.md`]: '# Cut\n\nRun the shell command `git status`. When done, go on to the next step.\n',
    [`${steps}3-note.md`]: '# Note\n\nWrite down what was cut.\n',
  });
}

describe.skipIf(!hasChromium)('packages', () => {
  let whole: WholePage;

  beforeEach(async () => {
    whole = await startWholePage();
  }, 120_000);

  afterEach(async () => {
    const { complaints } = whole;
    await whole.close();
    expect(complaints).toEqual([]);
  });

  it('[U84] are previewed before they are installed; a preview installs nothing', async () => {
    const page = await whole.open({ path: '/packages' });
    await page.getByText('No packages installed.').waitFor();
    const look = async (): Promise<void> => {
      await page.getByRole('textbox', { name: 'Path, address or name of a package' }).fill(HELLO_BRANCH);
      await page.getByRole('button', { name: 'Import' }).click();
    };
    await look();
    const dialog = page.getByRole('dialog', { name: 'Hello, branch' });
    await dialog.getByRole('list', { name: 'What it needs' }).getByText('can read and write').waitFor();
    await dialog.getByRole('list', { name: 'Agents' }).getByRole('listitem').first().waitFor();
    await checkBothThemes(page);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect((await whole.api().packages.list()).packages).toEqual([]);
    await look();
    await dialog.getByRole('button', { name: 'Install' }).click();
    await page.getByRole('list', { name: 'Packages' }).getByText('Hello, branch').first().waitFor();
    expect((await whole.api().packages.list()).packages).toHaveLength(1);
  });

  it('[U84] that are invalid or hostile show why, and cannot be installed', async () => {
    const page = await whole.open({ path: '/packages' });
    await page.locator('input[type=file]').setInputFiles({
      name: '<img src=x onerror=alert(1)>.bmad',
      mimeType: 'application/zip',
      buffer: Buffer.from('this is no archive'),
    });
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This is not a package.').waitFor();
    await dialog.getByTitle('NOT_AN_ARCHIVE').waitFor();
    await dialog.getByText('Fix:').waitFor();
    await dialog.getByText('<img src=x').first().waitFor();
    expect(await dialog.getByRole('button', { name: 'Install' }).count()).toBe(0);
    await checkBothThemes(page);
    await page.keyboard.press('Escape');

    const broken = await copyOf(HELLO_BRANCH, 'broken', 'agents.json', (text) =>
      text.replace('"id"', '"idea"'),
    );
    await page.getByRole('textbox', { name: 'Path, address or name of a package' }).fill(broken);
    await page.keyboard.press('Enter');
    await dialog.getByText('This package can’t be installed.').waitFor();
    await dialog.getByText('agents.json').first().waitFor();
    expect(await dialog.getByRole('button', { name: 'Install' }).count()).toBe(0);
    expect((await whole.api().packages.list()).packages).toEqual([]);
  });

  it('[U84] can be dropped, and bundled ones are installed with one click', async () => {
    const page = await whole.open({ path: '/packages' });
    const archive = await readFile(join(ROOT, 'apps/cli/dist/examples/hello-branch.bmad'));
    const transfer = await page.evaluateHandle(
      (bytes) => {
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(bytes)], 'hello.bmad'));
        return data;
      },
      [...archive],
    );
    await page
      .getByRole('form', { name: 'Import a package' })
      .dispatchEvent('drop', { dataTransfer: transfer });
    await page
      .getByRole('dialog', { name: 'Hello, branch' })
      .getByRole('button', { name: 'Install' })
      .click();
    await page.getByRole('list', { name: 'Packages' }).getByText('Hello, branch').first().waitFor();
    await page.getByRole('button', { name: 'Use Multi workflows' }).click();
    // There is no project yet: the start asks for a folder.
    await page.getByRole('dialog', { name: 'Where do you want to work?' }).waitFor();
    expect((await whole.api().packages.list()).packages).toHaveLength(2);
  });

  it('[U84] of other tools are converted from a folder, shown with their report, rehearsed and installed', async () => {
    const source = join(whole.folder, 'orchard');
    await writeSource(source);
    const page = await whole.open({ path: '/packages' });
    const choose = async (): Promise<void> => {
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('button', { name: 'Choose a folder' }).click(),
      ]);
      await chooser.setFiles(source);
    };
    await choose();
    const dialog = page.getByRole('dialog', { name: 'orchard' });
    await dialog.getByText('Converted from orchard (BMAD module). Not installed yet.').waitFor();
    await dialog.getByText('1 exact, 1 inferred, 0 dropped').waitFor();
    await dialog.getByRole('list', { name: 'Check these' }).getByRole('listitem').first().waitFor();
    await dialog.getByRole('list', { name: 'What its text asks for' }).getByText('Run commands').waitFor();
    await dialog.getByRole('button', { name: /^prune-tree/ }).click();
    await dialog.getByRole('list', { name: 'Transitions' }).getByText('Inferred').waitFor();
    await dialog.locator('.react-flow__node').first().waitFor();
    await checkBothThemes(page);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect((await whole.api().packages.list()).packages).toEqual([]);
    await choose();
    await dialog.getByRole('button', { name: 'Rehearse' }).click();
    await dialog.getByText('Every workflow can be completed.').waitFor();
    await dialog.getByRole('button', { name: 'Install' }).click();
    await page.getByRole('list', { name: 'Packages' }).getByRole('article').first().waitFor();
    expect((await whole.api().packages.list()).packages).toHaveLength(1);
  });

  it('[U84] of other tools are dropped as a zip; a zip without one says so', async () => {
    const page = await whole.open({ path: '/packages' });
    const files = page.locator('input[type=file]');
    const skill = {
      'bees/SKILL.md': '---\nname: bees\ndescription: Keep bees.\n---\n# Bees\n\nLook at the hive.\n',
    };
    const zip = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/zip', buffer });
    await files.setInputFiles(zip('bees.zip', zipOf(skill, [{ name: '../../evil.md', data: 'x' }])));
    const dialog = page.getByRole('dialog', { name: 'bees' });
    await dialog.getByRole('list', { name: 'Left out' }).getByText('evil.md').waitFor();
    await dialog.getByRole('button', { name: 'Install' }).click();
    await page.getByRole('list', { name: 'Packages' }).getByRole('article').first().waitFor();
    await files.setInputFiles(zip('notes.zip', zipOf({ 'notes.md': '# Notes' })));
    await page.getByRole('alert').getByText('contains nothing that can be imported').waitFor();
    // The browser reports the rejected request itself.
    expect(whole.complaints.splice(0)).toEqual([expect.stringContaining('400')]);
  });

  it('[U84] are shown in full: agents, menus, workflows as a graph and as steps, findings', async () => {
    const path = await copyOf(MULTI, 'newer', 'bmad.json', (text) =>
      JSON.stringify({
        ...JSON.parse(text),
        runtime: { minRuntimeVersion: '99.0.0', requiresNetwork: true },
      }),
    );
    const { package: pkg } = await whole.api().packages.importPath({ body: { path } });
    const page = await whole.open({ path: '/packages' });
    await page
      .getByRole('list', { name: 'Packages' })
      .getByRole('button', { name: 'Details of Multi workflows' })
      .click();
    await page.waitForURL(`**/packages/${pkg.hash}`);
    await page.getByRole('list', { name: 'What it needs' }).getByText('Network', { exact: false }).waitFor();
    await page
      .getByRole('list', { name: /’s menu$/ })
      .first()
      .getByRole('listitem')
      .first()
      .waitFor();
    await page.getByRole('combobox', { name: 'Workflow' }).selectOption({ index: 1 });
    await page.getByRole('region', { name: /graph/i }).waitFor();
    const steps = page.getByRole('list', { name: 'Steps' });
    await steps.getByRole('button').first().click();
    await steps.locator('.prose').first().waitFor();
    await page.getByTitle('RUNTIME_TOO_OLD').waitFor();
    await page.getByText('bmad.json', { exact: false }).first().waitFor();
    await checkBothThemes(page);
    await page.goto(new URL(`/packages/${'0'.repeat(64)}`, page.url()).href);
    await page.getByText('This package is not installed.').waitFor();
    // The browser itself reports a rejected request.
    whole.complaints.splice(
      0,
      whole.complaints.length,
      ...whole.complaints.filter((text) => !/404/.test(text)),
    );
  });

  it('[U84] show which works use them before they are removed', async () => {
    const api = whole.api();
    const { package: pkg } = await api.packages.importPath({ body: { path: HELLO_BRANCH } });
    const page = await whole.open({ path: `/packages/${pkg.hash}` });
    const remove = page.getByRole('button', { name: 'Remove', exact: true });
    await remove.click();
    const asks = page.getByRole('alertdialog');
    await asks.getByText('No unfinished work uses it.', { exact: false }).waitFor();
    await page.keyboard.press('Escape');

    const { projectId } = await api.projects.open({ body: { path: whole.project } });
    await api.works.create({ body: { projectId, kind: 'run', packageHash: pkg.hash, model: 'rehearsal' } });
    await remove.click();
    await asks.getByText('1 unfinished run').waitFor();
    await asks.getByText('In: larder').waitFor();
    expect(await findIssues(page)).toEqual([]);
    await asks.getByRole('button', { name: 'Remove anyway' }).click();
    await page.getByText('No packages installed.').waitFor();
    expect((await api.packages.list()).packages).toEqual([]);
  });

  /** A copy of a package with one changed document. */
  async function copyOf(
    source: string,
    name: string,
    document: string,
    change: (text: string) => string,
  ): Promise<string> {
    const folder = join(whole.folder, name);
    await cp(source, folder, { recursive: true });
    const file = join(folder, document);
    await writeFile(file, change(await readFile(file, 'utf8')));
    return folder;
  }
});

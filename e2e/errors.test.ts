import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkBothThemes } from './check-both-themes.ts';
import { hasChromium, pressUntil, ROOT, startWholePage, type WholePage } from './whole-page.ts';

const SETTINGS_CHUNK = '**/settings-screen-*.js';

describe.skipIf(!hasChromium)('errors', () => {
  let whole: WholePage;

  beforeAll(async () => {
    whole = await startWholePage();
  }, 120_000);

  afterAll(() => whole.close());

  it('[U116] a chunk that is missing after an upgrade is reported, and a reload fixes it', async () => {
    const page = await whole.open();
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.route(SETTINGS_CHUNK, (route) => route.fulfill({ status: 404, body: '' }));
    const settings = page.getByRole('button', { name: 'Settings', exact: true });
    await settings.click();
    const issue = page.getByRole('alert').filter({ hasText: 'could not be loaded' });
    await issue.waitFor();
    await checkBothThemes(page);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await issue.waitFor({ state: 'detached' });
    await settings.click();
    await page.unroute(SETTINGS_CHUNK);
    await issue.getByRole('button', { name: 'Reload the page' }).click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    // Only the browser's reports of the missing chunk.
    const complaints = whole.complaints.splice(0);
    expect(complaints.filter((text) => !/404|dynamically imported module/.test(text))).toEqual([]);
  });

  it.each([
    ['/elsewhere', 'Page not found'],
    ['/p/nope', 'Project not found'],
    ['/p/%3Cscript%3E/new/x', 'Project not found'],
    ['/p/PROJECT/w/nope', 'Conversation not found'],
    ['/p/PROJECT/c/01a1dfb7-0915-71cb-9dfa-7200c80237bd', 'Conversation not found'],
    ['/p/PROJECT/r/01a1dfb7-0915-71cb-9dfa-7200c80237bd', 'Conversation not found'],
  ])('[U11] the address %s does not exist: the page says so and links to another', async (path, text) => {
    const { projectId } = await whole.api().projects.open({ body: { path: whole.project } });
    const page = await whole.open({ path: path.replace('PROJECT', projectId) });
    await page.getByRole('main').getByText(text).waitFor();
    expect(await page.getByRole('textbox', { name: 'Message' }).count()).toBe(0);
    await checkBothThemes(page);
    await page.getByRole('button', { name: 'Go to Start' }).click();
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    // Only the browser's reports of the failed request.
    expect(whole.complaints.splice(0).filter((text) => !/\b40[04]\b/.test(text))).toEqual([]);
  });

  it('[U116] a tab or panel that fails does not affect the others', async () => {
    const { projects, works } = whole.api();
    const { projectId } = await projects.open({ body: { path: whole.project } });
    await writeFile(join(whole.project, 'a.md'), 'Words');
    const { workId } = await works.create({ body: { projectId, kind: 'chat' } });
    const page = await whole.open({ path: '/settings' });
    await page.route(/\/(?:file-tab|context-view)-[^/]*\.js$/, (route) => route.fulfill({ status: 404 }));
    await page.goto(new URL(`/p/${projectId}/w/${workId}`, page.url()).href);
    const composer = page.getByRole('textbox', { name: 'Message' });
    await composer.fill('Not lost');
    const issues = page.getByRole('alert').filter({ hasText: 'could not be loaded' });
    const context = page.getByRole('tab', { name: 'Context' });
    await pressUntil(page.getByRole('button', { name: 'Toggle inspector' }), context);
    await context.click();
    await issues.waitFor();
    await page.getByRole('tab', { name: 'Log' }).click();
    await page.getByRole('searchbox', { name: 'Search' }).first().waitFor();
    await issues.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Files', exact: true }).click();
    await page.getByRole('treeitem', { name: 'a.md' }).dblclick();
    await issues.waitFor();
    await page.getByRole('tablist', { name: 'Open tabs' }).getByRole('tab').first().click();
    await expect.poll(() => composer.inputValue()).toBe('Not lost');
    const complaints = whole.complaints.splice(0);
    expect(complaints.filter((text) => !/404|dynamically imported module/.test(text))).toEqual([]);
  });

  it('[U116] an invalid layout is ignored, [U84] and so is a damaged package', async () => {
    const { projects, packages } = whole.api();
    const { projectId } = await projects.open({ body: { path: whole.project } });
    await packages.importPath({ body: { path: join(ROOT, 'examples/multi-workflows') } });
    const { package: damaged } = await packages.importPath({
      body: { path: join(ROOT, 'examples/hello-branch') },
    });
    await rm(join(whole.folder, 'store/packages', damaged.hash, 'agents.json'));
    const page = await whole.open({ path: '/settings' });
    const layouts = { [projectId]: { openFiles: null, activeFile: 1, panes: 'wide', sidePanel: {} } };
    await page.evaluate(
      (layouts) => localStorage.setItem('crewagent.layouts', layouts),
      JSON.stringify({ state: { layouts }, version: 0 }),
    );
    await page.goto(new URL(`/p/${projectId}`, page.url()).href);
    await page.getByText(/“hello-branch .*” can’t be read\./).waitFor();
    await page.getByRole('heading', { name: /^Multi workflows/ }).waitFor();
    await checkBothThemes(page);
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('list', { name: 'Packages' }).getByRole('article').first().waitFor();
    expect((await packages.list()).packages.map(({ name }) => name)).toEqual(['multi-workflows']);
    const complaints = whole.complaints.splice(0);
    expect(complaints.filter((text) => !/422|409/.test(text))).toEqual([]);
  });
});

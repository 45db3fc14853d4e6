import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findIssues, foundChoices, hasChromium, ROOT, startWholePage, type WholePage } from './whole-page.ts';

const message = (page: Page) => page.getByRole('textbox', { name: 'Message' });
const works = (page: Page) => page.getByRole('list', { name: 'Activity' });

describe.skipIf(!hasChromium)('conversations', () => {
  let whole: WholePage;
  let projectId: string;
  let storyHash: string;
  let branchHash: string;

  beforeAll(async () => {
    whole = await startWholePage();
    await mkdir(join(whole.project, 'docs/deep'), { recursive: true });
    await writeFile(join(whole.project, 'docs/deep/plan.md'), '# Plan\n');
    const api = whole.api();
    const install = async (name: string): Promise<string> =>
      (await api.packages.importPath({ body: { path: join(ROOT, 'examples', name) } })).package.hash;
    storyHash = await install('create-story-micro');
    branchHash = await install('hello-branch');
    projectId = (await api.projects.open({ body: { path: whole.project } })).projectId;
  }, 120_000);

  afterAll(() => whole?.close());

  const at = (path = ''): string => `/p/${projectId}${path}`;

  it('an agent is shown with its card and menu before anything is sent; a rejection is shown once', async () => {
    const page = await whole.open({ path: at() });
    await page.getByRole('button', { name: /^Bob Scrum/ }).click();
    const menu = page.getByRole('navigation', { name: 'Agent menu' });
    await menu.getByRole('button', { name: /check-story/ }).waitFor();
    await page.getByText('Ready').first().waitFor();
    const [, workId = ''] = /\/w\/(.+)$/.exec(page.url()) ?? [];
    const { events } = await whole.api().works.log({ workId });
    expect(events.map(({ type }) => type)).not.toContain('command.resolved');

    await message(page).fill('/undo');
    await page.keyboard.press('Enter');
    await page.getByText('There is nothing to undo here.').waitFor();
    expect(await page.getByText('There is nothing to undo here.').count()).toBe(1);
    expect(await message(page).inputValue()).toBe('/undo');

    await message(page).fill('/menu');
    await page.keyboard.press('Enter');
    await menu.getByRole('button', { name: /check-story/ }).click();
    await page.getByText('Chose “check-story”').waitFor();
    expect(whole.complaints).toEqual([]);
  }, 120_000);

  it('[U10] finds a file anywhere by some letters; [U110] a draft survives a reload, a change of agent and of model', async () => {
    const page = await whole.open({ path: at() });
    await page.getByText('Chat with the model, with access').click();
    await page.getByLabel('Instructions (optional)').fill('Hello');
    await page.getByRole('button', { name: 'Start chat' }).click();
    await page.getByText('Ready').first().waitFor();

    await message(page).pressSequentially('see @pln');
    await foundChoices(page).getByRole('option', { name: 'docs/deep/plan.md' }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => message(page).inputValue()).toBe('see @project/docs/deep/plan.md ');
    await page.reload();
    await expect.poll(() => message(page).inputValue()).toBe('see @project/docs/deep/plan.md ');

    await message(page).fill('/');
    await page.getByRole('option', { name: /^\/help/ }).waitFor();
    expect(await page.getByRole('option', { name: /^\/(menu|stop|allow|exit)/ }).count()).toBe(0);
    await message(page).fill('');

    await whole.api().models.put({
      name: 'small',
      body: { settings: { baseUrl: 'http://127.0.0.1:9/v1', model: 'small-1' } },
    });
    await page.reload();
    await page.getByRole('button', { name: 'Model: Rehearsal' }).click();
    await page.getByRole('menuitem', { name: 'small' }).click();
    await page.getByRole('button', { name: 'Model: small' }).waitFor();

    await page.getByRole('button', { name: 'Chat with: Model only' }).click();
    await page.getByRole('menuitem', { name: /^Nora/ }).click();
    await page.getByRole('navigation', { name: 'Agent menu' }).waitFor();
    await page.getByText('Hello', { exact: true }).first().waitFor();
    await whole.api().models.remove({ name: 'small' });
    expect(whole.complaints).toEqual([]);
  }, 120_000);

  it('[U79] starts a workflow with options; [U70] its state is changed through the gate', async () => {
    const page = await whole.open({ path: at() });
    await page.getByText('Produces files in your folder').click();
    await page.getByRole('radio', { name: /^Hello, branch/ }).check();
    await page.getByRole('region', { name: 'Workflow graph' }).getByText('Intake').waitFor();
    await page.getByRole('button', { name: /^Options/ }).click();
    await page.getByRole('radio', { name: /^Ask first/ }).check();
    await page.getByLabel('Max turns per step').fill('none');
    expect(await page.getByRole('button', { name: 'Start workflow' }).isDisabled()).toBe(true);
    await page.getByLabel('Max turns per step').fill('7');
    expect(await findIssues(page)).toEqual([]);
    await page.getByRole('button', { name: 'Start workflow' }).click();
    await page.getByRole('button', { name: 'Answer', exact: true }).waitFor();
    const [, workId = ''] = /\/w\/(.+)$/.exec(page.url()) ?? [];
    const shown = await whole.api().works.show({ workId });
    expect([shown.tools.approval, shown.limits.maxTurns]).toEqual(['ask', 7]);

    await page.getByRole('tab', { name: 'State' }).click();
    const editor = page.getByRole('textbox', { name: 'State document' });
    await editor.getByText('step-01-intake').click();
    await page.keyboard.press('End');
    await page.keyboard.type('-nowhere');
    await page
      .getByText(/There is no node/)
      .first()
      .waitFor();
    expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
    await page
      .getByRole('button', { name: /^Go to/ })
      .first()
      .click();
    await page.getByText(/^Valid/).waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page
      .getByText(/State saved/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'History' }).click();
    await page.getByRole('button', { name: /by a person/ }).click();
    await page.getByRole('group', { name: 'Changes' }).getByText('decide-02').first().waitFor();

    await page.getByRole('tab', { name: 'Context' }).click();
    await page.getByRole('button', { name: /^Rules/ }).click();
    await page.getByRole('group', { name: 'Rules' }).waitFor();
    expect(await findIssues(page)).toEqual([]);
    expect(whole.complaints).toEqual([]);
  }, 120_000);

  it('keeps keyboard focus from start to end; [U33] questions come before the input, [U40] and what waits is said once in a place', async () => {
    const page = await whole.open({ path: at() });
    const hasFocus = (target: Locator) => target.evaluate((element) => element === document.activeElement);
    await page.getByText('Produces files in your folder').click();
    await page.getByRole('radio', { name: /^Hello, branch/ }).check();
    await page.getByRole('button', { name: 'Start workflow' }).focus();
    await page.keyboard.press('Enter');
    const first = page.getByLabel('What is the project called?');
    await expect.poll(() => hasFocus(first)).toBe(true);
    expect(await message(page).count()).toBe(0);
    const bar = page.getByRole('region', { name: 'Status bar' });
    expect(await bar.getByText(/Waiting for you/).count()).toBe(0);
    expect(
      await page
        .getByRole('navigation')
        .getByText(/needs? attention/)
        .count(),
    ).toBe(1);
    expect(await findIssues(page)).toEqual([]);
    await page.keyboard.type('Larder');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Lists');
    await page.keyboard.press('Tab');
    await page.keyboard.type('nothing');
    await page.keyboard.press('Enter');
    await page.getByText('Workflow completed').waitFor();
    await expect.poll(() => hasFocus(message(page))).toBe(true);
    expect(whole.complaints).toEqual([]);
  }, 120_000);

  it('shows agents by their names in the timeline and the progress', async () => {
    const { workId } = await whole.api().works.create({
      body: { projectId, kind: 'workflow', packageHash: branchHash, approval: 'autopilot' },
    });
    const page = await whole.open({ path: at(`/w/${workId}`) });
    await page.getByRole('heading', { name: 'Intake' }).locator('..').getByTitle('analyst').waitFor();
    const steps = page.getByRole('list', { name: 'Workflow steps' });
    const name = await steps.getByTitle('analyst').first().innerText();
    expect(name).not.toContain('analyst');
    expect(await page.getByText('analyst', { exact: true }).count()).toBe(0);
  }, 60_000);

  it('[U40] lists runs without a conversation as well; works are found, renamed, archived and deleted', async () => {
    const api = whole.api();
    const { workId: runId } = await api.works.create({
      body: { projectId, kind: 'run', packageHash: branchHash, isHeldBack: true },
    });
    await api.works.create({ body: { projectId, kind: 'agent', packageHash: storyHash } });
    const page = await whole.open({ path: at() });
    await works(page).getByText('Run', { exact: true }).waitFor();
    await page.getByRole('searchbox', { name: 'Search conversations' }).fill('run');
    await expect.poll(() => works(page).getByRole('listitem').count()).toBe(1);
    await works(page).getByRole('button').first().click();
    await expect.poll(() => page.url()).toContain(runId);
    await page.getByRole('searchbox', { name: 'Search conversations' }).fill('bob');
    await works(page).getByRole('button', { name: 'More actions for Bob' }).first().click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Stories');
    await page.keyboard.press('Enter');
    await page.getByRole('searchbox', { name: 'Search conversations' }).fill('stories');
    await works(page).getByRole('button', { name: 'More actions for Stories' }).click();
    await page.getByRole('menuitem', { name: 'Archive' }).click();
    // Messages may contain the word, so the list may not be empty.
    const stories = works(page).getByRole('button', { name: 'More actions for Stories' });
    await stories.waitFor({ state: 'detached' });
    await page.getByRole('switch', { name: 'Show archived' }).click();
    await works(page).getByRole('button', { name: 'More actions for Stories' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await expect
      .poll(() =>
        page.getByRole('button', { name: 'Cancel' }).evaluate((it) => it === document.activeElement),
      )
      .toBe(true);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await stories.waitFor({ state: 'detached' });
    expect(await readFile(join(whole.project, 'docs/deep/plan.md'), 'utf8')).toBe('# Plan\n');
    expect(whole.complaints).toEqual([]);
  }, 120_000);

  it.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)(
    '[U20] has no issue that axe finds, in the %s theme, %i pixels wide',
    async (theme, width) => {
      const page = await whole.open({ path: at(), colorScheme: theme, viewport: { width, height: 844 } });
      await page.getByRole('button', { name: /^Bob Scrum/ }).waitFor();
      expect(await findIssues(page)).toEqual([]);
      await page.getByRole('button', { name: /^Bob Scrum/ }).click();
      await page.getByRole('navigation', { name: 'Agent menu' }).waitFor();
      expect(await findIssues(page)).toEqual([]);
      const isWider = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      expect(isWider).toBe(false);
      expect(whole.complaints).toEqual([]);
      await page.close();
    },
    60_000,
  );
});

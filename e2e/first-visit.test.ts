import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startExampleModel } from './example-model.ts';
import { settledText } from './settled-text.ts';
import { findIssues, hasChromium, ROOT, startWholePage, type WholePage } from './whole-page.ts';

const EXAMPLE = join(ROOT, 'examples/create-story-micro');

describe.skipIf(!hasChromium)('a first visit', () => {
  let whole: WholePage;

  beforeAll(async () => {
    whole = await startWholePage();
  }, 120_000);

  afterAll(() => whole?.close());

  it('[U43] leads to a completed workflow, and a reload shows the same', {
    tags: 'main',
    timeout: 120_000,
  }, async () => {
    const page = await whole.open({ viewport: { width: 1440, height: 4000 } });
    expect(page.url()).not.toContain('token');

    await page.getByLabel('Path, address or name of a package').fill(EXAMPLE);
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Install' }).click();
    await page.getByRole('list', { name: 'Packages' }).getByText('Create a story', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Open a folder' }).click();
    await page.getByRole('button', { name: 'larder' }).click();
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Folder', exact: true }).inputValue())
      .toMatch(/larder$/);
    await page.getByRole('button', { name: 'Open this folder' }).click();

    await page.getByRole('button', { name: /^Bob/ }).click();
    const menu = page.getByRole('navigation', { name: 'Agent menu' });
    await menu.getByRole('button', { name: /create-story/ }).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('1');
    await page.keyboard.press('Enter');
    await answerUntilDone(page);

    // The evidence of the run and the text of its main result arrive after its end.
    await page.getByText(/^Proved: /).waitFor();
    await page.getByText('This file is from a rehearsal').waitFor();
    const story = await settledText(() => storyOf(page));
    expect(story).toContain('Summarise and close');
    await page.reload();
    await page.getByText('Workflow completed').waitFor();
    await expect.poll(() => storyOf(page)).toBe(story);
    expect(whole.complaints).toEqual([]);
  });

  it('[U45] leads on where a workflow is complete', async () => {
    const api = whole.api();
    const { projectId } = await api.projects.open({ body: { path: whole.project } });
    const { package: installed } = await api.packages.installExample({ example: 'create-story-micro' });
    const { workId } = await api.works.create({
      body: {
        projectId,
        kind: 'workflow',
        packageHash: installed.hash,
        approval: 'autopilot',
        input: '1-2-user-login',
      },
    });
    const page = await whole.open({ path: `/p/${projectId}/w/${workId}` });
    const next = page.getByRole('region', { name: 'Result of the run' });
    await next.getByText('This was a rehearsal').waitFor();
    // In the status bar and the list; the story has its own words for it.
    const listed = page.getByRole('list', { name: 'Activity' }).getByText('Completed', { exact: true });
    await listed.first().waitFor();
    const shown = page.getByRole('main').getByText('Completed', { exact: true });
    // The list may still be loading while the two are counted.
    await expect.poll(async () => (await shown.count()) - (await listed.count())).toBe(0);
    expect(await findIssues(page)).toEqual([]);
    await next.getByRole('button', { name: 'Show files' }).click();
    await page.getByRole('tab', { name: 'Artifacts', selected: true }).waitFor();
    await next.getByRole('button', { name: /^Open: .*summary\.md$/ }).click();
    await page.getByRole('tab', { name: 'summary.md', selected: true }).waitFor();
    await page.getByRole('tab', { name: '1-2-user-login' }).click();
    const address = page.url();
    await next.getByRole('button', { name: 'Connect a model' }).click();
    // [U81] In place: the sample stays in sight.
    await page.getByRole('dialog', { name: 'Connect a model' }).getByLabel('API key').waitFor();
    await page.keyboard.press('Escape');
    expect(page.url()).toBe(address);
    await page.goto(address);
    // The timeline is rendered again; a click during that may hit an element that is removed, so it is repeated.
    const begin = next.getByRole('button', { name: 'Start your own' });
    await begin.waitFor();
    await expect
      .poll(async () => {
        if (await begin.isVisible()) await begin.click({ timeout: 2_000 }).catch(() => undefined);
        return new URL(page.url()).pathname;
      })
      .toBe(`/p/${projectId}`);
    expect(whole.complaints).toEqual([]);
  });
});

describe.skipIf(!hasChromium)('a first visit with a model of one’s own', () => {
  it('[U43] needs five clicks to a finished run of its own; [U81] a refused key is said beside it', async () => {
    const model = await startExampleModel({ models: ['tiny', 'tiny-2', 'large'], key: 'sk-right' });
    const whole = await startWholePage();
    const page = await whole.open();
    let clicks = 0;
    const click = async (target: Locator): Promise<void> => {
      clicks += 1;
      await target.click();
    };
    const card = page.getByRole('region', { name: 'Model' });
    await click(card.getByRole('button', { name: 'Custom' }));
    await card.getByRole('textbox', { name: 'Address' }).fill(model.url);
    await page.keyboard.press('Tab');
    const key = card.getByLabel(/^API key/);
    await key.fill('sk-wrong');
    await page.keyboard.press('Tab');
    await card.getByText('The provider refused this key.', { exact: false }).waitFor();
    expect(await findIssues(page)).toEqual([]);
    await key.fill('sk-right');
    await page.keyboard.press('Tab');
    await click(page.getByRole('option', { name: 'tiny', exact: true }));
    await card.getByText(/home\/crewagent-example$/).waitFor();
    await click(card.getByRole('button', { name: 'Test and start' }));
    await click(page.getByRole('radio', { name: 'Nothing yet' }));
    await click(page.getByRole('button', { name: 'Answer', exact: true }));
    await page.getByText('Workflow completed').waitFor();
    expect(clicks).toBe(5);
    const { settings } = await whole.api().settings.show();
    expect([settings.defaultModel, Object.keys(settings.models)]).toEqual(['tiny', ['tiny']]);
    const written = join(whole.folder, 'home/crewagent-example/artifacts/hello-branch');
    expect((await readdir(written)).sort()).toEqual(['greenfield-plan.md', 'intake.md', 'summary.md']);
    // The list of models was refused once, which the browser reports.
    expect(whole.complaints.filter((complaint) => !complaint.includes('502'))).toEqual([]);
    await whole.close();
    await model.close();
  });

  it('[U43] is started again from the end of the sample, in the same folder', async () => {
    const model = await startExampleModel({ models: ['tiny'] });
    const whole = await startWholePage();
    const page = await whole.open();
    await page.getByRole('button', { name: 'Try the example' }).click();
    await answerUntilDone(page);
    const next = page.getByRole('region', { name: 'Result of the run' });
    await next.getByRole('button', { name: 'Connect a model' }).click();
    const dialog = page.getByRole('dialog', { name: 'Connect a model' });
    await dialog.getByRole('combobox', { name: 'Provider' }).selectOption('generic');
    await dialog.getByRole('textbox', { name: 'Address' }).fill(model.url);
    await page.keyboard.press('Tab');
    // The only model is filled in.
    await expect.poll(() => dialog.getByRole('combobox', { name: 'Model' }).inputValue()).toBe('tiny');
    await dialog.getByText('Runs in crewagent-example').waitFor();
    expect(await findIssues(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Test and start' }).click();
    await page.getByRole('radio', { name: 'Nothing yet' }).click();
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await page.getByText('Workflow completed').waitFor();
    expect(whole.complaints).toEqual([]);
    await whole.close();
    await model.close();
  });
});

/** Says something to each question and allows each change, as often as the workflow asks. */
async function answerUntilDone(page: Page): Promise<void> {
  const answer = page.getByRole('button', { name: 'Answer', exact: true });
  const allow = page.getByRole('button', { name: 'Allow once' });
  const done = page.getByText('Workflow completed');
  let questions = 0;
  while (true) {
    await answer.or(allow).or(done).first().waitFor();
    if (await done.isVisible()) break;
    const pressed = (await answer.isVisible()) ? answer : allow;
    if (pressed === answer) {
      questions += 1;
      for (const field of await page.locator('form').getByRole('textbox').all())
        await field.fill(`Answer ${questions}`);
    }
    const dock = await pressed.elementHandle();
    await pressed.click();
    await dock?.waitForElementState('hidden');
  }
  expect(questions).toBeGreaterThan(0);
}

async function storyOf(page: Page): Promise<string> {
  return page.getByRole('tabpanel').first().innerText();
}

import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeTree } from '../packages/core/src/testing/file-tree.ts';
import { textReply } from '../packages/core/src/testing/models/provider-replies.ts';
import { threadPackage } from '../packages/core/src/testing/packages/thread-package.ts';
import { type ScriptedProvider, startScriptedModel } from './scripted-model.ts';
import { findIssues, hasChromium, startWholePage, type WholePage } from './whole-page.ts';

describe.skipIf(!hasChromium)('an agent and its menu', () => {
  let whole: WholePage;
  let model: ScriptedProvider;
  let pathOf: (workId: string) => string;
  let begin: () => Promise<Page>;

  beforeAll(async () => {
    model = await startScriptedModel(({ body }) =>
      textReply(`Heard ${body.messages.length} messages. And now?`),
    );
    whole = await startWholePage({ env: model.env });
    const source = join(whole.folder, 'talking');
    await writeTree(source, threadPackage());
    const api = whole.api();
    const { projectId } = await api.projects.open({ body: { path: whole.project } });
    const { package: installed } = await api.packages.importPath({ body: { path: source } });
    pathOf = (workId) => `/p/${projectId}/w/${workId}`;
    begin = async () => {
      const { workId } = await api.works.create({
        body: { projectId, kind: 'agent', packageHash: installed.hash },
      });
      return whole.open({ path: pathOf(workId) });
    };
  }, 120_000);

  afterAll(async () => {
    await whole?.close();
    await model?.close();
    expect(whole?.complaints).toEqual([]);
  });

  const say = async (page: Page, text: string): Promise<void> => {
    await page.getByRole('textbox', { name: 'Message' }).fill(text);
    await page.keyboard.press('Enter');
  };
  const menuOf = (page: Page) => page.getByRole('navigation', { name: 'Agent menu' });

  it('[U10] a click, a number, a trigger and a phrase choose the same item', async () => {
    for (const choose of [
      (page: Page) =>
        menuOf(page)
          .getByRole('button', { name: /Say hello|greet/ })
          .first()
          .click(),
      (page: Page) => say(page, '5'),
      (page: Page) => say(page, 'greet'),
      (page: Page) => say(page, 'say hello'),
    ]) {
      const page = await begin();
      await menuOf(page).waitFor();
      await choose(page);
      await page.getByText(/Heard \d+ messages/).waitFor();
      expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain('Greet the person');
      await page.close();
    }
  }, 120_000);

  it('[U10] the menu stays available after the first choice, by keyboard and number, and the choice is shown', async () => {
    const page = await begin();
    await menuOf(page).waitFor();
    await say(page, 'greet');
    await page.getByText(/Heard \d+ messages/).waitFor();
    await menuOf(page).waitFor({ state: 'detached' });
    const open = page.getByRole('button', { name: 'Menu', exact: true });
    await open.focus();
    await page.keyboard.press('Enter');
    const menu = page.getByRole('dialog', { name: 'Agent menu' });
    await menu.getByRole('button', { name: /greet/ }).waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await findIssues(page)).toEqual([]);
    }
    await page.keyboard.press('4');
    await menu.waitFor({ state: 'detached' });
    await page.getByText('Chose “check”').waitFor();
    await expect.poll(() => page.getByText(/Heard \d+ messages/).count()).toBe(2);
    expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain('Check the newest story');
  });

  it('[U10] choosing an item leaves a run and does not answer it', async () => {
    const page = await begin();
    await menuOf(page).waitFor();
    await say(page, 'go');
    await page.getByText(/Heard \d+ messages/).waitFor();
    await page.getByRole('button', { name: 'Menu', exact: true }).click();
    await page.keyboard.press('5');
    await page.getByText('Chose “greet”').waitFor();
    await expect
      .poll(() => JSON.stringify(model.requests.at(-1)?.body.messages))
      .toContain('Greet the person');
  });

  it('[U10] an ambiguous phrase offers numbers, and a number chooses', async () => {
    const page = await begin();
    await menuOf(page).waitFor();
    await say(page, 'start');
    const choices = page.getByRole('group', { name: 'What did you mean?' });
    await choices.getByRole('button', { name: /Start the sample/ }).waitFor();
    await say(page, '1');
    await page.getByText(/Heard \d+ messages/).waitFor();
  });

  it('[U10] input that matches no item is sent to the agent', async () => {
    const page = await begin();
    await menuOf(page).waitFor();
    await say(page, 'What a lovely morning');
    await page.getByText(/Heard \d+ messages/).waitFor();
    expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain('What a lovely morning');
  });
});

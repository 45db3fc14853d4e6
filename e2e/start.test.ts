import { mkdir, readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeProvider, startFakeProvider } from '../packages/core/src/testing/models/fake-provider.ts';
import {
  hangBeforeHeaders,
  statusReply,
  textReply,
  toolCallReply,
} from '../packages/core/src/testing/models/provider-replies.ts';
import { answerUntilDone } from './answer-until-done.ts';
import { checkBothThemes } from './check-both-themes.ts';
import { findIssues, hasChromium, pressUntil, ROOT, startWholePage, type WholePage } from './whole-page.ts';

const KEY = 'sk-the-right-one-4711';

describe.skipIf(!hasChromium)('the start screen', () => {
  let whole: WholePage;
  let model: FakeProvider | undefined;

  beforeEach(async () => {
    whole = await startWholePage();
  }, 120_000);

  afterEach(async () => {
    const { complaints } = whole;
    await whole.close();
    await model?.close();
    model = undefined;
    // Listing models fails for this provider, which the browser reports.
    expect(complaints.filter((complaint) => !complaint.includes('502'))).toEqual([]);
  });

  it('[U43] leads with one click to the end of the example, without a key', async () => {
    const page = await whole.open();
    await page.getByRole('region', { name: 'Model' }).getByText('No key needed').waitFor();
    await checkBothThemes(page);
    await page
      .getByText(/home\/crewagent-example$/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Try the example' }).click();
    await answerUntilDone(page);
    const results = await readdir(join(whole.folder, 'home/crewagent-example/artifacts'), {
      recursive: true,
    });
    expect(results.length).toBeGreaterThan(0);
    await page.goto(new URL('/start', page.url()).href);
    await page.getByRole('list', { name: 'Projects' }).getByText('crewagent-example').first().waitFor();
    expect(await page.getByRole('button', { name: 'Try the example' }).count()).toBe(0);
  });

  it('shows the product, and aligns with the other screens', async () => {
    const page = await whole.open({ viewport: { width: 1440, height: 900 } });
    await page.getByRole('heading', { name: 'CrewAgent', level: 1 }).waitFor();
    const edges: number[] = [];
    for (const path of ['/start', '/packages', '/settings']) {
      await page.goto(new URL(path, page.url()).href);
      await page.getByRole('heading', { level: 1 }).waitFor();
      edges.push(
        await page.getByRole('heading', { level: 1 }).evaluate((heading) => {
          const column = heading.closest('.page-column');
          return (
            (column?.getBoundingClientRect().left ?? -1) +
            Number.parseFloat(getComputedStyle(column ?? heading).paddingLeft)
          );
        }),
      );
    }
    expect(new Set(edges).size).toBe(1);
  });

  it('[U20] shows with forced colours where one is, and what to do next', async () => {
    const page = await whole.open();
    await page.emulateMedia({ forcedColors: 'active' });
    const look = (name: string) =>
      page.getByRole('button', { name }).evaluate((button) => {
        const { outlineStyle, backgroundColor } = getComputedStyle(button);
        return { outlineStyle, backgroundColor };
      });
    const next = await look('Try the example');
    expect((await look('Start')).outlineStyle).toBe('solid');
    expect((await look('Packages')).outlineStyle).not.toBe('solid');
    expect((await look('Open a folder')).backgroundColor).not.toBe(next.backgroundColor);
    expect(await findIssues(page)).toEqual([]);
  });

  it('[U81] sets up a model from a preset; one that fails is not used, and the key is never shown again', {
    tags: 'main',
  }, async () => {
    model = await startFakeProvider(({ headers, body }) => {
      if (headers.authorization !== `Bearer ${KEY}`)
        return statusReply(401, { error: { message: 'Incorrect API key' } });
      const isSecond = body.messages.some(({ role }) => role === 'tool');
      return isSecond
        ? textReply('It is 7421.')
        : toolCallReply([{ name: 'get_magic_number', arguments: {} }]);
    });
    const page = await whole.open();
    const card = page.getByRole('region', { name: 'Model' });
    await card.getByRole('button', { name: 'Custom' }).click();
    const test = card.getByRole('button', { name: 'Test and start' });
    await test.click();
    await card.getByText('Enter the model name.').waitFor();
    await card.getByText('Enter the address.').waitFor();
    await card.getByRole('textbox', { name: 'Model' }).fill('tiny');
    await card.getByRole('textbox', { name: 'Address' }).fill(model.url);
    const keyField = card.getByLabel(/^API key/);
    expect(await keyField.getAttribute('type')).toBe('password');
    await keyField.fill('a-wrong-one');
    await test.click();
    await card.getByText('The provider refused this key.', { exact: false }).waitFor();
    expect(Object.keys((await whole.api().settings.show()).settings.models)).toEqual([]);
    await checkBothThemes(page);

    await keyField.fill(KEY);
    await test.click();
    await expect.poll(async () => (await whole.api().settings.show()).settings.defaultModel).toBe('tiny');
    // It works: the example starts with it.
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/p\/.+\/w\//);
    await page.goto(new URL('/start', page.url()).href);
    expect(await page.content()).not.toContain(KEY);
    expect(
      await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])),
    ).not.toContain(KEY);
    await page.reload();
    await card.getByText('Your default model.').waitFor();
    await card.getByRole('button', { name: 'Test' }).click();
    await card.getByText('tiny works').waitFor();
    const steps = card.getByRole('list', { name: 'Test steps' }).getByRole('listitem');
    expect(await steps.count()).toBe(4);
    for (const fact of ['Response time', 'Tool calls', 'Context size'])
      await card.getByText(fact, { exact: true }).waitFor();
    await checkBothThemes(page);
  });

  it('[U243] shows interrupted works, live, and every way to continue', async () => {
    let isWilling = false;
    const asked = { write: 0 };
    model = await startFakeProvider(({ body }) => {
      if (isWilling) return textReply('Here I am again.');
      const hasWritten = body.messages.some(({ role }) => role === 'tool');
      if (hasWritten) return hangBeforeHeaders();
      asked.write += 1;
      const write = { path: `@project/artifacts/draft-${asked.write}.md`, content: '# Draft\n' };
      return toolCallReply([{ name: 'fs_write', arguments: write }]);
    });
    const api = whole.api();
    await api.models.put({ name: 'slow', body: { settings: { baseUrl: model.url, model: 'slow' } } });
    const { projectId } = await api.projects.open({ body: { path: whole.project } });
    const { package: pkg } = await api.packages.importPath({
      body: { path: join(ROOT, 'examples/hello-branch') },
    });
    const begin = { projectId, packageHash: pkg.hash, model: 'slow' };
    const { workId: runId } = await api.works.create({ body: { ...begin, kind: 'run' } });
    await api.works.create({ body: { ...begin, kind: 'workflow' } });
    await expect.poll(async () => (model?.requests.length ?? 0) >= 4).toBe(true);
    await whole.killAndRestart();
    isWilling = true;

    const page = await whole.open();
    const inbox = page.getByRole('list', { name: 'Needs attention' });
    const items = inbox.getByRole('listitem');
    await expect.poll(() => items.count()).toBe(2);
    await expect.poll(() => inbox.getByText(/Stopped at “.+”, 1 file written/).count()).toBe(2);
    await checkBothThemes(page);

    // A conversation is archived and restored.
    const conversation = items.nth(await indexOfConversation(page));
    await conversation.getByRole('button', { name: /^More actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Abandon' }).click();
    await expect.poll(() => items.count()).toBe(1);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => items.count()).toBe(2);
    // A step of a run is repeated, and its file undone.
    const bare = items.nth(1 - (await indexOfConversation(page)));
    await bare.getByRole('button', { name: /^More actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Redo this step' }).click();
    const redo = page.getByRole('dialog');
    await redo.getByRole('radio', { name: 'Undo changes to 1 file' }).click();
    expect(await findIssues(page)).toEqual([]);
    await redo.getByRole('button', { name: 'Redo this step' }).click();
    await expect
      .poll(async () => (await whole.api().works.show({ workId: runId })).view.timeline.at(-2))
      .toMatchObject({ kind: 'reply', text: 'Here I am again.' });
    // A conversation is not complete.
    const waiting = inbox.getByText(/^At “.+”, needs your input$/);
    await expect.poll(() => waiting.count()).toBe(1);
    // Resumed at its current step.
    await items.getByRole('button', { name: 'Resume' }).click();
    await expect.poll(() => waiting.count()).toBe(2);
  });

  it('[U243] rewinds to an earlier step, and waits there', async () => {
    const api = whole.api();
    const { projectId } = await api.projects.open({ body: { path: whole.project } });
    const { package: pkg } = await api.packages.importPath({
      body: { path: join(ROOT, 'examples/multi-workflows') },
    });
    // The budget is enough for the first step.
    const { workId: runId } = await api.works.create({
      body: {
        projectId,
        kind: 'run',
        packageHash: pkg.hash,
        workflow: 'decision-record',
        model: 'rehearsal',
        limits: { maxTokens: 9_000 },
      },
    });
    const pending = async () => (await api.works.show({ workId: runId })).view.pending;
    await expect.poll(pending).toMatchObject({ kind: 'question' });
    const asked = await pending();
    if (asked?.kind !== 'question') throw new Error('Nothing was asked.');
    const answers = Object.fromEntries(asked.questions.map(({ id }) => [id, 'An answer']));
    await api.works.answer({ workId: runId, body: { callId: asked.callId, answers } });

    const page = await whole.open();
    await page.getByText(/Budget limit reached\. Stopped at “Compare the options”/).waitFor();
    await page
      .getByRole('button', { name: /^More actions for/ })
      .first()
      .click();
    await page.getByRole('menuitem', { name: 'Go back' }).click();
    const dialog = page.getByRole('dialog', { name: 'Go back to an earlier step' });
    expect(await dialog.getByRole('radio', { name: 'Frame the decision' }).isChecked()).toBe(true);
    await checkBothThemes(page);
    await dialog.getByRole('button', { name: 'Go back' }).click();
    await page.waitForURL(`**/w/${runId}`);
    const { view } = await api.works.show({ workId: runId });
    expect(view).toMatchObject({ phase: 'WaitingUser', state: { currentNodeId: 'step-01-frame' } });
  });

  it('[U243] deletes a run without a conversation only after confirmation; its files stay', async () => {
    const api = whole.api();
    const { projectId } = await api.projects.open({ body: { path: whole.project } });
    const { package: pkg } = await api.packages.importPath({
      body: { path: join(ROOT, 'examples/hello-branch') },
    });
    const page = await whole.open();
    // It appears without a reload.
    const { workId: runId } = await api.works.create({
      body: { projectId, kind: 'run', packageHash: pkg.hash, model: 'rehearsal' },
    });
    await page.getByText(/^Question: /).waitFor();
    // The list may be rendered again during the first click.
    const abandon = page.getByRole('menuitem', { name: 'Abandon' });
    await pressUntil(page.getByRole('button', { name: /^More actions for/ }).first(), abandon);
    await abandon.click();
    const asks = page.getByRole('alertdialog');
    await expect.poll(() => asks.getByRole('button', { name: 'Cancel' }).evaluate(isFocused)).toBe(true);
    await asks.getByRole('button', { name: 'Delete the run' }).click();
    await page.getByRole('list', { name: 'Needs attention' }).waitFor({ state: 'hidden' });
    await expect(api.works.show({ workId: runId })).rejects.toMatchObject({ code: 'WORK_NOT_FOUND' });
    expect((await stat(whole.project)).isDirectory()).toBe(true);
  });

  it('[U83] creates a folder, locates one that was moved, and forgets one without touching it', async () => {
    const page = await whole.open();
    await page.getByRole('button', { name: 'New folder' }).click();
    const make = page.getByRole('dialog', { name: 'Create a folder' });
    await make.getByRole('textbox', { name: 'Name of a new folder' }).fill('a/b');
    await make.getByText('A name can’t contain', { exact: false }).waitFor();
    expect(await make.getByRole('button', { name: /^Create and/ }).isDisabled()).toBe(true);
    await make.getByRole('textbox', { name: 'Name of a new folder' }).fill('plans');
    await make.getByRole('button', { name: /^Create and/ }).click();
    await page.waitForURL(/\/p\//);
    const plans = join(whole.folder, 'home/plans');
    expect((await stat(plans)).isDirectory()).toBe(true);
    await mkdir(join(plans, 'kept'));
    await rename(plans, join(whole.folder, 'home/moved'));
    await page.goto(new URL('/start', page.url()).href);
    const projects = page.getByRole('list', { name: 'Projects' });
    await projects.getByText('Folder not found').waitFor();
    await checkBothThemes(page);
    await projects.getByRole('button', { name: 'Locate folder' }).click();
    const find = page.getByRole('dialog', { name: 'Where is the folder now?' });
    await find.getByRole('button', { name: 'moved', exact: true }).click();
    await expect
      .poll(() => find.getByRole('textbox', { name: 'Folder', exact: true }).inputValue())
      .toMatch(/moved$/);
    await find.getByRole('button', { name: 'Use this folder' }).click();
    await projects.getByText('Folder not found').waitFor({ state: 'hidden' });

    await projects.getByRole('button', { name: 'More actions for moved' }).click();
    await page.getByRole('menuitem', { name: 'Remove from list' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove from list' }).click();
    await projects.waitFor({ state: 'hidden' });
    expect(await readdir(join(whole.folder, 'home/moved'))).toContain('kept');
  });
});

/** "Abandon" archives a conversation; a run without one has no such action. */
async function indexOfConversation(page: Page): Promise<number> {
  const items = page.getByRole('list', { name: 'Needs attention' }).getByRole('listitem');
  return (await items.first().getAttribute('data-kind')) === 'conversation' ? 0 : 1;
}

function isFocused(element: Element): boolean {
  return element === document.activeElement;
}

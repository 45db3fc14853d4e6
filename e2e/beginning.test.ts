import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statusReply } from '../packages/core/src/testing/models/provider-replies.ts';
import { checkBothThemes } from './check-both-themes.ts';
import { type ScriptedProvider, startScriptedModel } from './scripted-model.ts';
import { foundChoices, hasChromium, startWholePage, type WholePage } from './whole-page.ts';

describe.skipIf(!hasChromium)('starting a workflow', () => {
  let whole: WholePage;
  let projectId: string;
  let story: string;

  beforeAll(async () => {
    whole = await startWholePage();
    const { projects, packages } = whole.api();
    await mkdir(join(whole.project, 'docs'));
    await writeFile(join(whole.project, 'docs/epics.md'), '# Epics\n');
    ({ projectId } = await projects.open({ body: { path: whole.project } }));
    await packages.installExample({ example: 'hello-branch' });
    const { package: installed } = await packages.installExample({ example: 'create-story-micro' });
    story = installed.hash;
  }, 120_000);

  afterAll(() => whole?.close());

  it('[U79] from a package leads to the workflow, ready to start at any window size', async () => {
    const page = await whole.open({ path: `/packages/${story}`, viewport: { width: 1440, height: 900 } });
    await page.getByRole('button', { name: 'Use this package' }).click();
    const chosen = page.getByRole('radiogroup', { name: 'Workflows' }).getByRole('radio', { checked: true });
    await expect.poll(() => chosen.getAttribute('value')).toContain(story);
    await page.getByRole('figure').getByRole('listitem').first().waitFor();
    for (const size of [
      { width: 1440, height: 900 },
      { width: 390, height: 664 },
    ]) {
      await page.setViewportSize(size);
      // Its current position, without scrolling.
      const box = await page.getByRole('button', { name: 'Start workflow' }).boundingBox();
      expect(box && box.y + box.height).toBeLessThan(size.height);
    }
    await checkBothThemes(page);
    expect(whole.complaints).toEqual([]);
  });

  it('[U79] passes project documents to the run, which lists them in its state', async () => {
    const page = await whole.open({ path: `/p/${projectId}/new/${story}` });
    const needed = page.getByRole('list', { name: 'Files the steps read from the project' });
    await needed.getByText('sprint-status.yaml').waitFor();
    await needed.getByText('Missing').waitFor();
    await page.getByRole('combobox', { name: 'Add a document' }).fill('epi');
    await foundChoices(page).getByRole('option', { name: 'docs/epics.md' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Documents to include' }).getByText('docs/epics.md').waitFor();
    await checkBothThemes(page);
    await page.getByRole('button', { name: 'Start workflow' }).click();
    await page.getByRole('button', { name: 'Answer', exact: true }).waitFor();
    // One field for the one answer.
    expect(await page.getByRole('main').getByRole('textbox').count()).toBe(1);
    const { works } = await whole.api().works.list({ query: { project: projectId } });
    const { text } = await whole.api().works.state({ workId: works.find(({ run }) => run)?.workId ?? '' });
    expect(text).toMatch(/inputDocuments:\s*(?:\[\s*|\n\s*- )"?@project\/docs\/epics.md/);
    expect(whole.complaints).toEqual([]);
  });

  it('[U96] a step is found by its name, and opened in the inspector with keyboard focus', async () => {
    const page = await openStory(whole, { projectId, packageHash: story });
    for (const size of [
      { width: 1440, height: 900 },
      { width: 390, height: 844 },
    ]) {
      await page.setViewportSize(size);
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Commands' }).fill('step-02-discover');
      await page.getByRole('option', { name: /Discover the input documents/ }).waitFor();
      await page.keyboard.press('Enter');
      const heading = page.getByRole('heading', { level: 3 }).and(page.locator(':focus'));
      await heading.waitFor();
      await page.keyboard.press('Escape');
    }
    expect(whole.complaints).toEqual([]);
  });

  it('[U10] files of the package and of the run are mentioned like those of the project', async () => {
    // With what it would ask for: while it asks, its question has the only field.
    const input = '1-2-user-login';
    const page = await openStory(whole, { projectId, packageHash: story, input });
    const message = page.getByRole('textbox', { name: 'Message' });
    // Enter chooses the selected option, which may change until the last letter was answered.
    await message.pressSequentially('read @st');
    await foundChoices(page).getByRole('option', { name: '@state/', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await foundChoices(page).getByRole('option', { name: '@state/workflow.md', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await message.pressSequentially('and @pkg/discover');
    await foundChoices(page)
      .getByRole('option', { name: '@pkg/steps/step-02-discover-inputs.md', selected: true })
      .waitFor();
    await page.keyboard.press('Enter');
    await expect
      .poll(() => message.inputValue())
      .toBe('read @state/workflow.md and @pkg/steps/step-02-discover-inputs.md ');
    await message.fill('');
    expect(whole.complaints).toEqual([]);
  });

  it('[U83] a missing folder is reported by files and start, and can be located from there', async () => {
    const moved = join(whole.folder, 'home/pantry');
    await rename(whole.project, moved);
    const page = await whole.open({ path: `/p/${projectId}` });
    await page.getByRole('main').getByText('Folder not found').waitFor();
    await page.getByRole('button', { name: 'Files', exact: true }).click();
    const panel = page.getByRole('region', { name: 'Files' });
    const again = panel.getByRole('button', { name: 'Locate folder' });
    await again.waitFor();
    await checkBothThemes(page);
    await again.click();
    await page.getByRole('textbox', { name: 'Folder', exact: true }).fill(moved);
    await page.getByRole('button', { name: 'Use this folder' }).click();
    await panel.getByRole('treeitem', { name: /docs/ }).waitFor();
    await page.getByRole('radiogroup', { name: 'What to start' }).waitFor();
    // Only the browser's reports of the failed requests.
    expect(whole.complaints.splice(0).filter((text) => !/\b404\b/.test(text))).toEqual([]);
    await rename(moved, whole.project);
    await whole.api().projects.relink({ projectId, body: { path: whole.project } });
  });
});

/** A conversation in the middle of a workflow. */
async function openStory(
  whole: WholePage,
  body: { readonly projectId: string; readonly packageHash: string; readonly input?: string },
): Promise<Page> {
  const { workId } = await whole.api().works.create({
    body: { ...body, kind: 'workflow', approval: 'autopilot' },
  });
  const page = await whole.open({ path: `/p/${body.projectId}/w/${workId}` });
  await page.getByRole('button', { name: /^Model: / }).waitFor();
  return page;
}

describe.skipIf(!hasChromium)('another model', () => {
  let whole: WholePage;
  let provider: ScriptedProvider;

  beforeAll(async () => {
    provider = await startScriptedModel(() => statusReply(401));
    whole = await startWholePage({ env: provider.env });
  }, 120_000);

  afterAll(async () => {
    await whole?.close();
    await provider?.close();
  });

  it('can be chosen in the conversation whose model failed, and answers there', async () => {
    const { projects, works } = whole.api();
    const { projectId } = await projects.open({ body: { path: whole.project } });
    const { workId } = await works.create({
      body: { projectId, kind: 'chat', input: 'Are you there?' },
    });
    const page = await whole.open({ path: `/p/${projectId}/w/${workId}` });
    await page.getByRole('button', { name: 'Choose another model' }).click();
    const menu = page.getByRole('menu');
    await menu.waitFor();
    await checkBothThemes(page);
    await menu.getByRole('menuitem', { name: /Rehearsal/ }).click();
    await page.getByRole('button', { name: /^Model: Rehearsal/ }).waitFor();
    await page.getByRole('alert').getByRole('button', { name: 'Resume' }).click();
    await expect.poll(async () => (await works.show({ workId })).model).toMatchObject({ kind: 'rehearsal' });
    await page.getByRole('button', { name: 'Choose another model' }).waitFor({ state: 'detached' });
    expect(page.url()).toContain(workId);
    expect(whole.complaints).toEqual([]);
  });

  it('of a run without a conversation: the page says how to continue with another one', async () => {
    const { projects, packages, works } = whole.api();
    const { projectId } = await projects.open({ body: { path: whole.project } });
    const { package: installed } = await packages.installExample({ example: 'hello-branch' });
    const { workId: runId } = await works.create({
      body: { projectId, kind: 'run', packageHash: installed.hash },
    });
    const page = await whole.open({ path: `/p/${projectId}/w/${runId}` });
    await page.getByText(`crewagent resume ${runId} --model NAME`).waitFor();
    expect(whole.complaints).toEqual([]);
  });
});

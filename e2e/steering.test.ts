import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  hangBeforeHeaders,
  textReply,
  toolCallReply,
} from '../packages/core/src/testing/models/provider-replies.ts';
import { chatForTest, pageForTest } from './for-one-test.ts';
import { createSignal, replyInTwo } from './scripted-model.ts';
import { settledText } from './settled-text.ts';
import { findIssues, hasChromium, ROOT } from './whole-page.ts';

/** Only the visible part of a long timeline is rendered. */
const TALL = { width: 1440, height: 4000 };

const HELLO_BRANCH = join(ROOT, 'examples/hello-branch');

/** The workflow of hello-branch on the rehearsal: it asks three questions first. */
async function startWorkflow() {
  const whole = await pageForTest();
  const api = whole.api();
  const { projectId } = await api.projects.open({ body: { path: whole.project } });
  const { package: installed } = await api.packages.importPath({ body: { path: HELLO_BRANCH } });
  const { workId } = await api.works.create({
    body: { projectId, kind: 'workflow', packageHash: installed.hash, approval: 'autopilot' },
  });
  return { whole, path: `/p/${projectId}/w/${workId}`, workId };
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.keyboard.press('Enter');
}

/** Line by line, because spacing changes when the formatting of replies is loaded. */
const storyOf = async (page: Page): Promise<string> =>
  (await page.getByRole('tabpanel').first().innerText()).replace(/\n+/g, '\n');

describe.skipIf(!hasChromium)('steering', () => {
  it('[U34] shows the exact change; a denial with a note reaches the model and nothing is written', {
    tags: 'main',
  }, async () => {
    const write = { name: 'fs_write', arguments: { path: '@project/plan.md', content: '# Plan\n\nNew.\n' } };
    const { whole, model, path } = await chatForTest([toolCallReply([write]), textReply('As you wish.')]);
    const file = join(whole.project, 'plan.md');
    await writeFile(file, '# Plan\n\nOld.\n');
    const page = await whole.open({ path });
    await say(page, 'Change the plan.');
    const dock = page.getByRole('region', { name: 'Allow this change?' });
    await dock.getByText('New.').waitFor();
    await dock.getByText('Old.').waitFor();
    expect(await findIssues(page)).toEqual([]);
    await page.getByRole('textbox', { name: 'Note to the model (optional)' }).fill('Keep the old one.');
    await dock.getByRole('button', { name: 'Deny', exact: true }).click();
    await page.getByText('As you wish.').waitFor();
    expect(await readFile(file, 'utf8')).toContain('Old.');
    expect(JSON.stringify(model.requests.at(-1)?.body.messages.at(-1))).toContain('Keep the old one.');
    await page.getByText('declined').waitFor();
  });

  it('[U91] stops a running turn, and resumes it', async () => {
    const { whole, model, path } = await chatForTest((_, index) =>
      index === 0 ? hangBeforeHeaders() : textReply('Here I am.'),
    );
    const page = await whole.open({ path });
    await say(page, 'Are you there?');
    await expect.poll(() => model.requests.length).toBe(1);
    await page.getByRole('button', { name: 'Stop' }).first().click();
    await page.getByRole('button', { name: 'Resume' }).first().click();
    await page.getByText('Here I am.').waitFor();
  });

  it('[U15] a reload in the middle of a reply loses nothing', async () => {
    const signal = createSignal();
    const { whole, path } = await chatForTest([replyInTwo('The first half, ', 'and the second.', signal)]);
    const page = await whole.open({ path });
    await say(page, 'Tell me.');
    await page.getByText('The first half,').waitFor();
    await page.reload();
    await page.getByText('The first half,').waitFor();
    signal.give();
    await page.getByText('The first half, and the second.').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    // The list of works updates the title shortly after the timeline.
    await page.getByRole('heading', { name: 'Tell me.' }).first().waitFor({ state: 'attached' });
    const live = await storyOf(page);
    await page.reload();
    await page.getByText('The first half, and the second.').waitFor();
    await expect.poll(() => storyOf(page)).toBe(live);
  });

  it('[U91] after the server was killed during a turn, the conversation is shown and can be resumed', {
    tags: 'main',
  }, async () => {
    const { whole, model, path } = await chatForTest((_, index) =>
      index === 0 ? hangBeforeHeaders() : textReply('Where were we?'),
    );
    const page = await whole.open({ path });
    await say(page, 'Remember this.');
    await page.getByRole('button', { name: 'Stop' }).first().waitFor();
    await expect.poll(() => model.requests.length).toBe(1);
    await whole.killAndRestart();
    const back = await whole.open({ path });
    await back.getByRole('tabpanel').first().getByText('Remember this.').first().waitFor();
    await back.getByRole('button', { name: 'Resume' }).first().click();
    await back.getByText('Where were we?').waitFor();
    // The open page cannot reach the server; only the browser reports that.
    whole.complaints.splice(0);
  });

  it('[U194] after a restart of the server, an open page signs in automatically and keeps the draft', async () => {
    const { whole, path } = await chatForTest(() => textReply('Good morning.'));
    const page = await whole.open({ path });
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.fill('Half a thought');
    await whole.killAndRestart();
    await expect.poll(() => message.inputValue()).toBe('Half a thought');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Good morning.').waitFor({ timeout: 30_000 });
    await page.reload();
    await page.getByText('Good morning.').waitFor();
    // The browser reports that the server was unreachable.
    whole.complaints.splice(0);
  });

  it('[U194] a page that is signed out says how to open it again, and keeps the draft', async () => {
    const { whole, path } = await chatForTest(() => textReply('Good morning.'));
    const page = await whole.open({ path });
    await page.getByRole('textbox', { name: 'Message' }).fill('Half a thought');
    await whole.killAndRestart('--new-token');
    await page.getByRole('heading', { name: 'CrewAgent restarted' }).waitFor({ timeout: 30_000 });
    expect(await findIssues(page)).toEqual([]);
    await page.getByRole('button', { name: 'Reconnect' }).click();
    await page.getByRole('heading', { name: 'CrewAgent restarted' }).waitFor();
    const { origin, hash } = new URL(whole.address());
    await page.goto(`${origin}${path}${hash}`);
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Message' }).inputValue())
      .toBe('Half a thought');
    // The browser reports that the server was unreachable.
    whole.complaints.splice(0);
  });

  it('[U11] a second tab, a middle click and a bookmark open a conversation; signing out ends all of them', async () => {
    const { whole, path } = await chatForTest(() => textReply('Good morning.'));
    const first = await whole.open({ path });
    const { origin } = new URL(whole.address());
    const second = await first.context().newPage();
    await second.goto(`${origin}${path}`);
    await second.getByRole('textbox', { name: 'Message' }).fill('Hello');
    await second.keyboard.press('Enter');
    for (const page of [first, second]) await page.getByText('Good morning.').waitFor();
    await whole.killAndRestart('--new-token');
    for (const page of [first, second])
      await page.getByRole('heading', { name: 'CrewAgent restarted' }).waitFor({ timeout: 30_000 });
    const third = await first.context().newPage();
    await third.goto(whole.address());
    for (const page of [first, second]) await page.getByText('Good morning.').waitFor({ timeout: 30_000 });
    // The browser reports that the server was unreachable.
    whole.complaints.splice(0);
  });

  it('[U15] two windows show the same; an answer in one is an answer in both', { tags: 'main' }, async () => {
    const { whole, path } = await startWorkflow();
    const [one, other] = await Promise.all([whole.open({ path }), whole.open({ path })]);
    for (const page of [one, other]) await page.getByLabel('What is the project called?').waitFor();
    await one.getByLabel('What is the project called?').fill('Larder');
    await one.getByLabel('What should it do, and for whom?').fill('Lists for families');
    await one.getByLabel(/What exists already/).fill('nothing');
    await one.getByRole('button', { name: 'Answer', exact: true }).click();
    for (const page of [one, other]) await page.getByText('Workflow completed').waitFor();
    await expect.poll(() => other.getByLabel('What is the project called?').count()).toBe(0);
    await expect.poll(async () => (await storyOf(one)) === (await storyOf(other))).toBe(true);
    await access(join(whole.project, 'artifacts/hello-branch/intake.md'));
  });

  it('[U1] many windows of one browser work at the same time', async () => {
    const { whole, path } = await chatForTest(() => textReply('Good morning.'));
    const first = await whole.open({ path });
    const { origin, hash } = new URL(whole.address());
    const others = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const page = await first.context().newPage();
        await page.goto(`${origin}${path}${hash}`);
        return page;
      }),
    );
    const pages = [first, ...others];
    for (const page of pages) await page.getByRole('textbox', { name: 'Message' }).waitFor();
    for (const page of pages) await page.getByRole('button', { name: 'Files' }).first().click();
    await say(first, 'Hello.');
    for (const page of pages) await page.getByText('Good morning.').waitFor();
    await say(others[4] ?? first, 'And again.');
    for (const page of pages) await expect.poll(() => page.getByText('Good morning.').count()).toBe(2);
  });

  it('shows a run without a conversation like any other', async () => {
    const whole = await pageForTest();
    const api = whole.api();
    const { projectId } = await api.projects.open({ body: { path: whole.project } });
    const { package: installed } = await api.packages.importPath({ body: { path: HELLO_BRANCH } });
    const { workId: runId } = await api.works.create({
      body: { projectId, kind: 'run', packageHash: installed.hash, approval: 'autopilot' },
    });
    const page = await whole.open({ path: `/p/${projectId}/w/${runId}`, viewport: TALL });
    await page.getByLabel('What is the project called?').fill('Larder');
    await page.getByLabel('What should it do, and for whom?').fill('Lists for families');
    await page.getByLabel(/What exists already/).fill('nothing');
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await page.getByText('Workflow completed').waitFor();
    expect(await storyOf(page)).toContain('Summarise and close');
    await page.getByRole('list', { name: 'Workflow steps' }).getByText('Intake').first().waitFor();
    // The text of the main result arrives after the end.
    await page.getByText('This file is from a rehearsal').waitFor();
    const story = await settledText(() => storyOf(page));
    await page.reload();
    await expect.poll(() => storyOf(page)).toBe(story);
  });

  it('[U5] is in Chinese throughout if the browser prefers it, from the start screen on', {
    tags: 'main',
  }, async () => {
    const whole = await pageForTest();
    const page = await whole.open({ locale: 'zh-CN', viewport: TALL });
    await page.getByRole('button', { name: '试试示例' }).click();
    await page.getByLabel('项目叫什么名字？').fill('储藏室');
    await page.getByLabel('它要做什么，给谁用？').fill('家庭清单');
    await page.getByLabel(/现在已经有什么/).fill('没有');
    expect(await findIssues(page)).toEqual([]);
    await page.getByRole('button', { name: '回答', exact: true }).click();
    await page.getByText('工作流已完成').first().waitFor();
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('zh-CN');
    expect(await storyOf(page)).toContain('总结并结束');
  });

  it('[U96] works with the keyboard alone from start to end', { tags: 'main' }, async () => {
    const { whole, path } = await startWorkflow();
    const page = await whole.open({ path });
    const first = page.getByLabel('What is the project called?');
    await first.waitFor();
    const tabTo = async (target: () => Promise<boolean>): Promise<void> => {
      for (let presses = 0; presses < 80; presses++) {
        if (await target()) return;
        await page.keyboard.press('Tab');
      }
      throw new Error('The keyboard does not lead there.');
    };
    const hasFocus = (label: RegExp) => () =>
      page
        .getByLabel(label)
        .first()
        .evaluate((element) => element === document.activeElement);
    await tabTo(hasFocus(/What is the project called/));
    await page.keyboard.type('Larder');
    await tabTo(hasFocus(/What should it do/));
    await page.keyboard.type('Lists');
    await tabTo(hasFocus(/What exists already/));
    await page.keyboard.type('nothing');
    const answer = page.getByRole('button', { name: 'Answer', exact: true });
    await tabTo(() => answer.evaluate((element) => element === document.activeElement));
    await page.keyboard.press('Enter');
    await page.getByText('Workflow completed').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Commands' }).waitFor();
    await page.keyboard.type('settin');
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/settings/);
    await page.goBack();
    await page.getByText('Workflow completed').waitFor();
  });
});

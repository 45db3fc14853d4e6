/**
 * What a person can rely on: no text that was shown is lost, pending requests are visible everywhere, errors name
 * their cause and remedy.
 */
import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { writeTree } from '../packages/core/src/testing/file-tree.ts';
import {
  type ProviderReply,
  rawReply,
  statusReply,
  textReply,
  toChunks,
  toolCallReply,
} from '../packages/core/src/testing/models/provider-replies.ts';
import { samplePackage, step } from '../packages/core/src/testing/packages/sample-package.ts';
import { chatForTest, modelForTest, pageForTest } from './for-one-test.ts';
import { createSignal, replyInTwo } from './scripted-model.ts';
import { findIssues, hasChromium } from './whole-page.ts';

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.keyboard.press('Enter');
}

const storyOf = async (page: Page): Promise<string> =>
  (await page.getByRole('tabpanel').first().innerText()).replace(/\n+/g, '\n');

describe.skipIf(!hasChromium)('a stopped reply', () => {
  it('[U91] stays on the page, marked where it stopped, also after a reload and in Chinese', async () => {
    const first = 'The first half of a long answer. ';
    const { whole, model, path } = await chatForTest((_, index) =>
      index === 0 ? replyInTwo(first, 'never', createSignal()) : textReply('And the rest.'),
    );
    const page = await whole.open({ path });
    await say(page, 'Tell me.');
    await page.getByText('The first half').waitFor();
    await page.getByRole('button', { name: 'Stop' }).first().click();
    await page.getByText('The reply stopped here.').waitFor();
    await page.getByText('The first half').waitFor();
    expect(await findIssues(page)).toEqual([]);
    const live = await storyOf(page);
    await page.reload();
    await page.getByText('The reply stopped here.').waitFor();
    await expect.poll(() => storyOf(page)).toBe(live);
    const chinese = await whole.open({ path, locale: 'zh-CN' });
    await chinese.getByText('回复在此处中断。').waitFor();
    await page.getByRole('button', { name: 'Resume' }).first().click();
    await page.getByText('And the rest.').waitFor();
    await page.getByText('The first half').waitFor();
    expect(JSON.stringify(model.requests.at(-1)?.body.messages.at(-1))).toContain('The first half');
  });

  it('[U91] stays after the server was killed, as far as it was recorded', async () => {
    const { whole, path } = await chatForTest((_, index) =>
      index === 0 ? replyWordByWord(100) : textReply('Back again.'),
    );
    const page = await whole.open({ path });
    await say(page, 'Count.');
    // Long enough that part of the text is recorded.
    await page.getByText('word30 ').waitFor();
    await whole.killAndRestart();
    await page.getByText('The reply stopped here.').waitFor({ timeout: 30_000 });
    await page.getByText('word1 word2 word3').waitFor();
    await page.getByRole('button', { name: 'Resume' }).first().click();
    await page.getByText('Back again.').waitFor();
    // The browser reports that the server was unreachable.
    whole.complaints.splice(0);
  });
});

describe.skipIf(!hasChromium)('a model that fails', () => {
  it('[U234] [H20] gets another key in path, and answers with it at once', async () => {
    const model = await modelForTest(({ headers }) =>
      headers.authorization === 'Bearer sk-right'
        ? textReply('Now I can.')
        : statusReply(401, { error: { message: 'Incorrect API key provided.' } }),
    );
    const whole = await pageForTest();
    const api = whole.api();
    const { projectId } = await api.projects.open({ body: { path: whole.project } });
    const settings = { provider: 'generic', baseUrl: model.url, model: 'scripted' } as const;
    await api.models.put({ name: 'mine', body: { settings, isDefault: true } });
    await api.models.setKey({ name: 'mine', body: { key: 'sk-wrong' } });
    const { workId } = await api.works.create({ body: { projectId, kind: 'chat', approval: 'ask' } });
    const page = await whole.open({ path: `/p/${projectId}/w/${workId}` });
    await say(page, 'Hello?');
    await page.getByText('Error', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Change the key' }).click();
    const dialog = page.getByRole('dialog', { name: 'API key for mine' });
    await dialog.waitFor();
    expect(await findIssues(page)).toEqual([]);
    await dialog.getByLabel('New API key').fill('sk-right');
    await dialog.getByRole('button', { name: 'Save and retry' }).click();
    await page.getByText('Now I can.').waitFor();
    await page.getByText(/Resumed at/).waitFor();
    const live = await storyOf(page);
    await page.reload();
    await page.getByText('Now I can.').waitFor();
    await expect.poll(() => storyOf(page)).toBe(live);
  });

  it('[U234] is retried after a countdown, or at once', async () => {
    const { whole, path } = await chatForTest((_, index) =>
      index === 0 ? statusReply(429, '', { 'retry-after': '25' }) : textReply('Here I am.'),
    );
    const page = await whole.open({ path });
    await say(page, 'Hello?');
    await page.getByText(/Retrying in 2\ds/).waitFor();
    expect(await findIssues(page)).toEqual([]);
    await page.getByRole('button', { name: 'Try now' }).click();
    await page.getByText('Here I am.').waitFor({ timeout: 10_000 });
    const chinese = await whole.open({ path, locale: 'zh-CN' });
    await chinese.getByText('Here I am.').waitFor();
    expect(await findIssues(chinese)).toEqual([]);
  });
});

const writeCall = (id: string, path: string, content: string) =>
  toolCallReply([{ id, name: 'fs_write', arguments: { path, content } }]);

describe.skipIf(!hasChromium)("the user's own files", () => {
  it('[U16] [U66] are distinct from new ones, open as a diff, and are undone with later changes', {
    tags: 'main',
  }, async () => {
    const { whole, path } = await chatForTest([
      writeCall('w1', '@project/artifacts/new.md', '# New\n'),
      writeCall('w2', '@project/artifacts/new.md', '# New\n\nMore.\n'),
      writeCall('w3', '@project/artifacts/new.md', '# New\n\nMore.\n'),
      toolCallReply([{ id: 'r1', name: 'fs_read', arguments: { path: '.env' } }]),
      textReply('Done.'),
    ]);
    await writeFile(join(whole.project, '.env'), 'KEY=1\n');
    const page = await whole.open({ path });
    await say(page, 'Write it.');
    await page.getByText('Done.').waitFor();
    const story = page.getByRole('region', { name: 'Timeline' });
    await story.getByRole('button', { name: /New file.*new\.md/ }).waitFor();
    await story.getByRole('button', { name: /No change to.*new\.md/ }).waitFor();
    await story.getByRole('button', { name: /Blocked: secret file.*\.env/ }).waitFor();
    await story.getByRole('button', { name: /Changed.*new\.md/ }).click();
    await story.getByRole('group', { name: 'Changes' }).getByText('More.').waitFor();
    expect(await findIssues(page)).toEqual([]);
    const live = await storyOf(page);
    await page.reload();
    await page.getByText('Done.').waitFor();
    await story.getByRole('button', { name: /Changed.*new\.md/ }).click();
    await expect.poll(() => storyOf(page)).toBe(live);
    await story.getByRole('button', { name: /New file.*new\.md/ }).click();
    await story
      .getByRole('button', { name: /^Undo the change/ })
      .first()
      .click();
    await story
      .getByText(/a later step changed it/)
      .first()
      .waitFor();
    await story.getByRole('button', { name: 'Undo the later change too' }).click();
    await expect
      .poll(() =>
        access(join(whole.project, 'artifacts/new.md')).then(
          () => 'there',
          () => 'gone',
        ),
      )
      .toBe('gone');
  });
});

describe.skipIf(!hasChromium)('pending requests', () => {
  it('[U243] are visible on every screen, and one click away', { tags: 'main' }, async () => {
    const signal = createSignal();
    const { whole, path } = await chatForTest(async (_, index) => {
      if (index > 0) return textReply('As you wish.');
      await signal.given;
      return writeCall('w1', '@project/plan.md', '# Plan\n\nNew.\n');
    });
    await writeFile(join(whole.project, 'plan.md'), '# Plan\n\nOld.\n');
    const page = await whole.open({ path });
    await say(page, 'Change the plan.');
    await page.getByRole('button', { name: 'Stop' }).first().waitFor();
    await page.getByRole('navigation').getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    signal.give();
    const toast = page.getByRole('status').filter({ hasText: 'wants to change plan.md' });
    await page
      .getByText(/wants to change plan\.md/)
      .first()
      .waitFor();
    await page
      .getByRole('navigation')
      .getByRole('button', { name: /Start.*1 needs attention/ })
      .waitFor();
    await expect.poll(() => page.title()).toMatch(/^\(1\) /);
    expect(await findIssues(page)).toEqual([]);
    const start = await whole.open({ path: '/start' });
    await start.getByText('Wants to change plan.md').waitFor();
    const chinese = await whole.open({ path: '/start', locale: 'zh-CN' });
    await chinese.getByText(/修改 plan\.md/).waitFor();
    expect(await findIssues(chinese)).toEqual([]);
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('button', { name: 'Allow once' }).waitFor();
    await expect.poll(() => toast.count()).toBe(0);
    await page.getByRole('navigation').getByRole('button', { name: 'Files' }).click();
    await page.getByRole('treeitem', { name: /plan\.md/ }).dblclick();
    await page.getByRole('tab', { name: /Needs your answer/ }).click();
    await page.getByRole('button', { name: 'Allow once' }).click();
    await page.getByText('As you wish.').waitFor();
    await expect.poll(() => page.title()).not.toMatch(/^\(/);
  });
});

describe.skipIf(!hasChromium)('permissions', () => {
  it('[U34] [H20] are shown, changed between two turns, and revoked in the settings', async () => {
    const { whole, path } = await chatForTest((_, index) =>
      index % 2 === 1
        ? textReply(`Written ${index}.`)
        : writeCall(`w${index}`, `@project/plan-${index}.md`, `# Plan ${index}\n`),
    );
    const page = await whole.open({ path });
    await say(page, 'Write one.');
    await page.getByRole('button', { name: 'More options' }).click();
    await page.getByRole('menuitem', { name: 'Always allow plan-0.md' }).click();
    await page.getByText('Written 1.').waitFor();
    const picker = page.getByRole('button', { name: /Ask first$/ });
    await picker.click();
    expect(await findIssues(page)).toEqual([]);
    await page.getByRole('menuitem', { name: 'Run without asking' }).click();
    await page.getByRole('button', { name: /Run without asking$/ }).waitFor();
    await say(page, 'Write another.');
    await page.getByText('Written 3.').waitFor();
    await access(join(whole.project, 'plan-2.md'));
    await page.reload();
    await page.getByRole('button', { name: /Run without asking$/ }).waitFor();
    const settings = await whole.open({ path: '/settings/tools' });
    const allowed = settings.getByRole('region', { name: 'Always allowed changes' });
    await allowed.getByText('plan-0.md').waitFor();
    expect(await findIssues(settings)).toEqual([]);
    await allowed.getByRole('button').click();
    await allowed.getByText(/Nothing is always allowed/).waitFor();
  });
});

describe.skipIf(!hasChromium)('permissions of a turn that runs', () => {
  it('[L21] [H20] are changed in its middle, and hold from the next call on', async () => {
    const signal = createSignal();
    const { whole, path } = await chatForTest(async (_, index) => {
      if (index === 0) await signal.given;
      return index < 2
        ? writeCall(`w${index}`, `@project/note-${index}.md`, '# A note\n')
        : textReply('Both written.');
    });
    const page = await whole.open({ path });
    await say(page, 'Write two notes.');
    await page.getByRole('button', { name: 'Stop' }).first().waitFor();
    await page.getByRole('button', { name: /Ask first$/ }).click();
    await page.getByRole('menuitem', { name: 'Run without asking' }).click();
    await page.getByText('From the next tool call on: Run without asking').first().waitFor();
    expect(await findIssues(page)).toEqual([]);
    signal.give();
    await page.getByText('Both written.').waitFor();
    await access(join(whole.project, 'note-0.md'));
    await access(join(whole.project, 'note-1.md'));
    await page.reload();
    await page.getByRole('button', { name: /Run without asking$/ }).waitFor();
  });
});

describe.skipIf(!hasChromium)('a message that waits', () => {
  it('[U91] is withdrawn, or edited in the field', async () => {
    const signal = createSignal();
    const { whole, model, path } = await chatForTest((_, index) =>
      index === 0 ? replyInTwo('Working on it. ', 'Done.', signal) : textReply('Understood.'),
    );
    const page = await whole.open({ path });
    await say(page, 'Begin.');
    await page.getByText('Working on it.').waitFor();
    await say(page, 'First thought.');
    await page.getByRole('button', { name: 'Withdraw' }).click();
    await expect.poll(() => page.getByText('First thought.').count()).toBe(0);
    await say(page, 'Second thought.');
    expect(await findIssues(page)).toEqual([]);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const message = page.getByRole('textbox', { name: 'Message' });
    await expect.poll(() => message.inputValue()).toBe('Second thought.');
    await message.fill('Better thought.');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Withdraw' }).waitFor();
    signal.give();
    await page.getByText('Understood.').waitFor();
    const sent = JSON.stringify(model.requests.at(-1)?.body.messages);
    expect(sent).toContain('Better thought.');
    expect(sent).not.toMatch(/First thought|Second thought/);
    const live = await storyOf(page);
    await page.reload();
    await page.getByText('Understood.').waitFor();
    await expect.poll(() => storyOf(page)).toBe(live);
  });
});

describe.skipIf(!hasChromium)('a step that waits for a choice', () => {
  it('[S50] shows its menu and the field for the answer, also without approvals, and goes on with the answer', async () => {
    const leave = (nodeId: string, next?: string) =>
      toolCallReply([{ name: 'runtime_complete_node', arguments: { nodeId, next } }]);
    const menu = '[A] Look again\n[C] Continue';
    const replies = [
      leave('step-01', 'end-99'),
      textReply(menu),
      leave('step-01', 'end-99'),
      leave('end-99'),
    ];
    const model = await modelForTest((_, index) => replies[index] ?? textReply('All done.'));
    const whole = await pageForTest({ env: model.env });
    const source = join(whole.project, '..', 'waiting');
    const waits = 'waits: {for: choice, options: [A, C]}\n';
    await writeTree(source, samplePackage(undefined, { 'steps/step-01.md': step('step-01', 'step', waits) }));
    const api = whole.api();
    const { projectId } = await api.projects.open({ body: { path: whole.project } });
    const { package: installed } = await api.packages.importPath({ body: { path: source } });
    const { workId } = await api.works.create({
      body: { projectId, kind: 'workflow', packageHash: installed.hash, approval: 'autopilot' },
    });
    const page = await whole.open({ path: `/p/${projectId}/w/${workId}` });
    await page.getByText('[C] Continue').waitFor();
    await page.getByText('Waiting for you').first().waitFor();
    const message = page.getByRole('textbox', { name: 'Message' });
    expect(await message.isEditable()).toBe(true);
    await page.reload();
    await page.getByText('[C] Continue').waitFor();
    await say(page, 'C');
    await page.getByText('All done.').waitFor();
    await page.getByRole('button', { name: 'Show evidence' }).click();
    await page.getByText('Next, as you chose').first().waitFor({ state: 'attached' });
  });
});

/** Sends a numbered word at an interval, without end. */
function replyWordByWord(everyMs: number): ProviderReply {
  return rawReply({
    async *[Symbol.asyncIterator]() {
      for (let index = 1; index < 1_000; index++) {
        const [chunk] = toChunks({ text: `word${index} `, finishReason: null, usage: null }).slice(-1);
        yield `data: ${JSON.stringify(chunk)}\n\n`;
        await new Promise((resolve) => setTimeout(resolve, everyMs));
      }
    },
  });
}

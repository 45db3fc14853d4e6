import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  hangBeforeHeaders,
  type ProviderReply,
  textReply,
  toolCallReply,
} from '../packages/core/src/testing/models/provider-replies.ts';
import { finishArguments } from '../packages/core/src/testing/models/scripted-model.ts';
import { checkBothThemes } from './check-both-themes.ts';
import { modelForTest, pageForTest } from './for-one-test.ts';
import { findIssues, hasChromium, ROOT } from './whole-page.ts';

/** Of a long story only what is in sight is on the page. */
const TALL = { width: 1440, height: 2400 };
const SUPPER_PLAN = join(ROOT, 'examples/supper-plan');

const write = (path: string, content: string): ProviderReply =>
  toolCallReply([{ name: 'fs_write', arguments: { path: `@project/${path}`, content } }]);
const finish = (nodeId: string, next?: string, variables: Record<string, unknown> = {}): ProviderReply =>
  toolCallReply([{ name: 'fs_apply_patch', arguments: finishArguments(nodeId, next, variables) }]);
const end = (nodeId: string): ProviderReply => finish(nodeId, undefined, { workflowStatus: 'complete' });
const ask = (prompt: string): ProviderReply =>
  toolCallReply([{ name: 'ui_ask_user', arguments: { questions: [{ id: 'heat', prompt, type: 'text' }] } }]);

const RECIPE = `# Soup

- 4 carrots, 1 onion, 1 litre of stock, 2 spoons of oil, salt

1. Cut the carrots and the onion into small pieces, 10 minutes.
2. Fry them in the oil until they smell sweet, 5 minutes.
3. Pour in the stock and let it simmer, 20 minutes.
4. Salt it, and serve it hot with bread.
`;
const SHOPPING_LIST = `- Vegetables: 4 carrots, 1 onion
- Shelves: 1 litre of stock, oil, salt
- Bakery: 1 loaf of bread for two
`;

/** A supper of one dish: the cook asks and wants to write outside of the results; the tasting hangs at first. */
const SUPPER: readonly ProviderReply[] = [
  write('artifacts/supper/dishes.md', '- Soup: quick, and warm enough for Ada\n'),
  finish('choose-dish', 'make-dish', { guests: 'Ada', dish: 'Soup' }),
  ask('How hot may it be?'),
  write('artifacts/supper/recipe.md', RECIPE),
  write('pantry.md', 'Salt\n'),
  finish('write-recipe', 'taste-dish'),
  hangBeforeHeaders(),
  write(
    'artifacts/supper/tasting.md',
    `Good. ${'It is mild, and there is something to bite on. '.repeat(2)}\n`,
  ),
  finish('taste', 'done', { verdict: 'good' }),
  end('done'),
  textReply('It tastes good.'),
  finish('decide', 'serve', { verdict: 'good' }),
  end('serve'),
  textReply('Worth cooking.'),
  finish('make-dish', 'close'),
  write('artifacts/supper/shopping-list.md', SHOPPING_LIST),
  end('close'),
  textReply('Enjoy the supper.'),
];

async function startSupper(locale: string) {
  const model = await modelForTest(SUPPER);
  const whole = await pageForTest({ env: model.env });
  const api = whole.api();
  const { projectId } = await api.projects.open({ body: { path: whole.project } });
  const { package: installed } = await api.packages.importPath({ body: { path: SUPPER_PLAN } });
  const { workId } = await api.works.create({
    body: { projectId, kind: 'workflow', packageHash: installed.hash, approval: 'ask' },
  });
  const page = await whole.open({ path: `/p/${projectId}/w/${workId}`, viewport: TALL, locale });
  return { page, whole, model };
}

const ENGLISH = {
  locale: 'en',
  trail: 'Steps that lead to this workflow',
  answer: 'Answer',
  dock: 'Allow this change?',
  once: 'Allow once',
  stop: 'Stop',
  resume: 'Resume',
  graph: 'Workflow graph',
  hide: 'Hide the steps of Make the dish',
  show: 'Show the steps of Make the dish',
  artifacts: 'Artifacts',
  progress: 'Progress',
  undo: 'Undo',
  whole: /^Whole run \(5 files\)/,
  undid: 'Undid changes to 1 file',
};

const CHINESE: typeof ENGLISH = {
  locale: 'zh-CN',
  trail: '通往此子工作流的步骤',
  answer: '回答',
  dock: '允许此改动吗？',
  once: '允许一次',
  stop: '停止',
  resume: '继续',
  graph: '流程图',
  hide: '收起 Make the dish 的步骤',
  show: '展开 Make the dish 的步骤',
  artifacts: '产物',
  progress: '进度',
  undo: '撤销',
  whole: /^整个运行（5 个文件）/,
  undid: '撤销了 1 个文件的改动',
};

describe.skipIf(!hasChromium)('a workflow that calls others', () => {
  it.each([ENGLISH, CHINESE])(
    '[Q44] [U66] is answered, approved, stopped, resumed and undone in one conversation: $locale',
    async (words) => {
      const { page, whole, model } = await startSupper(words.locale);
      // The cook's question, in the conversation of the plan.
      const trail = page.getByRole('navigation', { name: words.trail }).first();
      await trail.getByText('Make the dish').waitFor();
      await page.getByRole('tab', { name: words.artifacts }).click();
      const artifacts = page.getByRole('list', { name: words.artifacts });
      await artifacts.getByText('dishes.md').waitFor();
      await page.getByRole('textbox', { name: 'How hot may it be?' }).fill('Mild');
      await page.getByRole('button', { name: words.answer, exact: true }).click();
      await page.getByRole('region', { name: words.dock }).getByText('pantry.md').first().waitFor();
      expect(existsSync(join(whole.project, 'pantry.md'))).toBe(false);
      // What the called run has written is listed with the files of its caller before it returns.
      await artifacts.getByText('recipe.md').waitFor();
      await page.getByRole('tab', { name: words.progress }).click();
      await page.getByRole('button', { name: words.once }).click();
      // Two calls deep, where the model is silent.
      await expect.poll(() => model.requests.length).toBe(7);
      const graph = page.getByRole('region', { name: words.graph });
      await graph.getByText('Taste', { exact: true }).waitFor();
      await page.getByRole('button', { name: words.stop }).first().click();
      await page.getByRole('button', { name: words.resume }).first().waitFor();
      await graph.getByRole('button', { name: words.hide }).press('Enter');
      await graph.getByText('Write the recipe').waitFor({ state: 'detached' });
      await graph.getByRole('button', { name: words.show }).press('Enter');
      expect(await findIssues(page)).toEqual([]);
      await page.getByRole('button', { name: words.resume }).first().click();
      await page.getByText('Enjoy the supper.').first().waitFor();
      // What every depth wrote is listed, and undone together.
      await page.getByRole('tab', { name: words.artifacts }).click();
      await page.getByText('tasting.md').last().waitFor();
      await page.getByRole('button', { name: words.undo, exact: true }).first().click();
      await page.getByRole('menuitem', { name: words.whole }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: words.undo }).click();
      for (const file of ['pantry.md', 'artifacts/supper/tasting.md', 'artifacts/supper/dishes.md'])
        await expect.poll(() => existsSync(join(whole.project, file))).toBe(false);
      await checkBothThemes(page);
      // Each run has the lines of its own changes, also those that are over; a reload shows the same.
      const undid = page.getByText(words.undid, { exact: true });
      await expect.poll(() => undid.count()).toBe(5);
      await page.reload();
      await undid.last().waitFor();
      await expect.poll(() => undid.count()).toBe(5);
    },
    180_000,
  );
});

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkBothThemes } from './check-both-themes.ts';
import { pageForTest } from './for-one-test.ts';
import { findIssues, hasChromium, ROOT } from './whole-page.ts';

const ENGLISH = {
  locale: 'en',
  forkHere: 'Fork from here',
  fork: 'Fork',
  dialog: 'Fork from “Write the shopping list”',
  variable: 'dish',
  folder: 'New folder',
  from: 'Forked from another run at “Write the shopping list”',
  compare: 'Compare',
  table: 'Runs side by side',
  differs: 'differs',
};

const CHINESE: typeof ENGLISH = {
  locale: 'zh-CN',
  forkHere: '从这里分叉',
  fork: '分叉',
  dialog: '从“Write the shopping list”分叉',
  variable: 'dish',
  folder: '新文件夹',
  from: '从另一个运行的“Write the shopping list”分叉',
  compare: '比较',
  table: '并排的运行',
  differs: '不同',
};

describe.skipIf(!hasChromium)('a fork', () => {
  it.each([ENGLISH, CHINESE])(
    '[W10] is made at a step of a run on the page, says where it comes from, and is compared with it: $locale',
    async (words) => {
      const whole = await pageForTest();
      const api = whole.api();
      const { projectId } = await api.projects.open({ body: { path: whole.project } });
      const { package: pkg } = await api.packages.importPath({
        body: { path: join(ROOT, 'examples/supper-plan') },
      });
      const { workId } = await api.works.create({
        body: { projectId, kind: 'run', packageHash: pkg.hash, model: 'rehearsal', approval: 'autopilot' },
      });
      const phaseOf = async (id: string) => (await api.works.show({ workId: id })).work.phase;
      await expect.poll(() => phaseOf(workId), { timeout: 20_000 }).toBe('WaitingUser');
      const callId = (await api.works.show({ workId })).view.pending?.callId ?? '';
      await api.works.answer({ workId, body: { callId, answers: { guests: 'Four' } } });
      await expect.poll(() => phaseOf(workId), { timeout: 20_000 }).toBe('Completed');

      const page = await whole.open({ path: `/p/${projectId}/w/${workId}`, locale: words.locale });
      // By its title: another step may be the last one that is drawn.
      const step = page.locator('main [data-key]').filter({ hasText: 'Write the shopping list' });
      const dialog = page.getByRole('dialog', { name: words.dialog });
      // While the last steps are not drawn yet, the row before them names the step as well, and forks at its own.
      const openDialog = async (): Promise<boolean> => {
        const button = step.getByRole('button', { name: words.forkHere }).last();
        await button.click({ timeout: 5_000 }).catch(() => undefined);
        const isOpen = await dialog.waitFor({ timeout: 3_000 }).then(
          () => true,
          () => false,
        );
        if (!isOpen) await page.keyboard.press('Escape');
        return isOpen;
      };
      await expect.poll(openDialog).toBe(true);
      await dialog.getByRole('textbox', { name: words.variable, exact: true }).fill('soup');
      expect(await findIssues(page)).toEqual([]);
      const folder = await dialog.getByRole('textbox', { name: words.folder }).inputValue();
      await dialog.getByRole('button', { name: words.fork, exact: true }).click();
      await page.getByText(words.from).waitFor();
      expect(existsSync(join(folder, 'artifacts/supper/recipe.md'))).toBe(true);
      const { forks } = await api.works.forks({ workId });
      const forkId = forks[0]?.workId ?? '';
      await api.works.resume({ workId: forkId, body: {} });
      await expect.poll(() => phaseOf(forkId), { timeout: 20_000 }).toBe('Completed');

      await page.getByRole('button', { name: words.compare, exact: true }).click();
      const table = page.getByRole('table', { name: words.table });
      await table.getByText('soup', { exact: true }).waitFor();
      await table.getByRole('rowheader', { name: words.differs }).first().waitFor();
      await page.getByRole('switch').click();
      await table.getByText('Write the shopping list').first().waitFor();
      expect(await table.textContent()).not.toContain('choose-dish');
      await checkBothThemes(page);
    },
  );
});

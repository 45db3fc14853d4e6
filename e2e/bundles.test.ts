import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkBothThemes } from './check-both-themes.ts';
import { pageForTest } from './for-one-test.ts';
import { findIssues, hasChromium, ROOT } from './whole-page.ts';

const ENGLISH = {
  locale: 'en',
  more: 'More',
  one: 'One file (.crewrun)',
  encrypt: 'Encrypt with a passphrase',
  passphrase: 'Passphrase',
  again: 'Passphrase again',
  submit: 'Export',
  open: 'Open a run from a file (.crewrun)',
  decrypt: 'Decrypt',
  holds: 'What this file holds',
  whole: 'No byte was changed',
  proved: 'exactly what was sent',
  touches: 'What continuing would touch',
  creates: 'Creates',
  model: 'Model',
  continue: 'Continue',
};

const CHINESE: typeof ENGLISH = {
  locale: 'zh-CN',
  more: '更多',
  one: '单个文件（.crewrun）',
  encrypt: '用口令加密',
  passphrase: '口令',
  again: '再次输入口令',
  submit: '导出',
  open: '从文件打开运行（.crewrun）',
  decrypt: '解密',
  holds: '文件中的内容',
  whole: '没有任何字节被改动',
  proved: '与发送时完全一致',
  touches: '继续会改动什么',
  creates: '创建',
  model: '模型',
  continue: '继续',
};

describe.skipIf(!hasChromium)('a run in one file', () => {
  it.each([ENGLISH, CHINESE])(
    '[W3] is exported on the page, opened elsewhere with what it holds and touches, and continued there: $locale',
    async (words) => {
      const ada = await pageForTest();
      const api = ada.api();
      const { projectId } = await api.projects.open({ body: { path: ada.project } });
      const { package: pkg } = await api.packages.importPath({
        body: { path: join(ROOT, 'examples/supper-plan') },
      });
      const { workId } = await api.works.create({
        body: { projectId, kind: 'run', packageHash: pkg.hash, model: 'rehearsal', approval: 'autopilot' },
      });
      const phaseOf = async () => (await api.works.show({ workId })).work.phase;
      await expect.poll(phaseOf, { timeout: 60_000 }).toBe('WaitingUser');
      const callId = (await api.works.show({ workId })).view.pending?.callId ?? '';
      await api.works.answer({ workId, body: { callId, answers: { guests: 'Four' } } });
      await expect.poll(phaseOf, { timeout: 60_000 }).toBe('Completed');

      const page = await ada.open({ path: `/p/${projectId}/w/${workId}`, locale: words.locale });
      await page.getByRole('button', { name: words.more, exact: true }).first().click();
      await page.getByRole('menuitem', { name: words.one }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('checkbox', { name: words.encrypt }).click();
      await dialog.getByLabel(words.passphrase, { exact: true }).fill('correct horse');
      await dialog.getByLabel(words.again).fill('correct horse');
      expect(await findIssues(page)).toEqual([]);
      const download = page.waitForEvent('download');
      await dialog.getByRole('button', { name: words.submit }).click();
      const file = join(ada.folder, 'run.crewrun');
      await (await download).saveAs(file);

      const ben = await pageForTest();
      const bench = ben.api();
      const folder = join(ben.folder, 'bens');
      await mkdir(folder);
      await bench.projects.open({ body: { path: folder } });
      const other = await ben.open({ locale: words.locale });
      await other.getByRole('button', { name: words.open }).click();
      const chooser = other.locator('input[accept=".crewrun"]');
      const damaged = join(ben.folder, 'damaged.crewrun');
      await writeFile(damaged, (await readFile(file)).subarray(200));
      await chooser.setInputFiles(damaged);
      await other.getByRole('alert').filter({ hasText: 'not a .crewrun file' }).waitFor();
      await chooser.setInputFiles(file);
      await other.getByLabel(words.passphrase, { exact: true }).fill('wrong horse');
      await other.getByRole('button', { name: words.decrypt }).click();
      await other.getByRole('alert').filter({ hasText: 'passphrase is not the right one' }).waitFor();
      await other.getByLabel(words.passphrase, { exact: true }).fill('correct horse');
      await other.keyboard.press('Enter');
      await other.getByRole('heading', { name: words.holds }).waitFor();
      for (const text of [words.whole, words.proved]) await other.getByText(text).first().waitFor();
      await other.getByRole('heading', { name: words.touches }).waitFor();
      await other.getByRole('heading', { name: words.creates }).waitFor();
      await other.getByRole('combobox', { name: words.model }).selectOption('rehearsal');
      await checkBothThemes(other);
      expect(existsSync(join(folder, 'artifacts'))).toBe(false);
      await other.getByRole('button', { name: words.continue, exact: true }).click();
      await other.waitForURL(new RegExp(`/w/${workId}$`));
      expect(existsSync(join(folder, 'artifacts/supper/recipe.md'))).toBe(true);
      // Of the two files that were refused.
      expect(ben.complaints.splice(0).filter((text) => !/\b422\b/.test(text))).toEqual([]);
    },
    180_000,
  );
});

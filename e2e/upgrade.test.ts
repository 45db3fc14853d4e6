import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pageForTest } from './for-one-test.ts';
import { findIssues, hasChromium, ROOT } from './whole-page.ts';

const HELLO_BRANCH = join(ROOT, 'examples/hello-branch');

/** The package with another version number and one more sentence in its first step. */
async function writeNewer(folder: string): Promise<string> {
  const target = join(folder, 'newer');
  await cp(HELLO_BRANCH, target, { recursive: true });
  const edit = async (file: string, change: (text: string) => string): Promise<void> =>
    writeFile(join(target, file), change(await readFile(join(target, file), 'utf8')));
  await edit('bmad.json', (text) => text.replace('"version": "1.0.0"', '"version": "1.1.0"'));
  await edit('steps/step-01-intake.md', (text) => `${text}\nAsk for a deadline as well.\n`);
  return target;
}

const ENGLISH = {
  locale: 'en',
  line: 'Version 1.1.0 of the package is installed. This run uses 1.0.0.',
  look: 'See what changes',
  title: 'Move this run to version 1.1.0?',
  changed: 'Changed steps: “Intake”',
  again: '“Intake” has changed and starts over.',
  move: 'Move the run',
  moved: 'The run uses version 1.1.0 now.',
  story: 'Moved to version 1.1.0 of the package',
  resume: 'Resume',
  answer: 'Answer',
};

const CHINESE: typeof ENGLISH = {
  locale: 'zh-CN',
  line: '工作包已有 1.1.0 版，此运行使用的是 1.0.0 版。',
  look: '查看变化',
  title: '将此运行切换到 1.1.0 版吗？',
  changed: '有改动的步骤：“Intake”',
  again: '“Intake”有改动，将重新开始。',
  move: '切换版本',
  moved: '此运行现在使用 1.1.0 版。',
  story: '1.1.0',
  resume: '继续',
  answer: '回答',
};

describe.skipIf(!hasChromium)('a newer version of a package', () => {
  it.each([ENGLISH, CHINESE])(
    '[S16] is offered to a run that waits, which moves to it and goes on: $locale',
    async (words) => {
      const whole = await pageForTest();
      const api = whole.api();
      const { projectId } = await api.projects.open({ body: { path: whole.project } });
      const { package: installed } = await api.packages.importPath({ body: { path: HELLO_BRANCH } });
      const { workId } = await api.works.create({
        body: { projectId, kind: 'workflow', packageHash: installed.hash, model: 'rehearsal' },
      });
      const page = await whole.open({ path: `/p/${projectId}/w/${workId}`, locale: words.locale });
      await page.getByRole('button', { name: words.answer, exact: true }).waitFor();
      await expect.poll(() => page.getByText(words.line).count()).toBe(0);

      await api.packages.importPath({ body: { path: await writeNewer(whole.folder) } });
      await page.reload();
      await page.getByText(words.line).waitFor();
      await page.getByRole('button', { name: words.look }).click();
      const dialog = page.getByRole('dialog', { name: words.title });
      await dialog.getByText(words.changed).waitFor();
      await dialog.getByText(words.again).waitFor();
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await findIssues(page)).toEqual([]);
      }
      await dialog.getByRole('button', { name: words.move }).click();
      await page.getByText(words.moved).first().waitFor();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText(words.line).waitFor({ state: 'detached' });
      await page
        .getByRole('region', { name: /Timeline|过程/ })
        .getByText(words.story)
        .first()
        .waitFor();
      await page.getByRole('button', { name: words.resume, exact: true }).first().click();
      await page.getByRole('button', { name: words.answer, exact: true }).waitFor();
    },
    120_000,
  );
});

/** The pictures of the guide for authors, in both languages: its first method in the editor, the tests of it, a run that asks. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { ROOT, type WholePage } from './whole-page.ts';

const FOLDER = join(ROOT, 'docs/images/guide');
const VIEWPORT = { width: 1_180, height: 680 };

const LANGUAGES = [
  {
    ...{ locale: 'en', page: 'first-method.md', suffix: '', sent: /What the model is sent/ },
    ...{ check: 'Check', test: 'Test', example: 'hello-branch' },
  },
  {
    ...{ locale: 'zh-CN', page: 'zh-CN/first-method.md', suffix: '-zh', sent: /发给模型/ },
    ...{ check: '检查', test: '测试', example: 'hello-branch-zh' },
  },
];

export async function makeGuideImages(whole: WholePage, projectId: string): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  for (const language of LANGUAGES) {
    const { locale, suffix } = language;
    const options = { viewport: VIEWPORT, colorScheme: 'light', locale } as const;
    const shoot = async (page: Page, name: string): Promise<void> => {
      await page.waitForTimeout(1_000);
      await page.screenshot({ path: join(FOLDER, `${name}${suffix}.png`) });
    };
    const thanks = join(whole.folder, `home${suffix}`, 'thanks');
    await writeSamples(language.page, dirname(thanks));
    const path = `/packages/edit/${encodeURIComponent(encodeURIComponent(thanks).replaceAll('%', '~'))}`;
    const editor = await whole.open({ ...options, path });
    await editor.locator('.react-flow__node').nth(1).click();
    await editor.getByRole('button', { name: language.sent }).click();
    await editor.locator('h1 + span').evaluate((shown) => {
      shown.textContent = '~/thanks';
    });
    await editor.getByRole('status').getByText('%').waitFor();
    await shoot(editor, 'editor');
    await editor.getByRole('tab', { name: language.check }).click();
    await editor.getByRole('button', { name: language.test, exact: true }).click();
    await editor.getByRole('status').getByText('%').waitFor();
    await shoot(editor, 'tests');

    const { package: pkg } = await whole.api().packages.installExample({ example: language.example });
    const { workId } = await whole.api().works.create({
      body: { projectId, kind: 'workflow', packageHash: pkg.hash, approval: 'ask' },
    });
    const run = await whole.open({ ...options, path: `/p/${projectId}/w/${workId}` });
    await run.getByRole('textbox').first().waitFor();
    await run.locator('.react-flow__node').first().waitFor();
    await shoot(run, 'question');
  }
}

/** The samples of a page of the guide, which name their files. */
async function writeSamples(page: string, folder: string): Promise<void> {
  const text = await readFile(join(ROOT, 'docs/authors', page), 'utf8');
  for (const [, path = '', content = ''] of text.matchAll(/^```\w+ (\S+\.\w+)\n([\s\S]*?)^```$/gm)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findIssues, hasChromium, ROOT, startWholePage, type WholePage } from './whole-page.ts';

const DOCUMENT = `# Login

Text with $\\bar{x} = \\frac{1}{n}\\sum x_i$, for $5 to $10.

## Flow

\`\`\`mermaid
flowchart LR
  accTitle: How a person signs in
  A[Open] --> B{Passkey?}
  B --> C[登录]
\`\`\`

## Numbers

| Step | Time |
| --- | ---: |
| Open | 1,200 |
| Ask | 300 |

## Hostile

\`\`\`mermaid
flowchart LR
  A["<img src=https://evil.example/p.png onerror=alert(1)>"] --> B
  click A "javascript:alert(1)"
\`\`\`

## Picture

![The icon](icon.svg) ![Not ours](https://evil.example/p.png)
`;

describe.skipIf(!hasChromium)('documents', () => {
  let whole: WholePage;
  let projectId: string;
  let workId: string;

  beforeAll(async () => {
    whole = await startWholePage();
    await mkdir(join(whole.project, 'docs'), { recursive: true });
    await writeFile(join(whole.project, 'docs/login.md'), DOCUMENT);
    await copyFile(join(ROOT, 'apps/web/public/icon.svg'), join(whole.project, 'docs/icon.svg'));
    const { packages, projects, works } = whole.api();
    ({ projectId } = await projects.open({ body: { path: whole.project } }));
    const { package: pkg } = await packages.installExample({ example: 'create-story-micro' });
    const body = { projectId, kind: 'workflow', packageHash: pkg.hash, approval: 'autopilot' } as const;
    ({ workId } = await works.create({ body: { ...body, input: '1-2-user-login' } }));
  }, 120_000);

  afterAll(() => whole?.close());

  /** Without what the frame refused to the hostile diagram. */
  const complaints = (): readonly string[] =>
    whole.complaints.filter((text) => !text.startsWith('Executing inline event handler violates'));

  const openFile = async (page: Page, path: string): Promise<void> => {
    const folder = path.replace(/\/.*/, '');
    await page
      .getByRole('button', { name: /^(?:Files|文件)$/ })
      .first()
      .click();
    const item = (name: string) => page.getByRole('treeitem', { name, exact: true });
    await item(folder).click();
    await item(path.replace(/.*\//, '')).click();
    await page.getByRole('tab', { name: path.replace(/.*\//, ''), selected: true, exact: true }).waitFor();
  };

  it.each([
    { locale: 'en', outline: 'Contents', failed: 'Image not loaded: Not ours', isDark: false },
    { locale: 'zh-CN', outline: '目录', failed: '未加载图片：Not ours', isDark: true },
  ])(
    '[U7] are read as they are meant, and nothing in them reaches the network ($locale)',
    {
      tags: 'main',
    },
    async ({ locale, outline, failed, isDark }) => {
      const colorScheme = isDark ? 'dark' : 'light';
      const page = await whole.open({ path: `/p/${projectId}/w/${workId}`, locale, colorScheme });
      await page.getByRole('region', { name: /^(?:Result of the run|运行结果)$/ }).waitFor();
      await openFile(page, 'docs/login.md');
      const drawn = page.getByRole('img', { name: 'How a person signs in' });
      await drawn.waitFor();
      await expect
        .poll(() => drawn.evaluate((image) => (image as HTMLImageElement).naturalWidth))
        .toBeGreaterThan(100);
      await expect.poll(() => page.locator('.katex').count()).toBe(1);
      await page.getByText('for $5 to $10', { exact: false }).waitFor();
      await page.getByRole('img', { name: 'The icon' }).waitFor();
      await page.getByText(failed).waitFor();

      const contents = page.getByRole('navigation', { name: outline });
      // Beside the text where there is room, else folded above it.
      if (!(await contents.isVisible())) await page.locator('summary', { hasText: outline }).click();
      await page.getByRole('button', { name: 'Picture', exact: true }).click();
      await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Picture');

      const time = page.getByRole('columnheader', { name: 'Time' });
      await time.getByRole('button').focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => page.getByRole('row').nth(1).innerText()).toContain('Ask');
      expect(await time.getAttribute('aria-sort')).toBe('ascending');
      expect(await findIssues(page)).toEqual([]);
      expect(complaints()).toEqual([]);
    },
  );

  it('[U50] have the versions of each step, compared in the way that was chosen last', async () => {
    const page = await whole.open({ path: `/p/${projectId}/w/${workId}` });
    const card = page.getByRole('region', { name: 'Result of the run' });
    const result = card.getByRole('article', { name: 'Result: 1-2-user-login.md' });
    await result.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('radio', { name: 'Versions' }).click();
    const picker = page.getByRole('combobox', { name: 'Version' });
    await expect
      .poll(() => picker.locator('option').allInnerTexts())
      .toEqual([expect.stringMatching(/^1 · Generate the story file · /), 'Before the run']);
    await page.getByRole('group', { name: 'Changes' }).getByText('Generate the story file').waitFor();
    await page.getByRole('radio', { name: 'File', exact: true }).click();
    await page.getByRole('heading', { name: 'Generate the story file', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Older version' }).click();
    await page.getByText('The file did not exist then.').waitFor();
    expect(await findIssues(page)).toEqual([]);
    expect(complaints()).toEqual([]);
  });

  it.each([
    {
      locale: 'en',
      exports: 'Export',
      word: 'Export 1-2-user-login.md as Word file',
      run: 'Hand-over as Word file',
      pdf: 'Hand-over as PDF',
      titles: ['Evidence', 'Facts'],
    },
    {
      locale: 'zh-CN',
      exports: '导出',
      word: '将 1-2-user-login.md 导出为 Word 文档',
      run: '交接报告：Word 文档',
      pdf: '交接报告：PDF',
      titles: ['证据', '基本信息'],
    },
  ])('[X20] and runs are exported as Word files and printed ($locale)', async (texts) => {
    const page = await whole.open({ path: `/p/${projectId}/w/${workId}`, locale: texts.locale });
    await page.evaluate(() => {
      globalThis.print = () => {
        const sheet = document.querySelector('.print-sheet');
        const titles = [...(sheet?.querySelectorAll('h1, h2') ?? [])].map(({ textContent }) => textContent);
        document.body.dataset.printed = JSON.stringify([document.title, titles]);
      };
    });
    const card = page.getByRole('region', { name: /^(?:Result of the run|运行结果)$/ });
    const exportAs = async (name: string): Promise<void> => {
      await card.getByRole('button', { name: texts.exports }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    for (const name of [texts.word, texts.run]) {
      const [saved] = await Promise.all([page.waitForEvent('download'), exportAs(name)]);
      expect(saved.suggestedFilename()).toMatch(/^(?:1-2-user-login|Create a story [\d-]{10})\.docx$/);
      const file = await readFile(await saved.path());
      // A zip archive; what is in it is tested where it is made.
      expect(file.subarray(0, 2).toString()).toBe('PK');
    }
    await exportAs(texts.pdf);
    await expect
      .poll(
        async () => JSON.parse((await page.locator('body').getAttribute('data-printed')) ?? '[]') as unknown,
      )
      .toEqual(['Create a story', expect.arrayContaining(['Create a story', ...texts.titles])]);
    await expect.poll(() => page.locator('.print-sheet').count()).toBe(0);
    expect(complaints()).toEqual([]);
  });
});

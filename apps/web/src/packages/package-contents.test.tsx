import { DIAGNOSTICS } from '@crewagent/protocol/diagnostics';
import { afterEach, describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { render } from 'vitest-browser-react';
import { setLanguage } from '../i18n/i18n.ts';
import { zhCn } from '../i18n/texts/zh-CN/zh-cn.ts';
import { Findings } from './package-contents.tsx';

const finding = {
  severity: 'error',
  code: 'MISSING_FILE',
  file: 'workflow.md',
  message: 'the file "steps/a.md" is not in the package',
  fix: 'Add it.',
} as const;

afterEach(() => setLanguage('en'));

describe('a finding', () => {
  it('is in the user’s language, and its details are marked as English', async () => {
    await render(<Findings report={{ errors: [finding], warnings: [] }} />);
    await expect.element(page.getByText('Missing file')).toBeVisible();
    await expect.element(page.getByText('The file "steps/a.md" is not in the package')).toBeVisible();
    await setLanguage('zh-CN');
    await expect.element(page.getByText(zhCn.finding.MISSING_FILE)).toBeVisible();
    await expect.element(page.getByText('包内缺少引用的文件：“steps/a.md”。')).toBeVisible();
    await expect.element(page.getByText('请补上文件，或改正路径。')).toBeVisible();
    await expect.element(page.getByText(finding.message)).toHaveAttribute('lang', 'en');
    await expect.element(page.getByTitle('MISSING_FILE')).toBeVisible();
  });

  it('has a name for every code', () => {
    expect(Object.keys(zhCn.finding).sort()).toEqual(Object.keys(DIAGNOSTICS).sort());
  });
});

import { describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { render } from 'vitest-browser-react';
import { i18n, setLanguage } from './i18n.ts';
import './package-texts.ts';
import { useTranslation } from './use-translation.ts';

function Texts() {
  const { t } = useTranslation();
  return (
    <p>
      {[t('action.close'), t('later.text' as 'action.close'), t('packages.agents', { count: 2 })].join('|')}
    </p>
  );
}

describe('texts of components', () => {
  it('[U5] follow the language, and what is loaded later', async () => {
    await setLanguage('en');
    const { rerender } = await render(<Texts />);
    await expect.element(page.getByText('Close|later.text|2 agents')).toBeVisible();
    i18n.addResourceBundle('en', 'translation', { later: { text: 'Now' } }, true);
    await rerender(<Texts key="again" />);
    await expect.element(page.getByText('Close|Now|2 agents')).toBeVisible();
    await setLanguage('zh-CN');
    await expect.element(page.getByText('关闭|Now|2 个智能体')).toBeVisible();
    await setLanguage('en');
    await expect.element(page.getByText('Close|Now|2 agents')).toBeVisible();
  });
});

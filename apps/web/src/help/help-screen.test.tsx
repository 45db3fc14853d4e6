import { beforeEach, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { setLanguage } from '../i18n/i18n.ts';
import { useRoute } from '../navigation/router.ts';
import { findIssues } from '../testing/find-issues.ts';
import { renderServed } from '../testing/served.tsx';
import HelpScreen from './help-screen.tsx';

function Routed() {
  const route = useRoute();
  return (
    <main style={{ height: 700 }}>
      <HelpScreen page={route.name === 'help' ? route.page : undefined} />
    </main>
  );
}

beforeEach(() => history.replaceState(undefined, '', '/help'));

it('shows the guide with its links, samples and pictures, from page to page', async () => {
  await renderServed({}, <Routed />);
  // First for those who use packages.
  await expect.element(page.getByRole('heading', { name: 'Using CrewAgent' })).toBeVisible();
  await expect.element(page.getByRole('heading', { name: 'What leaves this computer' })).toBeVisible();
  await page.getByRole('navigation').getByRole('link', { name: 'Writing packages' }).click();
  await expect.element(page.getByRole('heading', { name: 'Writing packages' })).toBeVisible();
  const article = page.getByRole('article');
  await article.getByRole('link', { name: 'Your first method in ten minutes' }).click();
  await expect.element(page.getByRole('heading', { name: '1. Write it down' })).toBeVisible();
  expect(location.pathname).toBe('/help/first-method');
  await expect.element(article.getByText('name: thank-you-letter')).toBeVisible();
  await expect.poll(() => article.getByRole('img').elements().length).toBeGreaterThan(0);
  const entry = page.getByRole('navigation').getByRole('link', { name: 'Checks' });
  await entry.click();
  await expect.element(entry).toHaveAttribute('aria-current', 'page');
  await expect.element(article.getByRole('heading', { level: 1, name: 'Checks' })).toBeVisible();
  expect(await findIssues()).toEqual([]);
});

it('is in the language of the page, and says if a page is not there', async () => {
  await setLanguage('zh-CN');
  await renderServed({}, <Routed />);
  await expect.element(page.getByRole('heading', { level: 1 })).toHaveTextContent('使用 CrewAgent');
  history.replaceState(undefined, '', '/help/publishing');
  dispatchEvent(new PopStateEvent('popstate'));
  await expect.element(page.getByRole('heading', { level: 1 })).toHaveTextContent('把工作包交给别人');
  await page.getByRole('article').getByRole('link', { name: '测试' }).first().click();
  await expect.poll(() => location.pathname).toBe('/help/tests');
  history.replaceState(undefined, '', '/help/nowhere');
  dispatchEvent(new PopStateEvent('popstate'));
  await expect.element(page.getByText('没有这一页')).toBeVisible();
});

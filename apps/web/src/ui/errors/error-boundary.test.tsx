import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { page } from 'vitest/browser';
import { render } from 'vitest-browser-react';
import { useAppearance } from '../../state/appearance.ts';
import { findIssues } from '../../testing/find-issues.ts';
import { CodeBlock } from '../code/code-block.tsx';
import { TooltipProvider } from '../tooltip.tsx';
import { ErrorBoundary, watchLoadErrors } from './error-boundary.tsx';

let issue: Error | undefined;

function Fragile() {
  if (issue) throw issue;
  return <p>Whole</p>;
}

const scene = (resetKey = 'here') => (
  <main>
    <h1>Page</h1>
    <ErrorBoundary resetKey={resetKey}>
      <Fragile />
    </ErrorBoundary>
  </main>
);

beforeEach(() => {
  issue = new Error('a is undefined');
  // React logs caught errors; here they are expected.
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(() => vi.restoreAllMocks());

describe('the error boundary', () => {
  it.each(['light', 'dark'] as const)(
    '[U116] replaces the broken part and keeps the rest: %s',
    async (theme) => {
      useAppearance.setState({ theme });
      await render(scene());
      await expect.element(page.getByRole('alert')).toHaveTextContent('This part of the page failed.');
      await expect.element(page.getByRole('heading', { name: 'Page' })).toBeVisible();
      await expect.element(page.getByRole('button', { name: 'Reload the page' })).toBeVisible();
      expect(await findIssues()).toEqual([]);
      issue = undefined;
      await page.getByRole('button', { name: 'Retry' }).click();
      await expect.element(page.getByText('Whole')).toBeVisible();
    },
  );

  it('[U116] retries when its reset key changes', async () => {
    const screen = await render(scene());
    await expect.element(page.getByRole('alert')).toBeVisible();
    issue = undefined;
    await screen.rerender(scene('there'));
    await expect.element(page.getByText('Whole')).toBeVisible();
  });

  it('[U116] offers a reload if a module failed to load, in the user’s language', async () => {
    useAppearance.setState({ language: 'zh-CN' });
    const unwatch = watchLoadErrors();
    dispatchEvent(Object.assign(new Event('vite:preloadError'), { payload: issue }));
    await render(scene());
    unwatch();
    await expect.element(page.getByRole('alert')).toHaveTextContent('无法加载页面的这一部分。');
    await expect.element(page.getByRole('button', { name: '重新加载页面' })).toBeVisible();
    await expect.element(page.getByRole('button', { name: '重试' })).not.toBeInTheDocument();
  });
});

describe('copying', () => {
  it('[U116] shows on its button that the browser did not allow it', async () => {
    vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new DOMException('no', 'NotAllowedError'));
    await render(
      <TooltipProvider>
        <CodeBlock text="a" label="Code" />
      </TooltipProvider>,
    );
    await page.getByRole('button', { name: 'Copy' }).click();
    await expect.element(page.getByRole('button', { name: 'The browser blocked copying' })).toBeVisible();
  });
});

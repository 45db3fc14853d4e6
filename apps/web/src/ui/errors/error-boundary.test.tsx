import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { page } from 'vitest/browser';
import { render } from 'vitest-browser-react';
import { useAppearance } from '../../state/appearance.ts';
import { findIssues } from '../../testing/find-issues.ts';
import { CodeBlock } from '../code/code-block.tsx';
import { TooltipProvider } from '../tooltip.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { watchLoadErrors } from './load-errors.ts';

let issue: Error | undefined;

function Fragile() {
  if (issue) throw issue;
  return <p>Whole</p>;
}

const scene = (place = 'here') => (
  <main>
    <h1>Page</h1>
    <ErrorBoundary place={place}>
      <Fragile />
    </ErrorBoundary>
  </main>
);

beforeEach(() => {
  issue = new Error('a is undefined');
  // React tells of what was caught; here it is meant to be.
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(() => vi.restoreAllMocks());

describe('where a fault ends', () => {
  it.each(['light', 'dark'] as const)('[U116] what broke says so, the rest stays: %s', async (theme) => {
    useAppearance.setState({ theme });
    await render(scene());
    await expect.element(page.getByRole('alert')).toHaveTextContent('This part of the page failed.');
    await expect.element(page.getByRole('heading', { name: 'Page' })).toBeVisible();
    await expect.element(page.getByRole('button', { name: 'Reload the page' })).toBeVisible();
    expect(await findIssues()).toEqual([]);
    issue = undefined;
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect.element(page.getByText('Whole')).toBeVisible();
  });

  it('[U116] another place is another try', async () => {
    const screen = await render(scene());
    await expect.element(page.getByRole('alert')).toBeVisible();
    issue = undefined;
    await screen.rerender(scene('there'));
    await expect.element(page.getByText('Whole')).toBeVisible();
  });

  it('[U116] what could not be loaded is loaded again with the page, in the language of the reader', async () => {
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
  it('[U24] says on the button where it happened that the browser did not allow it', async () => {
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

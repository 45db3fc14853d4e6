import { ApiError } from '@crewagent/protocol/api/client';
import { afterEach, describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { render } from 'vitest-browser-react';
import { i18n, setLanguage } from '../../i18n/i18n.ts';
import { zhCn } from '../../i18n/texts/zh-CN/zh-cn.ts';
import { findIssues } from '../../testing/find-issues.ts';
import { Button } from '../button.tsx';
import { useAction } from '../use-action.ts';
import { ErrorNote } from './error-note.tsx';

const SENTENCE = 'There is no folder at "/nowhere".';

function Try() {
  const { run, issue } = useAction(() =>
    Promise.reject(new ApiError(404, { code: 'FOLDER_NOT_FOUND', message: SENTENCE }, 'GET /folders')),
  );
  return (
    <main>
      <h1>Try</h1>
      <Button onClick={run}>Open</Button>
      <ErrorNote issue={issue} />
    </main>
  );
}

afterEach(() => setLanguage('en'));

describe('an error note', () => {
  it('[U116] says what failed, why and what to do; the code and the call are behind a fold', async () => {
    await render(<Try />);
    await page.getByRole('button', { name: 'Open' }).click();
    const note = page.getByRole('alert');
    await expect.element(note).toHaveTextContent('Folder not found.');
    await expect.element(note).toHaveTextContent(SENTENCE);
    await expect.element(note).toHaveTextContent('If it was moved, locate it.');
    await expect.element(page.getByText(/FOLDER_NOT_FOUND/)).not.toBeVisible();
    await page.getByText('Details').click();
    await expect.element(page.getByText(/FOLDER_NOT_FOUND · 404\s+GET \/folders/)).toBeVisible();
    expect(await findIssues()).toEqual([]);
  });

  it('[U5] follows the current language, and marks the message of the server as English', async () => {
    await render(<Try />);
    await page.getByRole('button', { name: 'Open' }).click();
    await expect.element(page.getByText('Folder not found.')).toBeVisible();
    await setLanguage('zh-CN');
    const { title, advice } = zhCn.problem.FOLDER_NOT_FOUND;
    await expect.element(page.getByText(title)).toBeVisible();
    await expect.element(page.getByText(advice)).toBeVisible();
    await expect.element(page.getByText(SENTENCE)).toHaveAttribute('lang', 'en');
    expect(i18n.language).toBe('zh-CN');
  });

  it('names the error below a custom title if the message alone does not', async () => {
    const issue = new ApiError(404, { code: 'FOLDER_NOT_FOUND', message: SENTENCE });
    await render(<ErrorNote issue={issue} title="Not opened." besides="Nothing was changed." />);
    const { title } = zhCn.problem.FOLDER_NOT_FOUND;
    await expect.element(page.getByText('Folder not found.')).not.toBeInTheDocument();
    await expect.element(page.getByText(/restore the folder\. Nothing was changed\.$/)).toBeVisible();
    await setLanguage('zh-CN');
    await expect.element(page.getByText(title)).toBeVisible();
  });
});

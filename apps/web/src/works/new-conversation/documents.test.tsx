import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { renderServed } from '../../testing/served.tsx';
import { DocumentSearch } from './documents.tsx';

const field = () => page.getByRole('combobox', { name: 'Add a document' });
const missing = () => page.getByText('No matching file in the project.');

/** A project with these files; the response is sent when `answer` resolves. */
async function show(files: readonly string[], answer: () => Promise<void> = () => Promise.resolve()) {
  const chosen: string[] = [];
  const inProject = files.map((file) => `@project/${file}`);
  const answers = {
    files: {
      list: async ({ query: { path } }: { readonly query: { readonly path: string } }) => {
        await answer();
        const names = inProject
          .filter((file) => file.startsWith(`${path}/`))
          .map((file) => file.slice(path.length + 1));
        return {
          entries: names.map((name) => ({
            name: name.replace(/\/.*/, ''),
            kind: name.includes('/') ? 'folder' : 'file',
            isIgnored: false,
          })),
        };
      },
      find: async ({ query: { text } }: { readonly query: { readonly text: string } }) => {
        await answer();
        return { paths: inProject.filter((file) => file.includes(text)) };
      },
    },
  };
  await renderServed(
    answers,
    <div className="pt-80">
      <DocumentSearch projectId="p" onChoose={(path) => chosen.push(path)} />
    </div>,
  );
  return chosen;
}

describe('finding a document', () => {
  it('is not reported as failed before the response, nor for a match', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const chosen = await show(['notes.md'], () => gate);
    await userEvent.type(field(), 'not{Enter}');
    await expect.element(missing()).not.toBeInTheDocument();
    release();
    const found = page.getByRole('option', { name: 'notes.md' });
    await expect.element(found).toBeVisible();
    await userEvent.keyboard('{Escape}');
    await expect.element(found).not.toBeInTheDocument();
    await expect.element(missing()).not.toBeInTheDocument();
    await userEvent.keyboard('{Enter}');
    await expect.element(found).toBeVisible();
    await userEvent.keyboard('{Enter}');
    await expect.poll(() => chosen).toEqual(['@project/notes.md']);
    await expect.element(field()).toHaveValue('');
    await expect.element(missing()).not.toBeInTheDocument();
  });

  it('is reported as failed if nothing matches, until the text changes', async () => {
    await show(['notes.md']);
    await userEvent.type(field(), 'plan{Enter}');
    await expect.element(missing()).toBeVisible();
    await userEvent.keyboard('{Tab}');
    await expect.element(missing()).toBeVisible();
    await userEvent.type(field(), 's');
    await expect.element(missing()).not.toBeInTheDocument();
  });

  it('is not reported as failed if the search was impossible', async () => {
    let asked = 0;
    await show([], () => {
      asked++;
      return Promise.reject(new Error('The server is gone.'));
    });
    await userEvent.type(field(), 'plan{Enter}');
    await expect.poll(() => asked).toBeGreaterThan(0);
    await expect.element(field()).toHaveValue('plan');
    await expect.element(missing()).not.toBeInTheDocument();
  });

  it.each([
    ['@', '@project/@notes.md', ['@project/@notes.md']],
    ['types', '@project/@types/', ['@project/@types/x.md']],
    ['proj', 'project/', ['@project/project/y.md']],
  ])('[U10] finds names that look like mounts: %s', async (typed, shown, expected) => {
    const chosen = await show(['@notes.md', '@types/x.md', 'project/y.md']);
    await userEvent.type(field(), typed);
    await page.getByRole('option', { name: shown, exact: true }).click();
    if (shown.endsWith('/')) {
      await expect.element(field()).toHaveValue(shown);
      await page.getByRole('option').first().click();
    }
    await expect.poll(() => chosen).toEqual(expected);
  });
});

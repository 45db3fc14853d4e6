import { once } from 'node:events';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findIssues, hasChromium, startWholePage, type WholePage } from './whole-page.ts';

describe.skipIf(!hasChromium)('the files of a project', () => {
  let whole: WholePage;
  let projectId: string;
  const opened: Page[] = [];

  beforeAll(async () => {
    whole = await startWholePage();
    await mkdir(whole.project, { recursive: true });
    ({ projectId } = await whole.api().projects.open({ body: { path: whole.project } }));
  }, 120_000);

  afterAll(() => whole?.close());

  beforeEach(async () => {
    await rm(whole.project, { recursive: true, force: true });
    await put('docs/plan.md', '# Plan\n\nBuy *flour*.\n');
    await put('docs/deep/note.txt', 'deep\n');
    await put('readme.txt', 'one\ntwo\n');
  });

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((page) => page.close()));
    whole.complaints.length = 0;
    whole.previewRefusals.length = 0;
  });

  const put = async (path: string, content: string | Buffer): Promise<void> => {
    const file = join(whole.project, path);
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, content);
  };
  const textOf = (path: string): Promise<string> => readFile(join(whole.project, path), 'utf8');

  const openProject = async (options: Parameters<WholePage['open']>[0] = {}): Promise<Page> => {
    const page = await whole.open({ ...options, path: `/p/${projectId}` });
    opened.push(page);
    return page;
  };
  /** Opens the project with its files panel. */
  const openFiles = async (options: Parameters<WholePage['open']>[0] = {}): Promise<Page> => {
    const page = await openProject(options);
    await page.getByRole('button', { name: 'Files' }).click();
    await row(page, 'docs').waitFor();
    return page;
  };

  it('[U50] the tree follows the disk, opens folders one by one, and hides and marks files', async () => {
    await put('.env', 'KEY=1');
    await put('node_modules/x/index.js', '1');
    await put('bad\u202ename.txt', 'x');
    const page = await openFiles();
    expect(await row(page, 'plan.md').count()).toBe(0);
    await row(page, 'docs').click();
    await row(page, 'plan.md').waitFor();
    await put('docs/new.md', '# New\n');
    await row(page, 'new.md').waitFor();
    await rm(join(whole.project, 'docs/new.md'));
    await row(page, 'new.md').waitFor({ state: 'detached' });

    expect(await row(page, '.env').count()).toBe(0);
    await choose(page, 'More options', 'Show hidden files');
    await expect.poll(() => row(page, '.env').getAttribute('aria-description')).toContain('Secret');
    await row(page, '.env').click();
    await page.getByText('The content of this file is hidden.').waitFor();
    await row(page, 'bad�name.txt').click();
    await page.getByRole('alert').getByText('can’t be opened here').waitFor();
    await choose(page, 'More options', 'Hide hidden files');
    await row(page, '.env').waitFor({ state: 'detached' });
    expectNoComplaints(403);
  });

  it('[U96] the tree works with the keyboard alone', async () => {
    const page = await openFiles();
    await row(page, 'docs').focus();
    await page.keyboard.press('ArrowRight');
    await row(page, 'deep').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    expect(await focusedName(page)).toBe('plan.md');
    await page.keyboard.press('F2');
    await page.keyboard.type('idea');
    await page.keyboard.press('Enter');
    await row(page, 'idea.md').waitFor();
    expect(await textOf('docs/idea.md')).toContain('# Plan');
    await expect.poll(() => focusedName(page)).toBe('idea.md');
    await page.keyboard.press('F2');
    await page.keyboard.type('other');
    await page.keyboard.press('Escape');
    await expect.poll(() => focusedName(page)).toBe('idea.md');

    await page.keyboard.press('Delete');
    const ask = page.getByRole('alertdialog');
    await ask.waitFor();
    await expect.poll(() => focusedName(page)).toBe('Cancel');
    await page.keyboard.press('Escape');
    await ask.waitFor({ state: 'detached' });
    await expect.poll(() => focusedName(page)).toBe('idea.md');

    await page.keyboard.press('Shift+F10');
    await page.getByRole('menu').press('m');
    await expect.poll(() => focusedName(page)).toBe('Move to…');
    await page.keyboard.press('Enter');
    await page.getByLabel('New path').fill('moved/no/idea.md');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('There is no file or folder').waitFor();
    await page.getByLabel('New path').fill('later.md');
    await page.keyboard.press('Enter');
    await expect.poll(() => focusedName(page)).toBe('later.md');
    expect(await textOf('later.md')).toContain('# Plan');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Plan', exact: true }).waitFor();
    await expect.poll(() => focusedName(page)).toBe('File preview');
    expectNoComplaints(404);
  });

  it('[U66] an action is undone at once, or later from the list, and redone; tabs follow', {
    tags: 'main',
  }, async () => {
    const page = await openFiles();
    await page.getByRole('button', { name: 'New file' }).click();
    await page.getByLabel('Name').waitFor();
    await page.keyboard.type('readme.txt');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('already').first().waitFor();
    await page.getByLabel('Name').fill('notes/today.md');
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'today.md' }).waitFor();
    await row(page, 'today.md').waitFor();
    await editor(page, 'today.md').waitFor();

    await row(page, 'notes').focus();
    await page.keyboard.press('F2');
    await page.keyboard.type('diary');
    await page.keyboard.press('Enter');
    await row(page, 'diary').waitFor();
    await expect
      .poll(() => page.getByRole('navigation', { name: 'File location' }).innerText())
      .toContain('diary');
    await toast(page, 'Undo').click();
    await row(page, 'notes').waitFor();
    await expect
      .poll(() => page.getByRole('navigation', { name: 'File location' }).innerText())
      .toContain('notes');

    await row(page, 'readme.txt').focus();
    await page.keyboard.press('Delete');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await row(page, 'readme.txt').waitFor({ state: 'detached' });
    await choose(page, 'More options', 'Recent changes');
    const changes = page.getByRole('dialog', { name: 'Recent changes' });
    expect(await findIssues(page)).toEqual([]);
    await changes.getByRole('button', { name: 'Undo: Deleted readme.txt' }).click();
    await changes.getByRole('button', { name: 'Redo: Deleted readme.txt' }).waitFor();
    expect(await textOf('readme.txt')).toBe('one\ntwo\n');
    await put('readme.txt', 'changed by somebody\n');
    await changes.getByRole('button', { name: 'Redo: Deleted readme.txt' }).click();
    await changes.getByText('was changed since').waitFor();
    expect(await textOf('readme.txt')).toBe('changed by somebody\n');
    await page.keyboard.press('Escape');
    // A tab may request a file once more that was just moved.
    expectNoComplaints(404, 409, 412);
  });

  it('[U50] a file that changed on disk is overwritten only on explicit request', async () => {
    const page = await openFiles();
    await row(page, 'readme.txt').click();
    const text = editor(page, 'readme.txt');
    await text.waitFor();
    await put('readme.txt', 'one\nthree\n');
    await expect.poll(() => text.innerText()).toContain('three');

    await write(page, text, 'mine\n');
    await page.getByText('Unsaved', { exact: true }).waitFor();
    await put('readme.txt', 'theirs\n');
    await page.getByText('changed on disk').waitFor();
    await page.keyboard.press('Control+s');
    await page.getByRole('button', { name: 'Show changes' }).click();
    const difference = page.getByRole('group', { name: 'From the version on disk to yours' });
    expect(await difference.innerText()).toMatch(/theirs[\s\S]*mine/);
    expect(await findIssues(page)).toEqual([]);
    expect(await textOf('readme.txt')).toBe('theirs\n');
    await page.getByRole('button', { name: 'Overwrite with mine' }).click();
    await expect.poll(() => textOf('readme.txt')).toContain('mine');
    await page.getByText('changed on disk').waitFor({ state: 'detached' });

    await write(page, text, 'again ');
    await put('readme.txt', 'theirs again\n');
    await page.getByRole('button', { name: 'Use the version on disk' }).click();
    await expect.poll(() => text.innerText()).toContain('theirs again');
    expect(await page.getByText('Unsaved', { exact: true }).count()).toBe(0);

    await write(page, text, 'last words ');
    await rm(join(whole.project, 'readme.txt'));
    await page.getByText('no longer exists').waitFor();
    await page.getByRole('button', { name: 'Save again' }).click();
    await expect.poll(() => textOf('readme.txt').catch(() => '')).toContain('last words theirs again');
    await page.getByText('no longer exists').waitFor({ state: 'detached' });
    expectNoComplaints(404, 412);
  });

  it('[U50] each kind of file is shown its own way', async () => {
    const rows = Array.from({ length: 3_000 }, (_, index) => `item ${index},"a, ""b""",${index}`);
    await put('stock.csv', `name,note,count\n${rows.join('\n')}\n`);
    await put('dot.png', PNG);
    await put('broken.png', 'none\0');
    await put('drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"/>');
    await put('paper.pdf', Buffer.concat([Buffer.from('%PDF-1.7'), Buffer.alloc(2_000)]));
    await put('large.log', 'x'.repeat(5_000_000));
    const page = await openFiles();
    await row(page, 'docs').click();
    await row(page, 'plan.md').click();
    await page.getByRole('heading', { name: 'Plan', exact: true }).waitFor();
    await page.getByRole('radio', { name: 'Split' }).click();
    for (const pane of ['.cm-scroller', 'section[aria-label="File preview"]'])
      expect(
        await page.locator(pane).evaluate((element) => getComputedStyle(element).overscrollBehaviorY),
      ).toBe('contain');
    await write(page, editor(page, 'plan.md'), '# Better ');
    await page.getByRole('heading', { name: 'Better # Plan' }).waitFor();

    await row(page, 'stock.csv').click();
    const table = page.getByRole('region', { name: 'Table stock.csv' });
    await table.getByRole('cell', { name: 'a, "b"' }).first().waitFor();
    const width = (await table.getByRole('columnheader').first().boundingBox())?.width;
    await table.focus();
    await page.keyboard.press('End');
    await table.getByText('item 2999').waitFor();
    expect(await table.getByRole('row').count()).toBeLessThan(120);
    expect((await table.getByRole('columnheader').first().boundingBox())?.width).toBe(width);
    await page.getByRole('radio', { name: 'Edit' }).click();
    await editor(page, 'stock.csv').waitFor();

    await row(page, 'dot.png').click();
    await page.getByText('1 × 1 px').waitFor();
    await row(page, 'drawing.svg').click();
    await page.getByText('30 × 20 px').waitFor();
    await row(page, 'broken.png').click();
    await page.getByText('This image can’t be shown.').waitFor();
    await row(page, 'paper.pdf').click();
    await page.getByText('application/pdf').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('paper.pdf');
    await row(page, 'large.log').click();
    await page.getByText('too large to show here').waitFor();
    expect(whole.complaints).toEqual([]);
  });

  it('[U7] nothing in a file is executed, fetched or navigated to, and hidden characters are shown', async () => {
    await put(
      'drawing.svg',
      '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><script>parent.hit = 1</script><image href="https://example.com/x.png"/></svg>',
    );
    await put('hidden.txt', 'pay\u202e me\u200b\n');
    await put('rows.csv', 'a,b\n=cmd(),<img src=x onerror=alert(1)>\n');
    const page = await openFiles();
    await row(page, 'drawing.svg').click();
    await page.getByText('30 × 20 px').waitFor();
    await row(page, 'rows.csv').click();
    await page.getByRole('cell', { name: '<img src=x onerror=alert(1)>' }).waitFor();
    await row(page, 'hidden.txt').click();
    await expect.poll(() => editor(page, 'hidden.txt').innerText()).toContain('pay• me•');
    expect(await page.evaluate('window.hit')).toBeUndefined();
    expect(whole.complaints).toEqual([]);
  });

  it('[U7] nothing in an HTML file is executed, fetched or navigated to, and its styles are applied', {
    tags: 'main',
  }, async () => {
    const canary = await startCanary();
    await put('page.html', toHostilePage(canary.url));
    const page = await openFiles();
    const popups: Page[] = [];
    page.on('popup', (popup) => popups.push(popup));
    const address = page.url();
    const entries = await page.evaluate('history.length');
    await row(page, 'page.html').click();
    const frame = page.frameLocator('iframe');
    const heading = frame.getByRole('heading', { name: 'Report' });
    await heading.waitFor();
    expect(await page.locator('iframe').getAttribute('sandbox')).toBe('');
    expect(await frame.locator('body').innerText()).toContain('a style="x" in words');
    expect(await styleOf(heading)).toMatchObject({ color: 'rgb(0, 128, 0)', letterSpacing: '3px' });
    const embedded = frame.getByAltText('embedded');
    await expect.poll(() => embedded.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
    for (const name of ['link', 'top', 'parent', 'blank', 'script', 'download', 'ping'])
      await frame.getByText(name, { exact: true }).click();
    await frame.getByRole('button', { name: 'Go', exact: true }).click();
    await frame.getByRole('button', { name: 'Go to CrewAgent' }).click();
    expect(await heading.isVisible()).toBe(true);
    expect(await page.evaluate('history.length')).toBe(entries);
    await frame.getByText('within', { exact: true }).click();
    await expect.poll(() => frame.locator('#end').evaluate(isInSight)).toBe(true);
    expect(canary.connections()).toBe(0);

    // A link that targets its own frame is blocked, and the preview is restored.
    for (const name of ['self', 'CrewAgent', 'mail', 'data']) {
      const before = await page.locator('iframe').getAttribute('src');
      await frame.getByText(name, { exact: true }).click();
      await expect.poll(() => page.locator('iframe').getAttribute('src')).not.toBe(before);
      await heading.waitFor();
    }
    expect(await page.evaluate('window.hit')).toBeUndefined();
    expect(page.url()).toBe(address);
    expect(popups).toEqual([]);
    expect(canary.requests).toEqual([]);
    // The browser's messages about blocked requests prove that all of this was tried.
    const refused = whole.previewRefusals.join('\n');
    for (const expected of [
      'script execution',
      'image',
      'stylesheet',
      'font',
      'media',
      'form submission',
      'redirect',
    ])
      expect(refused).toContain(expected);
    expect(whole.complaints.filter((complaint) => !isRefusedNavigation(complaint))).toEqual([]);
    await canary.close();
  });

  it('[U50] the preview of an HTML file follows edits, and adds nothing to the history', async () => {
    await put('page.html', '<h1>One</h1>');
    const page = await openFiles();
    await row(page, 'page.html').click();
    const frame = page.frameLocator('iframe');
    await frame.getByRole('heading', { name: 'One' }).waitFor();
    const entries = await page.evaluate('history.length');
    await put('page.html', '<h1>Two</h1>');
    await frame.getByRole('heading', { name: 'Two' }).waitFor();
    await page.getByRole('radio', { name: 'Edit' }).click();
    await write(page, editor(page, 'page.html'), '<p>draft</p>');
    await page.getByText('Unsaved', { exact: true }).waitFor();
    await page.getByRole('radio', { name: 'Page' }).click();
    await frame.getByText('draft').waitFor();
    await frame.getByRole('heading', { name: 'Two' }).waitFor();
    expect(await page.evaluate('history.length')).toBe(entries);
    expect(whole.previewRefusals).toEqual([]);
    expect(whole.complaints).toEqual([]);
  });

  it('[U50] encoding and line endings are preserved; unsaved text survives closing its tab and a reload', async () => {
    await put('windows.txt', Buffer.from('eins\r\nzw\u00f6lf\r\n', 'latin1'));
    await put('mixed.txt', 'one\r\ntwo\nthree\r\n');
    const page = await openFiles();
    await row(page, 'windows.txt').click();
    await page.getByText('Latin-1 · CRLF').waitFor();
    const text = editor(page, 'windows.txt');
    await write(page, text, 'null\n');
    await page.keyboard.press('Control+s');
    await expect
      .poll(() => readFile(join(whole.project, 'windows.txt'), 'latin1'))
      .toBe('null\r\neins\r\nzw\u00f6lf\r\n');
    await page.getByText('Unsaved', { exact: true }).waitFor({ state: 'detached' });
    await write(page, text, '中');
    await page.keyboard.press('Control+s');
    await page.getByRole('button', { name: 'Save as UTF-8' }).click();
    await expect.poll(() => textOf('windows.txt')).toBe('中null\r\neins\r\nzw\u00f6lf\r\n');
    await row(page, 'mixed.txt').click();
    await write(page, editor(page, 'mixed.txt'), 'zero\n');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(() => textOf('mixed.txt')).toBe('zero\none\r\ntwo\nthree\r\n');

    await write(page, editor(page, 'mixed.txt'), 'draft ');
    await page.getByRole('tab', { name: 'windows.txt' }).click();
    await page.getByRole('tab', { name: 'mixed.txt' }).click();
    await expect.poll(() => editor(page, 'mixed.txt').innerText()).toContain('draft zero');
    page.on('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await expect.poll(() => editor(page, 'mixed.txt').innerText()).toContain('draft zero');
    await page.getByText('Unsaved', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'mixed.txt' }).focus();
    await page.keyboard.press('Delete');
    await page.getByRole('alertdialog').getByText('will be lost').waitFor();
    await expect.poll(() => focusedName(page)).toBe('Cancel');
    await page.getByRole('button', { name: 'Close without saving' }).click();
    await page.getByRole('tab', { name: 'mixed.txt' }).waitFor({ state: 'detached' });
    await row(page, 'mixed.txt').click();
    await expect.poll(() => editor(page, 'mixed.txt').innerText()).not.toContain('draft');
    expectNoComplaints(400);
  });

  it('[U96] files are found by a few letters, and so are conversations', async () => {
    const { works } = whole.api();
    const { workId } = await works.create({ body: { projectId, kind: 'chat' } });
    await works.change({ workId, body: { title: 'About the larder' } });
    const page = await openProject();
    await page.getByRole('tablist', { name: 'Open tabs' }).waitFor();
    await page.keyboard.press('Control+p');
    await page.getByRole('dialog', { name: 'Open a file' }).waitFor();
    await page.keyboard.type('dpnote');
    await page.getByRole('option', { name: /note\.txt/ }).waitFor();
    expect(await findIssues(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await expect.poll(() => focusedName(page)).toBe('Text of note.txt');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('plan.md');
    await page.getByRole('option', { name: /plan\.md/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'plan.md' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('the larder');
    await page.getByRole('option', { name: /About the larder/ }).click();
    await page.waitForURL(`**/w/${workId}`);
    expect(whole.complaints).toEqual([]);
  });

  it('[U50] dragging moves a file within the tree, and inserts its name elsewhere', async () => {
    const page = await openFiles();
    await row(page, 'readme.txt').dragTo(row(page, 'docs'));
    await expect.poll(() => textOf('docs/readme.txt').catch(() => '')).toBe('one\ntwo\n');
    await toast(page, 'Undo').click();
    await expect.poll(() => textOf('readme.txt').catch(() => '')).toBe('one\ntwo\n');
    await page.locator('[data-id="@project/readme.txt"]').waitFor();
    const multiplexed = await page.evaluate(() => {
      const mux = new DataTransfer();
      const dragged = document.querySelector('[data-id="@project/readme.txt"]');
      dragged?.dispatchEvent(new DragEvent('dragstart', { bubbles: true, dataTransfer: mux }));
      dragged?.dispatchEvent(new DragEvent('dragend', { bubbles: true }));
      return [mux.getData('text/plain'), mux.getData('application/x-crewagent-path')];
    });
    expect(multiplexed).toEqual(['@project/readme.txt', '@project/readme.txt']);
    expect(whole.complaints).toEqual([]);
  });

  it('[U50] the editor leaves Tab to the page, searches, and can undo edits from before its tab was left', async () => {
    const page = await openFiles();
    await row(page, 'readme.txt').focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => focusedName(page)).toBe('Text of readme.txt');
    const text = editor(page, 'readme.txt');
    await page.keyboard.type('zero ');
    await page.getByRole('tab', { name: 'New' }).click();
    await page.getByRole('tab', { name: 'readme.txt' }).click();
    await expect.poll(() => text.innerText()).toContain('zero one');
    await text.click();
    await page.keyboard.press('Control+z');
    await expect.poll(() => text.innerText()).not.toContain('zero');
    await page.getByText('Unsaved', { exact: true }).waitFor({ state: 'detached' });
    await page.keyboard.press('Control+f');
    await page.getByRole('textbox', { name: 'Find' }).fill('two');
    await page.keyboard.press('Enter');
    expect(await findIssues(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(() => focusedName(page)).toBe('Text of readme.txt');
    await page.keyboard.press('Tab');
    await expect.poll(() => focusedName(page)).not.toBe('Text of readme.txt');
    expect(whole.complaints).toEqual([]);
  });

  it.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)(
    '[U20] files have no issue that axe finds, in the %s theme, %i pixels wide',
    async (colorScheme, width) => {
      await put('stock.csv', 'a,b\n1,2\n');
      await put('config.yaml', 'name: larder # why\ncount: 3\nok: true\n');
      await put('page.html', toHostilePage('https://example.com'));
      await put('dot.png', PNG);
      await symlink('readme.txt', join(whole.project, 'link'));
      const page = await openFiles({ colorScheme, viewport: { width, height: 800 } });
      const isNarrow = width < 768;
      await row(page, 'docs').click();
      await row(page, 'plan.md').waitFor();
      expect(await findIssues(page)).toEqual([]);
      for (const name of ['plan.md', 'config.yaml', 'stock.csv', 'page.html', 'dot.png']) {
        if (isNarrow && (await page.getByRole('dialog').count()) === 0)
          await page.getByRole('button', { name: 'Files' }).click();
        await row(page, name).click();
        await page.getByRole('tab', { name, selected: true, includeHidden: true }).waitFor();
        await page.getByRole('navigation', { name: 'File location' }).waitFor();
        if (name === 'config.yaml') await editor(page, name).waitFor();
        expect(await findIssues(page), name).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      }
      expect(whole.complaints).toEqual([]);
    },
  );

  /** `refusals`: number of failed requests that the test expects; the browser reports each of them. */
  const expectNoComplaints = (...refusals: readonly number[]): void => {
    const wanted = refusals.map((status) => `status of ${status} `);
    const others = whole.complaints.filter(
      (complaint) => !wanted.some((status) => complaint.includes(status)),
    );
    expect(others).toEqual([]);
  };
});

function row(page: Page, name: string): Locator {
  return page.getByRole('treeitem', { name, exact: true });
}

function editor(page: Page, name: string): Locator {
  return page.getByRole('textbox', { name: `Text of ${name}` });
}

function toast(page: Page, action: string): Locator {
  return page.getByRole('list').getByRole('button', { name: action }).last();
}

/** Inserts text at the beginning. */
async function write(page: Page, text: Locator, inserted: string): Promise<void> {
  await text.click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.insertText(inserted);
}

async function choose(page: Page, menu: string, item: string): Promise<void> {
  await page.getByRole('button', { name: menu }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

function focusedName(page: Page): Promise<string> {
  return page.evaluate(() => {
    let focused = document.activeElement;
    while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
    return focused?.getAttribute('aria-label') ?? focused?.textContent ?? '';
  });
}

function styleOf(element: Locator): Promise<{ readonly color: string; readonly letterSpacing: string }> {
  return element.evaluate((node) => {
    const { color, letterSpacing } = getComputedStyle(node);
    return { color, letterSpacing };
  });
}

function isInSight(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
}

/** Whether the browser reports a blocked navigation; the report names the page of the frame. */
function isRefusedNavigation(complaint: string): boolean {
  return /^Unsafe attempt to initiate navigation|violates [^"]*"frame-ancestors 'none'"/.test(complaint);
}

interface Canary {
  readonly url: string;
  readonly requests: readonly string[];
  /** Includes connections without a request. */
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

/** A third-party server that must not receive any request. */
async function startCanary(): Promise<Canary> {
  const requests: string[] = [];
  const server = createServer(({ method, url }, response) => {
    requests.push(`${method} ${url}`);
    response.end('x');
  });
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    connections: () => connections,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function toHostilePage(elsewhere: string): string {
  return `<!doctype html><html><head><title>x</title>
<style>@import url(${elsewhere}/import.css); @font-face { font-family: f; src: url(${elsewhere}/f.woff2) }
h1 { color: red; letter-spacing: 3px; font-family: f; background: url(${elsewhere}/a.png) }</style>
<script>parent.hit = 1; fetch('${elsewhere}/fetch')</script><script src="${elsewhere}/x.js"></script>
<link rel="stylesheet" href="${elsewhere}/x.css"><link rel="preconnect" href="${elsewhere}"><link rel="dns-prefetch" href="${elsewhere}">
<link rel="prefetch" href="${elsewhere}/prefetch"><link rel="icon" href="${elsewhere}/icon.png"><base href="${elsewhere}/">
<meta http-equiv="refresh" content="0;url=${elsewhere}/refresh"></head>
<body onload="parent.hit = 1" style="background: url(${elsewhere}/b.png)"><h1 style='color: green'>Report</h1><p>a style="x" in words</p>
<img alt="embedded" src="data:image/png;base64,${PNG.toString('base64')}">
<a href="${elsewhere}/link">link</a> <a href="${elsewhere}/top" target="_top">top</a> <a href="/settings" target="_parent">parent</a>
<a href="${elsewhere}/blank" target="_blank">blank</a> <a href="javascript:parent.hit=1">script</a>
<a href="${elsewhere}/download" download>download</a> <a href="${elsewhere}/x" ping="${elsewhere}/ping">ping</a> <a href="#end">within</a>
<a href="${elsewhere}/self" target="_self">self</a> <a href="/" target="_self">CrewAgent</a> <a href="mailto:a@example.com" target="_self">mail</a>
<a href="data:text/html,<h1>Other</h1>" target="_self">data</a>
<form action="${elsewhere}/form"><button>Go</button></form><form action="/settings" target="_self" method="post"><button>Go to CrewAgent</button></form>
<img src="${elsewhere}/x.png" srcset="${elsewhere}/x2.png 2x" onerror="parent.hit = 1" alt=""><iframe src="${elsewhere}/frame"></iframe>
<iframe srcdoc="<img src=${elsewhere}/srcdoc>"></iframe><object data="${elsewhere}/object"></object><embed src="${elsewhere}/embed">
<video src="${elsewhere}/video" poster="${elsewhere}/poster" autoplay></video><audio src="${elsewhere}/audio" autoplay></audio>
<svg><image href="${elsewhere}/y.png"/><use href="${elsewhere}/use.svg#a"/><rect width="9" height="9" fill="url(${elsewhere}/z#a)"/></svg>
<div style="height: 3000px"></div><p id="end">End</p></body></html>`;
}

/** One transparent pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

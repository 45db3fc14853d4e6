import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { checkBothThemes } from './check-both-themes.ts';
import { findIssues, hasChromium, ROOT, startWholePage, type WholePage } from './whole-page.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;
const FILES = Array.from({ length: 9 }, (_, index) => `note-${index + 1}.md`);

let whole: WholePage;

afterEach(async () => {
  const { complaints } = whole;
  await whole.close();
  expect(complaints).toEqual([]);
});

describe.skipIf(!hasChromium)('on a phone', () => {
  it('[U20] all controls are large enough for a finger, on every screen', async () => {
    const { routes, hash } = await startWork();
    const paths = ['/start', '/packages', `/packages/${hash}`, routes.project, routes.workflow];
    const sections = ['model', 'tools', 'engine', 'appearance', 'data', 'about'];
    for (const path of [...paths, ...sections.map((section) => `/settings/${section}`)]) {
      const page = await whole.open({ ...PHONE, path });
      await page.getByRole('heading').first().waitFor({ state: 'attached' });
      await expect.poll(() => findSmall(page), { message: path }).toEqual([]);
      await page.close();
    }
    const page = await whole.open({ ...PHONE, path: routes.workflow });
    await page.getByRole('button', { name: 'Toggle inspector' }).click();
    const inspector = page.getByRole('dialog', { name: 'Run' });
    for (const name of ['Progress', 'Artifacts', 'State', 'Tools', 'Log', 'Context']) {
      await inspector.getByRole('tab', { name }).click();
      await inspector.getByRole('tabpanel', { name }).waitFor();
      await expect.poll(() => findSmall(page), { message: name }).toEqual([]);
    }
  });

  it('[U36] the conversation stays visible beside many files, and so does the selected tab', async () => {
    const { routes, projectId } = await startWork();
    const page = await whole.open({ ...PHONE, path: routes.workflow });
    // Before the page runs, which writes its own layout whenever it changes.
    await page.addInitScript(
      ([id, files]) => {
        const layout = {
          openFiles: files.map((name) => `@project/${name}`),
          activeFile: '@project/note-9.md',
        };
        localStorage.setItem(
          'crewagent.layouts',
          JSON.stringify({ state: { layouts: { [id]: layout } }, version: 0 }),
        );
      },
      [projectId, FILES] as const,
    );
    await page.reload();
    const tabs = page.getByRole('tablist', { name: 'Open tabs' }).getByRole('tab');
    // The conversation, its overview and nine files.
    await expect.poll(() => tabs.count()).toBe(11);
    await expect.poll(() => isWhole(page, 'note-9.md')).toBe(true);
    expect(await isWhole(page, 'Hello, branch')).toBe(true);
    await checkBothThemes(page);
    await tabs.first().click();
    await page.getByRole('textbox', { name: 'What is the project called?' }).waitFor();
    // If the title needs the space, only the status bar shows the phase.
    expect(await page.getByText('Waiting for you', { exact: true }).count()).toBe(1);
  });

  it('[U36] a sheet has one header, with the close button in it', async () => {
    const { routes } = await startWork();
    const page = await whole.open({ ...PHONE, path: routes.workflow });
    for (const name of ['Files', 'Activity'] as const) {
      await page.getByRole('navigation').getByRole('button', { name }).click();
      const sheet = page.getByRole('dialog', { name });
      const head = sheet.getByRole('heading', { name, exact: true });
      const [title, out] = await Promise.all([
        head.boundingBox(),
        sheet.getByRole('button', { name: 'Close' }).boundingBox(),
      ]);
      const middleOf = (box: typeof title): number => (box ? box.y + box.height / 2 : Number.NaN);
      expect(Math.abs(middleOf(title) - middleOf(out))).toBeLessThan(3);
      expect((title?.x ?? 0) + (title?.width ?? 0)).toBeLessThanOrEqual(out?.x ?? 0);
      expect(await findIssues(page)).toEqual([]);
      await sheet.getByRole('button', { name: 'Close' }).click();
    }
  });
});

async function startWork() {
  whole = await startWholePage();
  await cp(join(ROOT, 'examples/demo-project'), whole.project, { recursive: true });
  const api = whole.api();
  const { projectId } = await api.projects.open({ body: { path: whole.project } });
  for (const name of FILES) await writeFile(join(whole.project, name), '# A note\n');
  const { package: pkg } = await api.packages.importPath({
    body: { path: join(ROOT, 'examples/hello-branch') },
  });
  const { workId } = await api.works.create({
    body: { projectId, kind: 'workflow', packageHash: pkg.hash },
  });
  await expect.poll(async () => (await api.works.list()).works[0]?.reason?.code).toBe('question');
  const project = `/p/${projectId}`;
  return { projectId, hash: pkg.hash, routes: { project, workflow: `${project}/w/${workId}` } };
}

/** Visible controls smaller than 44 pixels, with name and size. */
function findSmall(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const least = 44;
    const pressed =
      'button, a[href], select, summary, textarea, input, [role=tab], [role=treeitem], [role=switch], [role=checkbox]';
    return [...document.querySelectorAll<HTMLElement>(pressed)].flatMap((element) => {
      // The label of a radio button is clickable as well, and so is the drawing of a switch.
      const target = element.matches('[type=radio]') ? (element.closest('label') ?? element) : element;
      const over = getComputedStyle(element, '::after');
      const { width, height } = target.getBoundingClientRect();
      const [wide, high] = element.matches('[role=switch], [role=checkbox]')
        ? [Number.parseFloat(over.width), Number.parseFloat(over.height)]
        : [width, height];
      const isPicture = element.textContent === '' && element.matches('button');
      const isSeen = width > 1 && element.checkVisibility({ visibilityProperty: true });
      // Links inside text and elements of the graph keep their size.
      const isElsewhere = element.closest('.prose, .react-flow__attribution, .sr-only') !== null;
      if (!isSeen || isElsewhere || (high >= least && (!isPicture || wide >= least))) return [];
      return [`${element.getAttribute('aria-label') ?? element.textContent}: ${wide} × ${high}`];
    });
  });
}

function isWhole(page: Page, name: string): Promise<boolean> {
  return page.getByRole('tab', { name }).evaluate((tab) => {
    const { left, right, top } = tab.getBoundingClientRect();
    const seen = document.elementFromPoint(left + 20, top + 10);
    return left >= 0 && right <= innerWidth && tab.contains(seen);
  });
}

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  findIssues,
  hasChromium,
  type OpenOptions,
  pressUntil,
  ROOT,
  readDownload,
  startWholePage,
  type WholePage,
} from './whole-page.ts';

let projects = 0;
const INTAKE = 'artifacts/hello-branch/intake.md';

describe.skipIf(!hasChromium)('the inspector', () => {
  let whole: WholePage;
  let project: string;
  let projectId: string;
  let packageHash: string;

  beforeAll(async () => {
    whole = await startWholePage();
    const path = join(ROOT, 'examples/hello-branch');
    packageHash = (await whole.api().packages.importPath({ body: { path } })).package.hash;
  }, 120_000);

  /** Each test starts with an empty folder. */
  beforeEach(async () => {
    project = join(whole.folder, 'home', `larder-${++projects}`);
    ({ projectId } = await whole.api().projects.open({ body: { path: project, create: true } }));
  });

  afterAll(() => whole?.close());

  /** A conversation with one run, continued until `isEnough`. */
  const begin = async (isEnough: RunCondition = isComplete): Promise<string> => {
    const body = { projectId, kind: 'workflow', packageHash, approval: 'autopilot' } as const;
    const { workId } = await whole.api().works.create({ body });
    await continueRun(whole, workId, isEnough);
    return workId;
  };
  const open = (workId: string, options: OpenOptions = {}): Promise<Page> =>
    whole.open({ path: `/p/${projectId}/w/${workId}`, ...options });

  it('opens a node with all its details, with the keyboard alone, and returns the focus', async () => {
    const page = await open(await begin());
    const list = page.getByRole('list', { name: 'Workflow steps' });
    const row = list.getByRole('button', { name: /Decide the project type/ });
    await row.focus();
    await page.keyboard.press('Enter');
    const details = page.getByRole('region', { name: 'Decide the project type' });
    await expect.poll(() => details.innerText()).toContain('Priya, Product Manager');
    for (const text of [
      'Assess what exists',
      'Reason:',
      'found',
      '"brownfield"',
      'Read',
      'Greenfield or brownfield?',
    ])
      await expect.poll(() => details.innerText()).toContain(text);
    await page.keyboard.press('Escape');
    await expect.poll(() => row.evaluate((element) => element === document.activeElement)).toBe(true);

    const node = page.locator('.react-flow__node').filter({ hasText: 'Summarise and close' });
    await node.focus();
    await page.keyboard.press('Enter');
    await page
      .getByRole('region', { name: 'Summarise and close', exact: true })
      .getByText('summary.md')
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => node.evaluate((element) => element === document.activeElement)).toBe(true);

    await list.getByRole('button', { name: /Plan a fresh start/ }).click();
    const passed = page.getByRole('region', { name: 'Plan a fresh start' });
    await passed.getByText('skipped this step').waitFor();
    await passed.getByText('skipped').first().waitFor();
    expect(await passed.getByText('missing').count()).toBe(0);
    expect(await findIssues(page)).toEqual([]);
    expect(whole.complaints).toEqual([]);
  });

  it('lists the files of a run with their nodes and diffs, and downloads them', async () => {
    const page = await open(await begin());
    await page.getByRole('tab', { name: 'Artifacts' }).click();
    const row = artifact(page, 'intake.md');
    await expect.poll(() => row.innerText()).toMatch(/Intake\s+New$/);
    await row.getByRole('button').first().click();
    await expect.poll(() => row.getByRole('group', { name: 'Changes' }).innerText()).toContain('# Intake');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      row.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('intake.md');
    expect(await readDownload(file)).toBe(await readFile(join(project, INTAKE), 'utf8'));
    await row.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('tab', { name: 'intake.md' }).waitFor();
    expect(whole.complaints).toEqual([]);
  });

  it('lists files as they are written', async () => {
    const workId = await begin(isAsking);
    const page = await open(workId);
    await page.getByRole('tab', { name: 'Artifacts' }).click();
    await page.getByText('No files changed').waitFor();
    await continueRun(whole, workId, isComplete);
    await artifact(page, 'summary.md').waitFor();
    expect(whole.complaints).toEqual([]);
  });

  it('undoes one change, a step and all, redoes them, and overwrites no edits of a person', {
    tags: 'main',
  }, async () => {
    const page = await open(await begin());
    const summary = join(project, 'artifacts/hello-branch/summary.md');
    const intake = join(project, INTAKE);
    await page.getByRole('tab', { name: 'Artifacts' }).click();

    const panel = page.getByRole('tabpanel', { name: 'Artifacts' });
    const row = artifact(page, 'summary.md');
    await row.getByRole('button').first().click();
    // The diff is loading, which moves the button.
    const undoChange = row.getByRole('button', { name: /^Undo the change/ });
    await pressUntil(undoChange, row.getByText('Undone').first());
    await expect(readFile(summary)).rejects.toThrow();
    await row.getByRole('button', { name: /^Redo the change/ }).click();
    await row.getByText('New', { exact: true }).waitFor();
    expect(await readFile(summary, 'utf8')).toContain('# Summarise');

    await undo(page, /^Summarise and close/);
    await row.getByText('Undone').first().waitFor();
    await expect(readFile(summary)).rejects.toThrow();
    await panel.getByRole('button', { name: 'Redo', exact: true }).click();
    await row.getByText('New', { exact: true }).waitFor();

    await writeFile(intake, 'Mine.\n');
    await undo(page, /^Whole run/);
    const dialog = page.getByRole('alertdialog');
    await expect.poll(() => dialog.getByRole('button', { name: 'Cancel' }).evaluate(isFocused)).toBe(true);
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone in 2 of 3 files.').waitFor();
    await page.getByText('not undone: edited since').first().waitFor();
    expect(await readFile(intake, 'utf8')).toBe('Mine.\n');
    expect(await findIssues(page)).toEqual([]);
    expect(whole.complaints).toEqual([]);
  });

  it('[U29] finds calls by kind, outcome and path, and shows arguments and results', async () => {
    const page = await open(await begin());
    await page.getByRole('tab', { name: 'Tools' }).click();
    const calls = page.getByRole('region', { name: 'Tool calls' });
    await page.getByLabel('Type').selectOption('read');
    await page.getByText('3 of 11 calls').waitFor();
    await page.getByLabel('Result', { exact: true }).selectOption('failed');
    await page.getByText('No matching calls').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByLabel('Search by path or name').fill('summary');
    await page.getByText('1 of 11 calls').waitFor();
    await calls.getByRole('button', { name: /summary\.md/ }).click();
    await calls.getByRole('group', { name: 'Text', exact: true }).waitFor();
    expect(whole.complaints).toEqual([]);
  });

  it('[U70] shows the log live, searches it, verifies it, and exports it', async () => {
    const workId = await begin(isAsking);
    const page = await open(workId);
    await page.getByRole('tab', { name: 'Log' }).click();
    const log = page.getByRole('region', { name: 'Events' });
    await log.getByText('Question', { exact: true }).waitFor();
    await page.getByText('The log is intact').waitFor();
    expect(await log.getByText('Request to the model').count()).toBe(0);
    await page.getByLabel('Level').selectOption('detail');
    await log.getByText('Request to the model').first().waitFor();
    await continueRun(whole, workId, isComplete);
    await page.getByLabel('Search the log').fill('"phase":"completed"');
    await log.getByRole('button', { name: /Status Completed/ }).click();
    await expect.poll(() => log.innerText()).toContain('"phase": "Completed"');
    for (const [label, ending] of [
      ['Export run as Markdown', 'md'],
      ['Export run as JSON', 'json'],
      ['Hand-over as web page', 'html'],
    ] as const) {
      await page.getByRole('button', { name: 'Export' }).last().click();
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: label }).click(),
      ]);
      expect(file.suggestedFilename()).toMatch(
        new RegExp(`^Hello, branch \\d{4}-\\d\\d-\\d\\d\\.${ending}$`),
      );
    }
    expect(whole.complaints).toEqual([]);
  });

  it('[U66] repeats a step, and undoes its files if requested', async () => {
    const workId = await begin();
    const page = await open(workId);
    await menu(page, 'Redo this step');
    const dialog = page.getByRole('dialog', { name: /^Redo “Summarise and close”/ });
    await dialog.getByLabel('Undo changes to 1 file').check();
    await dialog.getByRole('button', { name: 'Redo this step' }).click();
    await page.getByText('“Summarise and close” starts over.', { exact: true }).waitFor();
    await continueRun(whole, workId, isComplete);
    const { runs } = await whole.api().works.show({ workId });
    const [run] = Object.values(runs);
    expect(run?.timeline.filter(({ kind }) => kind === 'undone')).toHaveLength(1);
    expect(run?.visits.filter(({ nodeId }) => nodeId === 'end-99')).toHaveLength(2);
    expect(whole.complaints).toEqual([]);
  });

  it('[U66] rewinds to an earlier node, and waits there', async () => {
    const page = await open(await begin());
    await menu(page, 'Go back…');
    const dialog = page.getByRole('dialog', { name: 'Go back to an earlier step' });
    await dialog.getByLabel('Decide the project type').check();
    expect(await findIssues(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Go back', exact: true }).click();
    await page.getByText('Back at “Decide the project type”.', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    const current = page.getByRole('list', { name: 'Workflow steps' }).locator('[aria-current=step]');
    await expect.poll(() => current.innerText()).toContain('Decide the project type');
    expect(whole.complaints).toEqual([]);
  });

  it('is closed beside a thread until it is opened, and open beside a run; both states are remembered', async () => {
    const run = await begin();
    const { workId: chat } = await whole.api().works.create({ body: { projectId, kind: 'chat' } });
    const page = await open(chat);
    const toggle = page.getByRole('button', { name: 'Toggle inspector' });
    const inspector = page.getByRole('tablist', { name: 'Run' });
    const visit = async (title: string): Promise<void> => {
      await page.getByRole('list', { name: 'Activity' }).getByRole('button', { name: title }).first().click();
      await page.getByRole('tab', { name: title }).waitFor();
    };
    await page.getByText('No messages yet').waitFor();
    expect(await inspector.count()).toBe(0);
    await visit('Hello, branch');
    await inspector.waitFor();
    await toggle.click();
    await inspector.waitFor({ state: 'hidden' });
    await visit('Chat');
    await toggle.click();
    await inspector.waitFor();
    await page.reload();
    await inspector.waitFor();
    await page.goto(page.url().replace(chat, run));
    await page.getByText('Workflow completed').waitFor();
    expect(await inspector.count()).toBe(0);
  });

  it('[U70] shows the selected run', async () => {
    const workId = await begin();
    await whole.api().works.startWorkflow({ workId, body: { packageHash } });
    await continueRun(whole, workId, isAsking);
    const page = await open(workId);
    const picker = page.getByLabel('Viewing');
    await page.getByText('0 of 5 done').waitFor();
    const { state } = await whole.api().works.show({ workId });
    await picker.selectOption(state.runIds[0] ?? '');
    await page.getByText('4 of 4 done · 1 skipped').waitFor();
    await page.getByRole('tab', { name: 'Artifacts' }).click();
    await artifact(page, 'summary.md').waitFor();
    await picker.selectOption(state.runIds[1] ?? '');
    await page.getByText('No files changed').waitFor();
    expect(await findIssues(page)).toEqual([]);
    expect(whole.complaints).toEqual([]);
  });

  it('[U243] notifies a person who looks elsewhere, in the title and, if enabled, with a notification', async () => {
    const workId = await begin(isAsking);
    const page = await open(workId, { permissions: ['notifications'] });
    await page.evaluate(() => {
      const notifications: string[] = [];
      class Recorded extends EventTarget {
        static readonly permission = 'granted';
        static requestPermission = () => Promise.resolve('granted');
        close = () => undefined;
        constructor(title: string, { body }: { body: string }) {
          super();
          notifications.push(`${title}: ${body}`);
        }
      }
      Object.assign(globalThis, { Notification: Recorded, notifications });
      // The page reads the permission when its window gets the focus.
      dispatchEvent(new Event('focus'));
    });
    await page.getByText('Intake').first().waitFor();
    await menu(page, 'Notify me when it needs me or finishes');
    await page.getByText('You will be notified when it needs you or finishes.', { exact: true }).waitFor();
    await setHidden(page, true);
    await continueRun(whole, workId, isComplete);
    await expect
      .poll(() => page.title())
      .toMatch(/^(?:\(\d\) )?● (?:Completed|Waiting for you) · .* · CrewAgent$/);
    await expect
      .poll(() => page.evaluate(() => Reflect.get(globalThis, 'notifications') as string[]))
      .not.toEqual([]);
    await setHidden(page, false);
    await expect.poll(() => page.title()).not.toContain('●');
    expect(whole.complaints).toEqual([]);
  });

  it('shows the current position in the status bar; each part opens what it names', async () => {
    const page = await open(await begin());
    const bar = page.getByRole('region', { name: 'Status bar' });
    await page.getByRole('tab', { name: 'Tools' }).click();
    await bar.getByRole('button', { name: /^Context: .* tokens$/ }).click();
    await expect.poll(() => selectedTab(page)).toBe('Context');
    await bar.getByRole('button', { name: /^So far: .* tokens$/ }).click();
    await expect.poll(() => selectedTab(page)).toBe('Progress');
    await bar.getByRole('button', { name: /^Package Hello, branch/ }).click();
    await expect.poll(() => page.url()).toContain(`/packages/${packageHash}`);
    await page.goBack();
    await bar.getByRole('button', { name: /^Model/ }).click();
    await expect.poll(() => page.url()).toContain('/settings/model');
    await page.goBack();
    await bar.getByRole('button', { name: /^Project/ }).click();
    await expect.poll(() => page.url()).toMatch(/\/p\/[^/]+$/);
    expect(whole.complaints).toEqual([]);
  });

  it.each([
    [1440, 'light'],
    [1024, 'dark'],
    [390, 'light'],
  ] as const)(
    '[U20] has no issue that axe finds in any tab, %i pixels wide, %s',
    async (width, colorScheme) => {
      const page = await open(await begin(), { colorScheme, viewport: { width, height: 800 } });
      await page.getByText('Workflow completed').waitFor();
      if (width < 1100) await page.getByRole('button', { name: 'Toggle inspector' }).click();
      for (const tab of ['Progress', 'Artifacts', 'Tools', 'Log']) {
        await page.getByRole('tab', { name: tab }).click();
        expect([tab, ...(await findIssues(page))]).toEqual([tab]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      }
      expect(whole.complaints).toEqual([]);
      await page.close();
    },
  );

  it('[U36] opens a node in a sheet; Escape closes the node, not the sheet', async () => {
    const page = await open(await begin(), { viewport: { width: 390, height: 800 } });
    await page.getByRole('button', { name: 'Toggle inspector' }).click();
    const sheet = page.getByRole('dialog', { name: 'Run' });
    await sheet.getByRole('button', { name: /^done Intake/ }).click();
    await sheet.getByRole('heading', { name: 'Intake' }).first().waitFor();
    expect(await findIssues(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await sheet.getByRole('list', { name: 'Workflow steps' }).waitFor();
    expect(whole.complaints).toEqual([]);
  });
});

type Shown = Awaited<ReturnType<ReturnType<WholePage['api']>['works']['show']>>;
type RunCondition = (run: Shown['view']) => boolean;

const isComplete: RunCondition = ({ phase }) => phase === 'Completed';
const isAsking: RunCondition = ({ pending }) => pending !== undefined;

/** Answers questions until the latest run meets the condition. */
async function continueRun(whole: WholePage, workId: string, isEnough: RunCondition): Promise<void> {
  const { works } = whole.api();
  const answered = new Set<string>();
  await expect
    .poll(
      async () => {
        const { runs, state } = await works.show({ workId });
        const run = runs[state.runIds.at(-1) ?? ''];
        if (!run || isEnough(run)) return run !== undefined;
        const { pending } = run;
        if (pending?.kind === 'question' && !answered.has(pending.callId)) {
          answered.add(pending.callId);
          const answers = Object.fromEntries(
            pending.questions.map(({ id, options }) => [id, options?.[0] ?? 'A pantry list']),
          );
          await works.answer({ workId, body: { callId: pending.callId, answers } });
        }
        return false;
      },
      { timeout: 30_000 },
    )
    .toBe(true);
}

function artifact(page: Page, name: string): Locator {
  return page.getByRole('list', { name: 'Artifacts' }).locator('> li').filter({ hasText: name });
}

async function undo(page: Page, item: RegExp): Promise<void> {
  await page
    .getByRole('tabpanel', { name: 'Artifacts' })
    .getByRole('button', { name: 'Undo', exact: true })
    .first()
    .click();
  await page.getByRole('menuitem', { name: item }).click();
}

async function menu(page: Page, item: string): Promise<void> {
  const entry = page.getByRole('menuitem', { name: item });
  await pressUntil(page.getByRole('button', { name: 'More', exact: true }), entry);
  await entry.click();
}

function isFocused(element: Element): boolean {
  return element === document.activeElement;
}

async function selectedTab(page: Page): Promise<string> {
  return page.getByRole('tablist', { name: 'Run' }).locator('[aria-selected=true]').innerText();
}

/** Simulates that another tab is in front. */
async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate((value) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => value });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);
}

import type { ShownProject } from '@crewagent/protocol/api/projects';
import type { ListMessage, WorkSummary } from '@crewagent/protocol/api/work-messages';
import { beforeEach, describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { createMessageQueue } from '../api/message-queue.ts';
import { WorkProvider } from '../api/work-context.tsx';
import { navigate } from '../navigation/router.ts';
import { useAppearance } from '../state/appearance.ts';
import { layoutOf } from '../state/layout.ts';
import { openFile } from '../state/open-files.ts';
import { findIssues } from '../testing/find-issues.ts';
import { renderServed } from '../testing/served.tsx';
import { useToasts } from '../ui/overlays/toast-store.ts';
import { chooseExample } from './example-start.tsx';
import StartScreen from './start-screen.tsx';

const times = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' };
const project: ShownProject = {
  projectId: 'p',
  name: 'larder',
  path: '/larder',
  exists: true,
  approvals: [],
  createdAt: times.createdAt,
  lastOpenedAt: times.createdAt,
};
const conversation: WorkSummary = {
  workId: 'c',
  projectId: 'p',
  title: 'A conversation',
  kind: 'chat',
  phase: 'WaitingUser',
  ...times,
};
const example = (name: string, installedHash?: string) => ({
  example: name,
  name,
  title: `The ${name}`,
  version: '1.0.0',
  description: `What ${name} does.`,
  isMethod: /^(?:meeting|contract)/.test(name),
  ...(installedHash === undefined ? {} : { installedHash }),
});

const toCard = ({ example: name }: { readonly example: string }) => ({
  example: name,
  title: `The ${name}`,
  name,
  agents: 1,
  workflows: 1,
});

const EXAMPLES = Promise.resolve([example('hello-branch', 'h'), example('multi-workflows')]);

async function renderStart(
  works: WorkSummary[],
  examples = EXAMPLES,
  installed: string[] = [],
  isLoaded = Promise.resolve(),
  {
    sampled = [],
    folder = {},
  }: { readonly sampled?: string[]; readonly folder?: Partial<ShownProject> } = {},
) {
  const work = createMessageQueue<ListMessage>();
  work.push({ type: 'snapshot', data: { works, damaged: [] } });
  const pkg = { hash: 'h', name: 'hello-branch', version: '1.0.0' };
  await renderServed(
    {
      system: { events: () => work.read() },
      projects: {
        list: async () => ({ projects: [{ ...project, ...folder }] }),
        open: async () => ({ projectId: 'p' }),
      },
      files: {
        addSamples: async ({ projectId }: { readonly projectId: string }) => {
          sampled.push(projectId);
          return { paths: [] };
        },
      },
      packages: {
        gallery: async () => {
          await isLoaded;
          const missing = (await examples).filter((one) => !('installedHash' in one));
          return { cards: [{ ...pkg, title: 'Plan a project' }, ...missing.map(toCard)] };
        },
        examples: async () => ({ examples: await examples }),
        installExample: async ({ example }: { example: string }) => {
          installed.push(example);
          return { package: pkg, alreadyInstalled: true };
        },
      },
      models: {
        list: async () => {
          await isLoaded;
          return { models: [] };
        },
      },
      works: { create: async () => ({ workId: 'n', mode: 'run', phase: 'Running' }) },
    },
    <WorkProvider>
      <main>
        <StartScreen />
      </main>
    </WorkProvider>,
  );
}

const button = (name: string) => page.getByRole('button', { name, exact: true });
const firsts = () =>
  page
    .getByRole('button')
    .elements()
    .filter(({ classList }) => classList.contains('bg-accent'))
    .map(({ textContent }) => textContent);

describe('the start screen', () => {
  beforeEach(async () => {
    await page.viewport(1440, 900);
    navigate({ name: 'start' });
    chooseExample('');
  });

  it.each(['en', 'zh-CN'] as const)('shows its placeholders as a whole: %s', async (language) => {
    await page.viewport(1024, 768);
    useAppearance.setState({ language });
    await renderStart([]);
    const field = page.getByRole('textbox', { name: /package|工作包/ });
    await expect.element(field).toBeVisible();
    const input = field.element() as HTMLInputElement;
    const { font, paddingLeft, paddingRight } = getComputedStyle(input);
    const room = input.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
    const canvas = new OffscreenCanvas(1, 1).getContext('2d');
    if (!canvas) throw new Error('there is no canvas');
    canvas.font = font;
    expect(canvas.measureText(input.placeholder).width).toBeLessThanOrEqual(room);
  });

  it('[U43] leads to the last Work, or to a new one', async () => {
    await renderStart([conversation]);
    await expect.element(button('Continue in larder')).toBeVisible();
    expect(firsts()).toEqual(['Continue in larder']);
    expect(await findIssues()).toEqual([]);
    await button('New').click();
    await expect.poll(() => location.pathname).toBe('/p/p');
    await button('Continue in larder').click();
    await expect.poll(() => location.pathname).toBe('/p/p/w/c');
  });

  it.each(['New', 'Continue in larder', 'Open and answer'])(
    'leads to the conversation, not to a file that is open, with “%s”',
    async (name) => {
      await renderStart([{ ...conversation, reason: { code: 'question', message: '' } }]);
      openFile('p', '@project/a.md');
      await button(name).click();
      await expect.poll(() => location.pathname).toMatch(/^\/p\/p/);
      await expect.poll(() => layoutOf('p').activeFile).toBeUndefined();
    },
  );

  it('[U43] puts waiting Works first', async () => {
    await renderStart([{ ...conversation, reason: { code: 'question', message: '' } }]);
    await expect.element(button('Continue in larder')).toBeVisible();
    expect(firsts()).toEqual(['Open and answer']);
  });

  it('starts the example without listing its contents, and offers what is missing', async () => {
    useToasts.setState({ toasts: [] });
    await renderStart([]);
    await expect.element(button('Install The multi-workflows')).toBeVisible();
    expect(button('Install The hello-branch').elements()).toHaveLength(0);
    expect(firsts()).toEqual(['Try the example']);
    await button('Try the example').click();
    await expect.poll(() => location.pathname).toBe('/p/p/w/n');
    expect(useToasts.getState().toasts).toEqual([]);
  });

  it('[U43] starts the method that was chosen, with sample documents in a folder for examples only', async () => {
    const bundled = ['hello-branch', 'meeting-decisions', 'meeting-decisions-zh', 'contract-review', 'other'];
    const installed: string[] = [];
    const sampled: string[] = [];
    const folder = { path: '/home/me/crewagent-example' };
    const list = Promise.resolve(bundled.map((name) => example(name)));
    await renderStart([], list, installed, undefined, { sampled, folder });
    const choices = page.getByRole('radiogroup', { name: 'What to try' });
    const names = choices
      .getByRole('radio')
      .elements()
      .map((radio) => radio.closest('label')?.textContent);
    expect(names).toEqual(['A project plan, in a minute', 'The meeting-decisions', 'The contract-review']);
    await expect.element(page.getByText('What hello-branch does.')).toBeVisible();
    await expect.element(page.getByText('Works in', { exact: true })).toBeVisible();
    await choices.getByText('The contract-review').click();
    await expect.element(page.getByText('What contract-review does.')).toBeVisible();
    await expect.element(page.getByText('Works with sample documents in')).toBeVisible();
    expect(await findIssues()).toEqual([]);
    await button('Try the example').click();
    await expect.poll(() => location.pathname).toBe('/p/p/w/n');
    expect({ installed, sampled }).toEqual({ installed: ['contract-review'], sampled: ['p'] });
  });

  it('puts no sample documents into a folder of the person', async () => {
    const sampled: string[] = [];
    const list = Promise.resolve([example('hello-branch'), example('meeting-decisions')]);
    await renderStart([], list, [], undefined, { sampled });
    await page.getByRole('radiogroup').getByText('The meeting-decisions').click();
    await expect.element(page.getByText('Works in', { exact: true })).toBeVisible();
    await button('Try the example').click();
    await expect.poll(() => location.pathname).toBe('/p/p/w/n');
    expect(sampled).toEqual([]);
  });

  it('shows no button that would move when a list above it is loaded', async () => {
    let load = (): void => undefined;
    await renderStart([conversation], EXAMPLES, [], new Promise((resolve) => (load = resolve)));
    await expect.element(button('Continue in larder')).toBeVisible();
    expect([...button('Import').elements(), ...button('OpenAI').elements()]).toEqual([]);
    load();
    await expect.element(button('Import')).toBeVisible();
    await expect.element(button('OpenAI')).toBeVisible();
  });

  it('[U36] does not move sideways when a scrollbar appears', async () => {
    await renderStart([conversation]);
    await expect.element(button('Continue in larder')).toBeVisible();
    const screen = document.querySelector('main')?.firstElementChild;
    expect(screen && getComputedStyle(screen).scrollbarGutter).toBe('stable');
  });

  it('reserves no room for an example that is not offered', async () => {
    await renderStart([conversation], new Promise(() => undefined));
    await expect.element(button('Continue in larder')).toBeVisible();
    const card = page.getByRole('heading', { name: 'Model' }).element();
    const top = page.getByRole('heading', { level: 1 }).element();
    expect(card.getBoundingClientRect().top - top.getBoundingClientRect().bottom).toBeLessThan(140);
  });

  it('moves the focus to the next example after one was installed', async () => {
    await renderStart([conversation], Promise.resolve(['one', 'two'].map((name) => example(name))));
    await button('Install The one').click();
    await expect.element(button('Install The two')).toHaveFocus();
  });

  it('lists two examples, and leads to the others', async () => {
    await renderStart([conversation], Promise.resolve(['one', 'two', 'three'].map((name) => example(name))));
    await expect.element(button('Install The two')).toBeVisible();
    expect(button('Install The three').elements()).toEqual([]);
    await button('All 3 examples').click();
    await expect.poll(() => location.pathname).toBe('/packages');
  });

  it.each([
    ['en', 'Examples', 'Install', 'Try the example', ['create-story-micro', 'hello-branch']],
    ['zh-CN', '示例', '安装', '试试示例', ['create-story-micro-zh', 'hello-branch-zh']],
  ] as const)(
    'lists and starts examples in the language of the page, in %s',
    async (language, title, install, start, names) => {
      useAppearance.setState({ language });
      const bundled = ['create-story-micro', 'create-story-micro-zh', 'hello-branch', 'hello-branch-zh'];
      const installed: string[] = [];
      await renderStart([], Promise.resolve(bundled.map((name) => example(name))), installed);
      await expect.element(button(`${install} The ${names[0]}`)).toBeVisible();
      const rows = page.getByRole('list', { name: title }).getByRole('listitem').elements();
      expect(rows.map(({ textContent }) => textContent)).toEqual(
        names.map((name) => `The ${name}${install}`),
      );
      await button(start).click();
      await expect.poll(() => location.pathname).toBe('/p/p/w/n');
      expect(installed).toEqual([names[1]]);
    },
  );
});

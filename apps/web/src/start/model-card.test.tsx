import { beforeEach, describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { findIssues } from '../testing/find-issues.ts';
import { renderServed } from '../testing/served.tsx';
import { ModelCard } from './model-card.tsx';

const asked: unknown[] = [];
const report = {
  ...{ ok: true, model: 'qwen3', latencyMs: 300, tools: true, streams: false, steps: [] },
  abilities: { parallelCalls: false, jsonArguments: true },
  context: { tokens: 4_096, neededTokens: 8_000, fits: false },
};

const FAILED = [{ name: 'tool call', ok: false, detail: 'It answered with words.', ms: 3 }];

async function renderCard(servers: readonly unknown[] = [], isWorking = true) {
  const saved: string[] = [];
  await renderServed(
    {
      models: {
        list: async () => ({ models: [], environment: {} }),
        findLocalModels: async () => ({ servers }),
        showBuiltin: async () => ({ recommended: [], installed: [] }),
        listProviderModels: async ({ body }: { readonly body: unknown }) => {
          asked.push(body);
          return {
            baseUrl: 'https://api.openai.com/v1',
            models: [{ id: 'big', contextTokens: 128_000, prices: { input: 1, output: 2 } }, { id: 'small' }],
          };
        },
        put: async ({ name, body }: { readonly name: string; readonly body: unknown }) => {
          saved.push(name);
          asked.push(body);
        },
        setKey: async () => undefined,
        test: async () => ({
          model: { kind: 'rehearsal' },
          report: isWorking ? report : { ...report, ok: false, steps: FAILED },
        }),
      },
      projects: {
        list: async () => ({ projects: [] }),
        open: async (call: unknown) => {
          asked.push(call);
          return { projectId: 'p' };
        },
      },
      folders: { list: async () => ({ path: '/home/ann', folders: [], roots: [], isCut: false }) },
      packages: {
        examples: async () => ({ examples: [{ example: 'hello-branch', name: 'Hello' }] }),
        installExample: async () => ({ package: { hash: 'abc', name: 'Hello' }, warnings: [] }),
      },
      settings: {
        show: async () => ({ settings: {}, environment: { hasKey: false } }),
        update: async ({ body }: { readonly body: unknown }) => asked.push(body),
      },
      works: {
        setModel: async (call: unknown) => asked.push(call),
        create: async (call: unknown) => {
          asked.push(call);
          return { workId: 'w' };
        },
      },
    },
    <main>
      <h1>Start</h1>
      <ModelCard />
    </main>,
  );
  return { saved };
}

describe('setting up a model', () => {
  beforeEach(() => {
    asked.length = 0;
  });

  it('[U81] offers one that runs inside of CrewAgent where there is none', async () => {
    await renderCard();
    await page.getByRole('button', { name: /Run a model on this computer/ }).click();
    await expect.element(page.getByRole('heading', { name: 'On this computer' })).toHaveFocus();
    expect(await findIssues()).toEqual([]);
  });

  it('[U81] offers a server that runs here, and [U43] starts the example with its model', async () => {
    const server = {
      provider: 'ollama',
      baseUrl: 'http://127.0.0.1:11434/v1',
      models: [{ id: 'qwen3' }, { id: 'gemma3' }],
    };
    const { saved } = await renderCard([server]);
    const found = page.getByRole('list', { name: 'Found on this computer' });
    await expect.element(found).toHaveTextContent('Ollama runs on this computer with 2 models');
    expect(await findIssues()).toEqual([]);
    await found.getByRole('button', { name: 'Use gemma3' }).click();
    await expect.element(page.getByText('/home/ann/crewagent-example')).toBeVisible();
    await page.getByRole('button', { name: 'Test and start' }).click();
    await expect.poll(() => location.pathname).toBe('/p/p/w/w');
    expect(saved).toEqual(['gemma3']);
    expect(asked).toContainEqual({ defaultModel: 'gemma3' });
    expect(asked).toContainEqual({ body: { path: '/home/ann/crewagent-example', create: true } });
    expect(asked).toContainEqual({
      body: { projectId: 'p', kind: 'workflow', packageHash: 'abc', model: 'gemma3' },
    });
  });

  it('[U81] lists the names the provider offers, with what it reports', async () => {
    await renderCard();
    await page.getByRole('button', { name: 'OpenAI' }).click();
    await page.getByLabelText('API key').fill('sk-1');
    await page.getByRole('textbox', { name: 'Model' }).click();
    const field = page.getByRole('combobox', { name: 'Model' });
    await field.click();
    await expect.poll(() => asked).toEqual([{ provider: 'openai', key: 'sk-1' }]);
    await expect.element(page.getByRole('option', { name: 'big 128K · $1 / $2' })).toBeVisible();
    expect(await findIssues()).toEqual([]);
    await userEvent.keyboard('{ArrowDown}{ArrowUp}{Enter}');
    await expect.element(field).toHaveValue('big');
    await page.getByRole('button', { name: 'Test and start' }).click();
    await expect
      .poll(() => asked)
      .toContainEqual({
        settings: {
          provider: 'openai',
          model: 'big',
          contextTokens: 128_000,
          prices: { input: 1, output: 2 },
        },
        isDefault: false,
      });
  });

  it('[U81] needs a key for the address of a provider, and saves nothing without one', async () => {
    const { saved } = await renderCard();
    await page.getByRole('button', { name: 'OpenAI' }).click();
    await page.getByRole('textbox', { name: 'Model' }).fill('big');
    await page.getByRole('button', { name: 'Test and start' }).click();
    await expect.element(page.getByText('Enter the key.')).toBeVisible();
    await expect.element(page.getByLabelText('API key')).toHaveAttribute('placeholder', '');
    expect(saved).toEqual([]);
  });

  it('keeps the focus: in the form, on what is invalid, on the button, on what opened the form', async () => {
    await renderCard([], false);
    await page.getByRole('button', { name: 'OpenAI' }).click();
    await expect.element(page.getByLabelText('API key')).toHaveFocus();
    await page.getByRole('button', { name: 'Test and start' }).click();
    await expect.element(page.getByLabelText('API key')).toHaveFocus();
    await page.getByLabelText('API key').fill('sk-1');
    await userEvent.keyboard('{Tab}');
    await page.getByRole('combobox', { name: 'Model' }).fill('big');
    await userEvent.keyboard('{Escape}{Enter}');
    await expect.element(page.getByRole('button', { name: 'Save anyway' })).toBeVisible();
    await expect.element(page.getByRole('button', { name: 'Test and start' })).toHaveFocus();
    await expect.element(page.getByLabelText('API key')).toHaveValue('sk-1');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect.element(page.getByRole('button', { name: 'OpenAI' })).toHaveFocus();
  });

  it('[U81] accepts another typed name', async () => {
    await renderCard();
    await page.getByRole('button', { name: 'Ollama', exact: true }).click();
    const field = page.getByRole('combobox', { name: 'Model' });
    await field.fill('sma');
    await expect.element(page.getByRole('option')).toHaveTextContent('small');
    await userEvent.keyboard('{Escape}');
    await expect.element(page.getByRole('listbox')).not.toBeInTheDocument();
    await field.fill('mine');
    await expect.element(field).toHaveValue('mine');
  });
});

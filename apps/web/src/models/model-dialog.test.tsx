import type { Me } from '@crewagent/protocol/api/accounts';
import type { ShownModel } from '@crewagent/protocol/api/settings';
import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { useTeamServer } from '../state/team-server.ts';
import { findIssues } from '../testing/find-issues.ts';
import { renderServed } from '../testing/served.tsx';
import { ModelDialog } from './model-dialog.tsx';
import { useModelTest } from './use-save-model.ts';

const MODEL: ShownModel = {
  name: 'one',
  settings: { provider: 'openai', model: 'gpt' },
  hasKey: true,
  isDefault: true,
  overrides: [],
};

const REPORT = {
  ...{ ok: true, model: 'gpt', latencyMs: 300, tools: true, streams: true },
  context: { tokens: 128_000, neededTokens: 8_000, fits: true },
};
const steps = (detail?: string) => [
  { name: 'reached', ok: true, detail: '', ms: 5 },
  { name: 'reply', ok: detail === undefined, detail: detail ?? '', ms: 5 },
];

interface Served {
  /** The models of the settings. */
  readonly saved?: readonly ShownModel[];
  /** Why a test fails. */
  readonly failsBecause?: string;
  readonly servers?: readonly unknown[];
  readonly onClose?: () => void;
}

async function renderDialog(model: ShownModel | undefined, served: Served = {}) {
  const { saved = model ? [model] : [], failsBecause, servers = [], onClose = () => undefined } = served;
  const asked: unknown[] = [];
  const record =
    (what: string) =>
    async (request: unknown): Promise<undefined> => {
      asked.push([what, request]);
    };
  await renderServed(
    {
      models: {
        listProviderModels: async () => ({ baseUrl: '', models: [] }),
        list: async () => ({ models: saved }),
        findLocalModels: async () => ({ servers }),
        test: async ({ body }: { readonly body: { readonly draft?: unknown } }) => {
          asked.push(['test', body.draft]);
          return { report: { ...REPORT, ok: failsBecause === undefined, steps: steps(failsBecause) } };
        },
        put: record('put'),
        setKey: record('set'),
        removeKey: record('remove'),
        chooseKey: record('choose'),
      },
      settings: {
        show: async () => ({ settings: { defaultModel: 'one' }, environment: {} }),
        update: record('update'),
      },
    },
    <main>
      <h1>Settings</h1>
      <Tested
        model={model}
        onClose={() => {
          asked.push('closed');
          onClose();
        }}
      />
    </main>,
  );
  return asked;
}

function Tested(props: { readonly model: ShownModel | undefined; readonly onClose: () => void }) {
  return <ModelDialog {...props} tester={useModelTest()} />;
}

const save = () => page.getByRole('button', { name: 'Test and save' }).click();
const put = (name: string, settings: object) => ['put', { name, body: { settings, isDefault: false } }];

describe('the keys of a model', () => {
  it('[U81] are one field at first; another key gets a name and is stored when the form is saved', async () => {
    const asked = await renderDialog(MODEL);
    await expect.element(page.getByRole('combobox', { name: 'Key in use' })).not.toBeInTheDocument();
    await page.getByRole('button', { name: 'Add another key' }).click();
    await expect.element(page.getByRole('textbox', { name: 'Name of the key' })).toHaveFocus();
    await userEvent.keyboard('sk-proj-0123456789abcdefghijkl');
    await page.getByLabelText('Another API key').fill(' sk-work ');
    await save();
    await expect.element(page.getByText('Use at most 24 letters', { exact: false })).toBeVisible();
    expect(await findIssues()).toEqual([]);
    await page.getByRole('textbox', { name: 'Name of the key' }).fill('work');
    const next = page.getByLabelText('If a key is refused or has no quota left, use the next one');
    await next.click();
    await expect.element(next).toBeChecked();
    expect(asked).toEqual([]);
    await save();
    await expect.poll(() => asked.at(-1)).toBe('closed');
    expect(asked).toEqual([
      ['test', { settings: MODEL.settings, savedModel: 'one' }],
      put('one', MODEL.settings),
      ['set', { name: 'one', body: { key: 'sk-work', keyName: 'work' } }],
      ['choose', { name: 'one', body: { use: 'default', useNext: true } }],
      'closed',
    ]);
  });

  it('[U81] are chosen and removed; a typed key replaces the chosen one', async () => {
    const keys = { names: ['default', 'work', '私人'], used: 'work', useNext: false };
    const asked = await renderDialog({ ...MODEL, keys });
    await expect.element(page.getByText('Type to replace the key “work”.')).toBeVisible();
    await page.getByRole('button', { name: 'Remove “work”' }).click();
    await userEvent.selectOptions(page.getByRole('combobox', { name: 'Key in use' }), '私人');
    await page.getByLabelText('API key', { exact: true }).fill('sk-new');
    await expect.element(page.getByLabelText('API key', { exact: true })).toHaveValue('sk-new');
    expect(await findIssues()).toEqual([]);
    await save();
    await expect.poll(() => asked.at(-1)).toBe('closed');
    expect(asked.slice(2)).toEqual([
      ['remove', { name: 'one', query: { keyName: 'work' } }],
      ['choose', { name: 'one', body: { use: '私人', useNext: false } }],
      ['set', { name: 'one', body: { key: 'sk-new' } }],
      'closed',
    ]);
  });

  it('[U81] are one field for a new model', async () => {
    await renderDialog(undefined);
    await expect.element(page.getByLabelText('API key', { exact: true })).toBeVisible();
    await expect.element(page.getByRole('button', { name: 'Add another key' })).not.toBeInTheDocument();
  });
});

describe('the key of a model of a team', () => {
  it('has limits for all workers together', async () => {
    const me = { person: { isAdmin: true }, roles: {}, absent: [] };
    useTeamServer.setState({ me: me as unknown as Me });
    const asked = await renderDialog(MODEL);
    await page.getByText('Advanced').click();
    await page.getByLabelText('Requests per minute').fill('60');
    await page.getByLabelText('Requests at once').fill('4');
    await expect.element(page.getByLabelText('Requests at once')).toHaveValue('4');
    expect(await findIssues()).toEqual([]);
    await save();
    await expect.poll(() => asked.at(-1)).toBe('closed');
    const limits = { requestsPerMinute: 60, concurrentRequests: 4 };
    expect(asked).toContainEqual(put('one', { ...MODEL.settings, limits }));
  });

  it('has none on a local server', async () => {
    await renderDialog(MODEL);
    await page.getByText('Advanced').click();
    await expect.element(page.getByLabelText('Cached input')).toBeVisible();
    await expect.element(page.getByLabelText('Requests at once')).not.toBeInTheDocument();
  });
});

describe('a model that is added', () => {
  const fill = async (): Promise<void> => {
    await page.getByLabelText('API key', { exact: true }).fill('sk-1');
    await page.getByRole('textbox', { name: 'Model' }).fill('gpt');
  };

  it('[U81] is not saved if its key is refused, which is said beside the key', async () => {
    const asked = await renderDialog(undefined, { failsBecause: 'It refused the API key (401).' });
    await fill();
    await save();
    const key = page.getByLabelText('API key', { exact: true });
    await expect.element(key).toHaveAccessibleDescription(/The provider refused this key/);
    await expect.element(key).toHaveValue('sk-1');
    expect(page.getByRole('alert').query()).toBeNull();
    expect(asked).toEqual([['test', { settings: MODEL.settings, key: 'sk-1' }]]);
    expect(await findIssues()).toEqual([]);
  });

  it('[U81] that fails otherwise is saved only on request', async () => {
    const asked = await renderDialog(undefined, { failsBecause: 'It answered with words.' });
    await fill();
    await save();
    await expect.element(page.getByRole('alert')).toHaveTextContent(/can’t be used with these settings/);
    expect(asked).toHaveLength(1);
    await page.getByRole('button', { name: 'Save anyway' }).click();
    await expect.poll(() => asked.at(-1)).toBe('closed');
    expect(asked[1]).toEqual(put('gpt', MODEL.settings));
  });

  it('[U81] again replaces what was saved', async () => {
    const asked = await renderDialog(undefined, { saved: [MODEL] });
    await fill();
    await save();
    await expect.poll(() => asked.at(-1)).toBe('closed');
    expect(asked[1]).toEqual(put('one', MODEL.settings));
  });

  it('[U81] is not lost by Escape', async () => {
    const asked = await renderDialog(undefined);
    await fill();
    await userEvent.keyboard('{Escape}');
    const question = page.getByRole('alertdialog', { name: 'Discard what you typed?' });
    await expect.element(question).toBeVisible();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await expect.element(page.getByLabelText('API key', { exact: true })).toHaveValue('sk-1');
    await userEvent.keyboard('{Escape}');
    await question.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => asked).toEqual(['closed']);
  });

  it('[U81] is filled in from a server that runs here', async () => {
    const server = { provider: 'llamacpp', baseUrl: 'http://127.0.0.1:8080/v1', models: [{ id: 'tiny' }] };
    const asked = await renderDialog(undefined, { servers: [server] });
    await page.getByRole('button', { name: 'Use tiny' }).click();
    await expect.element(page.getByRole('combobox', { name: 'Provider' })).toHaveValue('llamacpp');
    await save();
    await expect.poll(() => asked.at(-1)).toBe('closed');
    expect(asked[1]).toEqual(put('tiny', { provider: 'llamacpp', baseUrl: server.baseUrl, model: 'tiny' }));
  });
});

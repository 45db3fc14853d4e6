import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFakeProvider } from '../packages/core/src/testing/models/fake-provider.ts';
import { textReply, toolCallReply } from '../packages/core/src/testing/models/provider-replies.ts';
import { findIssues, hasChromium, ROOT, startWholePage, type WholePage } from './whole-page.ts';

const EXAMPLE = join(ROOT, 'examples/create-story-micro');

describe.skipIf(!hasChromium)('a first visit', () => {
  let whole: WholePage;

  beforeAll(async () => {
    whole = await startWholePage();
  }, 120_000);

  afterAll(() => whole?.close());

  it('[U43] leads to a completed workflow, and a reload shows the same', {
    tags: 'main',
    timeout: 120_000,
  }, async () => {
    const page = await whole.open({ viewport: { width: 1440, height: 4000 } });
    expect(page.url()).not.toContain('token');

    await page.getByLabel('Path of a .bmad file or folder').fill(EXAMPLE);
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Install' }).click();
    await page
      .getByRole('list', { name: 'Packages' })
      .getByText('create-story-micro', { exact: true })
      .waitFor();
    await page.getByRole('button', { name: 'Open a folder' }).click();
    await page.getByRole('button', { name: 'larder' }).click();
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Folder', exact: true }).inputValue())
      .toMatch(/larder$/);
    await page.getByRole('button', { name: 'Open this folder' }).click();

    await page.getByRole('button', { name: /^Bob/ }).click();
    const menu = page.getByRole('navigation', { name: 'Agent menu' });
    await menu.getByRole('button', { name: /create-story/ }).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('1');
    await page.keyboard.press('Enter');
    await answerUntilDone(page);

    // The evidence of the run arrives after its end.
    await page.getByText(/^Proved: /).waitFor();
    const story = await storyOf(page);
    expect(story).toContain('Summarise and close');
    await page.reload();
    await page.getByText('Workflow completed').waitFor();
    await expect.poll(() => storyOf(page)).toBe(story);
    expect(whole.complaints).toEqual([]);
  });

  it('[U45] leads on where a workflow is complete', async () => {
    const api = whole.api();
    const { projectId } = await api.projects.open({ body: { path: whole.project } });
    const { package: installed } = await api.packages.installExample({ example: 'create-story-micro' });
    const { workId } = await api.works.create({
      body: {
        projectId,
        kind: 'workflow',
        packageHash: installed.hash,
        approval: 'autopilot',
        input: '1-2-user-login',
      },
    });
    const page = await whole.open({ path: `/p/${projectId}/w/${workId}` });
    const next = page.getByRole('region', { name: 'Result of the run' });
    await next.getByText('This was a rehearsal').waitFor();
    // In the status bar and the list; the story has its own words for it.
    const listed = page.getByRole('list', { name: 'Activity' }).getByText('Completed', { exact: true });
    await listed.first().waitFor();
    const shown = page.getByRole('main').getByText('Completed', { exact: true });
    // The list may still be loading while the two are counted.
    await expect.poll(async () => (await shown.count()) - (await listed.count())).toBe(0);
    expect(await findIssues(page)).toEqual([]);
    await next.getByRole('button', { name: 'Show files' }).click();
    await page.getByRole('tab', { name: 'Artifacts', selected: true }).waitFor();
    await next.getByRole('button', { name: /^Open: .*summary\.md$/ }).click();
    await page.getByRole('tab', { name: 'summary.md', selected: true }).waitFor();
    await page.getByRole('tab', { name: '1-2-user-login' }).click();
    const address = page.url();
    await next.getByRole('button', { name: 'Connect a model' }).click();
    // [U81]
    await page.getByRole('dialog', { name: 'Add a model' }).getByLabel('API key').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Models', exact: true }).waitFor();
    await page.goto(address);
    // The timeline is rendered again; a click during that may hit an element that is removed, so it is repeated.
    const begin = next.getByRole('button', { name: 'Start your own' });
    await begin.waitFor();
    await expect
      .poll(async () => {
        if (await begin.isVisible()) await begin.click({ timeout: 2_000 }).catch(() => undefined);
        return new URL(page.url()).pathname;
      })
      .toBe(`/p/${projectId}`);
    expect(whole.complaints).toEqual([]);
  });
});

describe.skipIf(!hasChromium)('a first visit with a model of one’s own', () => {
  it('[U43] needs six presses to a finished piece of work', async () => {
    const model = await startFakeProvider(({ body }) => {
      const said = JSON.stringify(body.messages);
      if (
        !said.includes('get_magic_number') &&
        !JSON.stringify(body.tools ?? '').includes('get_magic_number')
      )
        return said.includes('"role":"tool"')
          ? textReply('The plan is in artifacts/plan.md.')
          : toolCallReply([
              { name: 'fs_write', arguments: { path: '@project/artifacts/plan.md', content: '# A plan\n' } },
            ]);
      return said.includes('"role":"tool"')
        ? textReply('It is 7421.')
        : toolCallReply([{ name: 'get_magic_number', arguments: {} }]);
    });
    const server = await startListingServer(model.url, ['tiny', 'tiny-2', 'large']);
    const whole = await startWholePage();
    const page = await whole.open();
    let presses = 0;
    const press = async (button: Locator): Promise<void> => {
      presses += 1;
      await button.click();
    };
    const card = page.getByRole('region', { name: 'Model' });
    await press(card.getByRole('button', { name: 'Custom' }));
    await card.getByRole('textbox', { name: 'Address' }).fill(server.url);
    await page.keyboard.press('Tab');
    await card.getByLabel(/^API key/).fill('sk-1');
    await page.keyboard.press('Tab');
    await press(page.getByRole('option', { name: 'tiny', exact: true }));
    await press(card.getByRole('button', { name: 'Save and test' }));
    await press(card.getByRole('button', { name: 'Save and start' }));
    const dialog = page.getByRole('dialog', { name: 'Where do you want to work?' });
    expect(await findIssues(page)).toEqual([]);
    await press(dialog.getByRole('button', { name: 'Create and start' }));
    await page.getByRole('textbox', { name: 'Instructions' }).fill('Write a plan.');
    await press(page.getByRole('button', { name: 'Start chat' }));
    await page.getByText('The plan is in').waitFor();
    expect(presses).toBe(6);
    expect((await whole.api().settings.show()).settings.defaultModel).toBe('tiny');
    expect(whole.complaints).toEqual([]);
    await whole.close();
    server.close();
    await model.close();
  });
});

/** A provider that lists its models, and passes everything else on. */
async function startListingServer(target: string, names: readonly string[]) {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === 'GET') {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ object: 'list', data: names.map((id) => ({ id, object: 'model' })) }));
      return;
    }
    const reply = await fetch(new URL(request.url ?? '', target), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: await text(request),
    });
    response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? '' });
    response.end(await reply.text());
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, close: () => server.close() };
}

/** Says something to each question and allows each change, as often as the workflow asks. */
async function answerUntilDone(page: Page): Promise<void> {
  const answer = page.getByRole('button', { name: 'Answer', exact: true });
  const allow = page.getByRole('button', { name: 'Allow once' });
  const done = page.getByText('Workflow completed');
  let questions = 0;
  while (true) {
    await answer.or(allow).or(done).first().waitFor();
    if (await done.isVisible()) break;
    const pressed = (await answer.isVisible()) ? answer : allow;
    if (pressed === answer) {
      questions += 1;
      await page.locator('form').getByRole('textbox').first().fill(`Answer ${questions}`);
    }
    const dock = await pressed.elementHandle();
    await pressed.click();
    await dock?.waitForElementState('hidden');
  }
  expect(questions).toBeGreaterThan(0);
}

async function storyOf(page: Page): Promise<string> {
  return page.getByRole('tabpanel').first().innerText();
}

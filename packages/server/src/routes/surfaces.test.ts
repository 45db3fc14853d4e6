import { createApiClient } from '@crewagent/protocol/api/client';
import { entriesFor } from '@crewagent/protocol/story/to-item';
import { describe, expect, it } from 'vitest';
import { textReply } from '../../../core/src/testing/models/provider-replies.ts';
import { addScriptedModel, startTestServer } from '../testing/server-rig.ts';
import { prepareThreads, watchWork } from '../testing/thread-rig.ts';

/** A browser and a desktop window on one conversation. Item 10 of the menu is for browsers only. */
async function openBoth() {
  const server = await startTestServer();
  const { client: browser, url: baseUrl, token } = server;
  const window = createApiClient({ baseUrl, token, surface: 'electron' });
  await addScriptedModel(browser, [textReply('Heard.'), textReply('Heard.')]);
  const ready = await prepareThreads(server);
  const { workId } = await browser.works.create({ body: { ...ready, kind: 'agent', model: 'scripted' } });
  return { browser, window, workId, watcher: watchWork(window, workId) };
}

describe('a browser and a desktop window on one conversation', () => {
  it('[G60] are shown the menu with their own numbers', async () => {
    const { browser, window, workId } = await openBoth();
    const labels = async (client: typeof browser) =>
      (await client.works.menu({ workId })).entries.map(({ index, label }) => `${index} ${label}`);
    expect((await labels(browser)).slice(9, 11)).toEqual(['10 hidden', '11 quit']);
    expect((await labels(window)).slice(9, 11)).toEqual(['10 quit', '11 many']);
  });

  it('[G60] both see a menu that one of them opened, each with its own numbers', async () => {
    const { browser, window, workId, watcher } = await openBoth();
    for (const client of [browser, window]) {
      await client.works.input({ workId, body: { text: '/menu' } });
    }
    const view = await watcher.until(
      (seen) => seen.own.timeline.filter(({ kind }) => kind === 'menu').length === 2,
    );
    for (const item of view.own.timeline) {
      if (item.kind !== 'menu') continue;
      expect(entriesFor(item, 'web')[9]?.label).toBe('hidden');
      expect(entriesFor(item, 'electron')[9]?.label).toBe('quit');
    }
  });

  it.each([
    ['web', '11'],
    ['electron', '10'],
  ] as const)('[G60] resolve a number as their own screen shows it: %s, %s', async (surface, text) => {
    const { browser, window, workId, watcher } = await openBoth();
    const client = surface === 'web' ? browser : window;
    await client.works.input({ workId, body: { text } });
    const view = await watcher.until((seen) => seen.own.timeline.some(({ kind }) => kind === 'mark'));
    expect(view.own.timeline.find(({ kind }) => kind === 'command')).toMatchObject({
      command: 'DismissAgent',
      label: 'quit',
    });
  });

  it('[G60] choose from offered choices by the numbers that both were shown', async () => {
    const { browser, window, workId, watcher } = await openBoth();
    // Outside of the menu every item is offered, numbered as in the window.
    await window.works.input({ workId, body: { text: '99' } });
    const offered = await watcher.until((seen) => seen.own.timeline.some(({ kind }) => kind === 'choices'));
    const choices = offered.own.timeline.find((item) => item.kind === 'choices');
    expect(choices).toMatchObject({
      candidates: expect.arrayContaining([{ index: 10, input: '10', label: '10. Leave' }]) as unknown,
    });
    await browser.works.input({ workId, body: { text: '10' } });
    const view = await watcher.until((seen) => seen.own.timeline.some(({ kind }) => kind === 'mark'));
    expect(view.own.timeline.findLast(({ kind }) => kind === 'command')).toMatchObject({ label: 'quit' });
  });
});

import { ApiError } from '@crewagent/protocol/api/client';
import { describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { renderServed } from '../testing/served.tsx';
import NewConversation from '../works/new-conversation/new-conversation.tsx';
import PackagesScreen from './packages-screen.tsx';

const SOUND = 'a'.repeat(64);
const DAMAGED = 'b'.repeat(64);
const installed = (hash: string, name: string) => ({
  hash,
  name,
  version: '1.0.0',
  installedAt: '2026-01-01T00:00:00.000Z',
});
const agent = {
  id: 'cook',
  name: 'Mira',
  title: 'Cook',
  icon: '🍲',
  menu: [],
  tools: { fs: true, servers: [] },
};

const answers = {
  packages: {
    list: async () => ({ packages: [installed(SOUND, 'kitchen'), installed(DAMAGED, 'cellar')] }),
    gallery: async () => ({
      cards: [{ ...installed(SOUND, 'kitchen'), title: 'Kitchen', agents: 1, workflows: 0 }],
    }),
    show: async ({ hash }: { readonly hash: string }) => {
      if (hash !== SOUND)
        throw new ApiError(422, { code: 'PACKAGE_INVALID', message: 'agents.json is missing.' });
      return { package: installed(SOUND, 'kitchen'), agents: [agent], workflows: [], requiresNetwork: false };
    },
  },
  models: { list: async () => ({ models: [] }) },
  settings: { show: async () => ({ settings: { tools: { approval: 'ask' }, limits: {} }, environment: {} }) },
};

describe('a damaged package', () => {
  it('[U84] is named, and the others can be used', async () => {
    await renderServed(answers, <NewConversation projectId="p" project={undefined} />);
    await page.getByText('Agent', { exact: true }).first().click();
    await expect.element(page.getByRole('button', { name: /Mira/ })).toBeEnabled();
    await expect.element(page.getByText('“cellar 1.0.0” can’t be read.')).toBeVisible();
    await expect.element(page.getByText('agents.json is missing.')).toBeVisible();
    await expect.element(page.getByRole('button', { name: 'Remove' })).toBeVisible();
  });

  it.each(['contents', 'examples', 'list', 'one'])(
    '[U11] no route has two meanings: /packages/%s',
    async (hash) => {
      const { show } = await renderServed(answers, <PackagesScreen />);
      await expect.element(page.getByRole('button', { name: 'Use Kitchen' })).toBeVisible();
      await show(<PackagesScreen hash={hash} />);
      await expect.element(page.getByText('This package is not installed.')).toBeVisible();
    },
  );
});

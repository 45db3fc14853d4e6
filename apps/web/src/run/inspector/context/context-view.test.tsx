import type { ShownContext } from '@crewagent/protocol/api/shown-context';
import { createStory } from '@crewagent/protocol/story/story';
import { afterEach, describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { cleanup } from 'vitest-browser-react';
import { useAppearance } from '../../../state/appearance.ts';
import { findIssues } from '../../../testing/find-issues.ts';
import { renderServed } from '../../../testing/served.tsx';
import ContextView from './context-view.tsx';

const HOSTILE = '<script>globalThis.wasHacked=1</script>\u202eevil';

const context: ShownContext = {
  contextTokens: 1_000,
  last: {
    turn: 3,
    tokens: 900,
    parts: [
      { layer: 'rules', role: 'system', text: 'Be careful.', tokens: 100 },
      { layer: 'messages', role: 'assistant', text: HOSTILE, tokens: 300 },
      { layer: 'messages', role: 'tool', text: 'x'.repeat(1_000_000), tokens: 500 },
    ],
  },
  next: { tokens: 10, parts: [{ layer: 'input', role: 'user', text: 'My words.', tokens: 10 }] },
  compactions: [
    { at: '2026-01-01T00:00:00.000Z', outcome: 'effective', tokensBefore: 2_000, tokensAfter: 900 },
  ],
};

const TOOLS: ShownContext = {
  ...context,
  last: {
    turn: 1,
    tokens: 90,
    parts: [
      { layer: 'tools', text: '[]', tokens: 10 },
      {
        layer: 'tools',
        text: '{}',
        tokens: 40,
        tool: { name: 'mcp_a_search', bytes: 1_234, isBrief: false },
      },
      { layer: 'tools', text: '{}', tokens: 40, tool: { name: 'mcp_a_put', bytes: 56, isBrief: true } },
    ],
  },
};

const layers = () => page.getByRole('list', { name: 'Contents' });

afterEach(() => cleanup());

describe('the context of a model', () => {
  it('says for each tool of an MCP server how it was sent, with its bytes', async () => {
    const { container } = await renderServed(
      { works: { context: () => Promise.resolve(TOOLS) } },
      <ContextView view={createStory('r')} />,
    );
    await layers()
      .getByRole('button', { name: /^Tools/ })
      .click();
    await expect
      .element(layers().getByRole('button', { name: /mcp_a_search.*With its schema · 1,234 bytes/ }))
      .toBeVisible();
    await expect
      .element(layers().getByRole('button', { name: /mcp_a_put.*Name and one line · 56 bytes/ }))
      .toBeVisible();
    expect(await findIssues(container)).toEqual([]);
  });

  it('shows the request of every turn with its proof, and what was new in it', async () => {
    const toRequest = (turn: number, isProved: boolean) => ({
      turn,
      turns: 3,
      at: '2026-01-01T00:00:00.000Z',
      bytes: 4_321,
      sha256: 'ab'.repeat(32),
      isProved,
      tokens: 100 * turn,
      parts: ['Be careful.', 'Second.', 'Third.'].slice(0, turn).map((text) => ({
        layer: 'messages' as const,
        role: 'user' as const,
        text,
        tokens: 100,
      })),
    });
    const { container } = await renderServed(
      {
        works: {
          context: () => Promise.resolve(context),
          request: ({ query: { turn } }: { query: { turn: string } }) =>
            Promise.resolve(toRequest(Number(turn), turn !== '1')),
        },
      },
      <ContextView view={createStory('r')} />,
    );
    await expect.element(page.getByText('Request 3 of 3')).toBeVisible();
    await expect.element(page.getByText(/^Proved: byte for byte what was sent/)).toBeVisible();
    await expect.element(layers().getByText('3 parts')).toBeVisible();
    await page.getByRole('checkbox', { name: 'Only what request 2 did not have' }).click();
    await expect.element(layers().getByText('3 parts')).not.toBeInTheDocument();
    expect(await findIssues(container)).toEqual([]);
    await page.getByRole('slider').fill('1');
    await expect.element(page.getByText(/^Not what was sent/)).toBeVisible();
    await expect.element(page.getByText('Request 1 of 3')).toBeVisible();
    await expect.element(page.getByText('100 of 1K tokens (10%)')).toBeVisible();
    await expect.element(page.getByRole('checkbox')).not.toBeInTheDocument();
  });

  it.each(['light', 'dark'] as const)(
    '[U70] shows the last and the next request by layer, expanded to its text, in the %s theme',
    async (theme) => {
      useAppearance.setState({ theme });
      const { container } = await renderServed(
        { works: { context: () => Promise.resolve(context) } },
        <ContextView view={createStory('r')} />,
      );
      await expect.element(page.getByText('900 of 1K tokens (90%)')).toBeVisible();
      await expect.element(layers().getByRole('button', { name: /Messages and results/ })).toBeVisible();
      await layers()
        .getByRole('button', { name: /Messages and results.*89%/ })
        .click();
      await layers()
        .getByRole('button', { name: /^Result/ })
        .click();
      await layers()
        .getByRole('button', { name: /^Model/ })
        .click();
      await expect.element(container).toHaveTextContent('<script>');
      expect(container.textContent?.length).toBeLessThan(40_000);
      expect(container.textContent).not.toMatch(/[\u202a-\u202e]/);
      expect('wasHacked' in globalThis).toBe(false);
      await expect.element(page.getByText('2K → 900 tokens')).toBeVisible();
      expect(await findIssues(container)).toEqual([]);
      await page.getByText('Next request').click();
      await layers()
        .getByRole('button', { name: /Your messages/ })
        .click();
      await expect.element(page.getByText('My words.')).toBeVisible();
    },
  );

  it('[U70] is refetched after a turn, and for a thread from its own endpoint', async () => {
    const asked: string[] = [];
    const answer = (id: string) => {
      asked.push(id);
      const { last: _, ...unsent } = context;
      return Promise.resolve(unsent);
    };
    const view = createStory('c');
    const { show } = await renderServed(
      {
        works: {
          context: ({ workId }: { workId: string }) => answer(workId),
        },
      },
      <ContextView view={view} />,
    );
    await expect.element(page.getByText('Nothing sent yet')).toBeVisible();
    await show(<ContextView view={{ ...view, lastSeq: 7 }} />);
    await show(<ContextView view={{ ...view, turns: 1 }} />);
    await expect.poll(() => asked).toEqual(['c', 'c']);
  });
});

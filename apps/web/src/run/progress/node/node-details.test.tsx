import { beginVisit } from '@crewagent/protocol/story/node-visits';
import type { Story } from '@crewagent/protocol/story/story';
import { describe, expect, it } from 'vitest';
import { render } from 'vitest-browser-react';
import { ProgressTotals } from '../progress-panel.tsx';
import { NodeFacts } from './node-details.tsx';

/** As during a first turn: nothing is counted yet. */
const usage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0, costUsd: undefined };
const now = '2026-01-31T09:30:00.000Z';
const visit = { ...beginVisit('a', 1, now), turns: 1 };

describe('the usage of a node', () => {
  it.each([
    [0, 'Turns1'],
    [900, 'Turns1Tokens900'],
  ])('omits counts of zero: %i tokens', async (promptTokens, text) => {
    const details = {
      visits: [visit],
      turns: [],
      ways: [],
      durationMs: 0,
      usage: { ...usage, promptTokens },
    };
    const { container } = await render(<NodeFacts details={details} progress="current" />);
    expect(container.textContent).toBe(text);
  });
});

describe('the usage of a run', () => {
  it.each([
    [0, '1 turn'],
    [900, '1 turn900 tokens'],
  ])('omits counts of zero: %i tokens', async (promptTokens, text) => {
    const view = { turns: 1, usage: { ...usage, promptTokens } } as Story;
    const { container } = await render(<ProgressTotals view={view} />);
    expect(container.textContent).toBe(text);
  });
});

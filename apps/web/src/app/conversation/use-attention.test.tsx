import type { RunPhase } from '@crewagent/protocol/run';
import { expect, it, onTestFinished } from 'vitest';
import { render } from 'vitest-browser-react';
import { useAttention } from './use-attention.ts';

function Work({ phase, turns }: { readonly phase: RunPhase | undefined; readonly turns: number }) {
  useAttention('Walk', phase && { phase, turns });
  return <p>{phase}</p>;
}

function hide(): void {
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
  onTestFinished(() => void Reflect.deleteProperty(document, 'hidden'));
}

it.each<[RunPhase, RunPhase, string]>([
  ['WaitingUser', 'Completed', '● Completed'],
  ['WaitingUser', 'WaitingUser', '● Waiting for you'],
  ['Running', 'Failed', '● Failed'],
])(
  '[U243] says in the title that a run rests again, even if nothing showed it running: %s, %s',
  async (from, to, said) => {
    const { rerender } = await render(<Work phase={undefined} turns={0} />);
    hide();
    await rerender(<Work phase={from} turns={1} />);
    // What it was when the page was opened is no news.
    await expect.poll(() => document.title).toContain('Walk');
    expect(document.title).not.toContain('●');
    await rerender(<Work phase={to} turns={3} />);
    await expect.poll(() => document.title).toContain(said);
  },
);

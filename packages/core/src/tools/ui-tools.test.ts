import { describe, expect, it } from 'vitest';
import type { ToolFact } from './tool.ts';
import { createProposeCommand } from './ui-tools.ts';

const entries = [
  { index: 1, label: 'CS', description: 'Create a story', handlers: [] },
  { index: 2, label: 'VS', description: 'Validate a story', handlers: [] },
];

async function propose(args: Record<string, unknown>) {
  const facts: ToolFact[] = [];
  const tool = createProposeCommand({ entries, onFact: (fact) => facts.push(fact) });
  const parsed = tool.parse(args);
  if (!parsed.ok) return { facts, outcome: undefined };
  const call = { name: tool.name, callId: 'c', signal: new AbortController().signal, decidedAt: undefined };
  return { facts, outcome: await tool.run(parsed.value, call) };
}

describe('ui.propose_command', () => {
  it.each([[2], ['2'], ['vs'], ['Validate a story']])('offers the item %j as a choice', async (item) => {
    const { facts, outcome } = await propose({ item, reason: 'You asked for a check.' });
    expect(facts).toEqual([
      {
        type: 'choice.offered',
        reason: 'You asked for a check.',
        candidates: [{ index: 2, label: 'Validate a story', input: '2' }],
      },
    ]);
    expect(outcome).toMatchObject({ kind: 'result', result: { ok: true, offered: '2. VS' } });
  });

  it('lists the available items if none matches', async () => {
    const { facts, outcome } = await propose({ item: 'Delete all' });
    expect(facts).toEqual([]);
    expect(outcome).toMatchObject({
      result: { ok: false, error: { message: expect.stringContaining('1. CS; 2. VS') as string } },
    });
  });
});

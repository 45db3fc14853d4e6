import type { AgentDefinition } from '@crewagent/protocol/agents';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { composePersona, composeRoster, MAX_ROSTER_BYTES } from './persona.ts';

const agent = (id: string, style: string, name = id): AgentDefinition => ({
  id,
  metadata: { name, title: 'Gardener', icon: '🌿' },
  persona: { role: 'r', identity: 'i', communication_style: style, principles: ['p'] },
});

it('a persona without a title of its own has its name once', () => {
  expect(composePersona(agent('mo', 'Short.', 'Mo'))).toContain('You are Mo, Gardener. Role: r');
  expect(composePersona(agent('g', 'Short.', 'Gardener'))).toContain('You are Gardener. Role: r');
});

describe('roster', () => {
  it('[P7] names each agent with title, icon, id and how it speaks, on one line', () => {
    expect(
      composeRoster([agent('mo', 'Short\nsentences.', 'Mo'), agent('ann', 'Asks why.', 'Ann')])
        .split('\n')
        .slice(2),
    ).toEqual([
      '- 🌿 Mo, Gardener (mo): Short sentences.',
      '- 🌿 Ann, Gardener (ann): Asks why.',
      'END_ROSTER',
    ]);
  });

  it('[P7] shortens how they speak before it leaves agents out, and says how many it left out', () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, at) => agent(`a${at}`, 'x'.repeat(1_000)));
    expect(composeRoster(many(10))).toContain('xxx…');
    expect(composeRoster(many(60)).split('\n')).toHaveLength(63);
    expect(composeRoster(many(500))).toMatch(/- and \d+ more, in @pkg\/agents\.json\nEND_ROSTER$/);
  });

  it('[P7] never exceeds its budget, and no name forges another block', () => {
    const text = fc.string({ unit: 'binary', maxLength: 300 });
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { maxLength: 120 }), (pairs) => {
        const roster = composeRoster(pairs.map(([id, style]) => agent(id, style)));
        expect(Buffer.byteLength(roster)).toBeLessThanOrEqual(MAX_ROSTER_BYTES);
        expect(
          roster
            .split('\n')
            .slice(2, -1)
            .every((line) => line.startsWith('- ')),
        ).toBe(true);
      }),
    );
  });
});

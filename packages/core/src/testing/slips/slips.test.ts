import { describe, expect, it } from 'vitest';
import slips from '../fixtures/slips.json' with { type: 'json' };
import { createScriptedModel, type ScriptLine } from '../models/scripted-model.ts';
import { rigFor, TO_THE_END } from '../rigs/branching-run.ts';

interface Slip {
  readonly name: string;
  readonly reply: ScriptLine;
  readonly accepted?: string;
  readonly advice?: string;
  readonly before?: readonly ScriptLine[];
  readonly does?: number;
}
const { wrongCalls, missingCalls, habits } = slips as Record<keyof typeof slips, readonly Slip[]>;

const PROFILES = [
  ['a strong model', {}],
  ['a small model', { size: 'small', contextTokens: 16_000 }],
] as const;

/** Plays the slip and then what a good model does; the number of turns that the slip costs. */
async function play({ reply, before = [], does = 0 }: Slip, traits: (typeof PROFILES)[number][1]) {
  const rest = TO_THE_END.slice(before.length + does);
  const script = [...before, reply, ...rest];
  const model = createScriptedModel(script, { stopsOnPurpose: false, ...traits });
  const rig = await rigFor([], { model });
  const stop = await rig.engine.start();
  return { rig, model, stop, turns: model.requests.length - TO_THE_END.length };
}

describe.each(PROFILES)('slips of %s', (_, traits) => {
  it.each([...wrongCalls, ...missingCalls, ...habits].map((slip) => [slip.name, slip] as const))(
    '[T211] %s',
    async (_name, slip) => {
      const { rig, model, stop, turns } = await play(slip, traits);
      expect(stop).toEqual({ phase: 'Completed' });
      expect(turns).toBeLessThanOrEqual(1);
      const at = slip.before?.length ?? 0;
      const after = model.requests[at + 1]?.messages.slice(-3).map(({ content }) => content);
      if (slip.advice) expect(after?.join('\n')).toMatch(new RegExp(slip.advice));
      if (slip.accepted === undefined) return;
      const ended = rig.eventsOf('tool.ended')[at];
      expect(ended).toMatchObject({ outcome: 'ok' });
      expect([ended?.name, ended?.effect?.path]).toContain(slip.accepted);
    },
  );
});

it('[T211] there are at least 22 wrong calls and 4 kinds of missing ones', () => {
  expect(wrongCalls.length).toBeGreaterThanOrEqual(22);
  expect(missingCalls).toHaveLength(4);
});

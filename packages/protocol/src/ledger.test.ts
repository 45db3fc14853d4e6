import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from './events.ts';
import { toEvidence } from './evidence.ts';
import {
  addRows,
  createRunTally,
  type LedgerRow,
  perNode,
  type RunTally,
  sortRows,
  toRunRows,
} from './ledger.ts';

const RUN = 'run-1';

function log(...facts: object[]): RunEvent[] {
  return facts.map((fact, index) => ({
    v: 1,
    seq: index + 1,
    ts: '2026-01-31T09:30:00.000Z',
    runId: RUN,
    ...fact,
  })) as RunEvent[];
}

function tallyOf(...facts: object[]): RunTally {
  const fold = createRunTally(RUN);
  for (const event of log(...facts)) fold.add(event);
  return fold.tally();
}

const created = (model: object = { kind: 'provider', settings: { model: 'weak' } }): object => ({
  type: 'run.created',
  nodes: [],
  entryNodeId: 'a',
  model,
});
const turn = (model?: string): object => ({ type: 'turn.started', turn: 1, ...(model ? { model } : {}) });
const used = (tokens: number, costUsd?: number): object => ({
  type: 'usage.updated',
  usage: { promptTokens: tokens, completionTokens: 1, cachedTokens: 0, ...(costUsd ? { costUsd } : {}) },
});
const ended = (code?: string, outcome = code === undefined ? 'ok' : 'failed'): object => ({
  type: 'tool.ended',
  callId: 'c',
  name: 'fs.read',
  outcome,
  code,
  content: '',
  effect: { kind: 'none' },
});
const nudge = { type: 'message.completed', role: 'user', purpose: 'nudge', content: 'Again.' };
const judged = { type: 'checks.judged', nodeId: 'a', visit: 1, files: [], checks: [{ id: 'x', ok: true }] };
const moved = (from: string, to: string): object => ({
  type: 'state.changed',
  from,
  to,
  variables: {},
  stepsAdded: [from],
  decisionsAdded: [],
});
const phase = (name: string, code?: string): object => ({
  type: 'phase.changed',
  phase: name,
  ...(code ? { reason: { code, message: '' } } : {}),
});

describe('a tally', () => {
  it('[L140] counts what a model did, by kind', () => {
    const tally = tallyOf(
      created(),
      turn(),
      used(10, 0.5),
      ended('E_INVALID_TRANSITION'),
      turn(),
      used(20),
      ended('E_OUTPUT_INCOMPLETE'),
      ended(),
      turn(),
      ended('E_PERSON_NOT_HEARD'),
      ended('TOOL_NOT_AVAILABLE'),
      ended('TOOL_ARGS_INVALID_JSON'),
      turn(),
      judged,
      moved('a', 'b'),
      ended(),
      phase('Completed'),
    );
    expect(tally).toEqual({
      models: {
        weak: {
          movesRefused: 1,
          outputsIncomplete: 1,
          personNotHeard: 1,
          invalidCalls: 2,
          loops: 0,
          wastedTurns: 2,
          turns: 4,
          nodesProved: 1,
          usage: { promptTokens: 30, completionTokens: 2, cachedTokens: 0, costUsd: 0.5 },
        },
      },
      isProved: true,
      isClean: true,
      called: [],
      spent: {
        '2026-01-31T09': {
          weak: { requests: 2, promptTokens: 30, completionTokens: 2, costUsd: 0.5, unpricedTokens: 21 },
        },
      },
    });
  });

  it('[L140] counts a loop once, when it is interrupted; other notes of the runtime are none', () => {
    const { models } = tallyOf(
      created(),
      turn(),
      ended(),
      nudge,
      turn(),
      ended(),
      phase('WaitingUser', 'ENGINE_LOOP_DETECTED'),
      turn(),
      used(1),
      nudge,
      phase('WaitingUser', 'E_OUTPUT_INCOMPLETE'),
    );
    expect(models.weak).toMatchObject({ loops: 2, wastedTurns: 1, turns: 3 });
  });

  it('[L140] does not blame a model for a person’s refusal, a failed command, or a server', () => {
    const { models } = tallyOf(
      created(),
      turn(),
      ended('TOOL_REFUSED', 'refused'),
      turn(),
      ended('COMMAND_FAILED'),
      turn(),
      ended('MCP_SERVER_FAILED'),
      turn(),
    );
    expect(models.weak).toMatchObject({ wastedTurns: 0, invalidCalls: 0, turns: 4 });
  });

  it('[L140] blames each model for its own turns; the one that leaves a node has proved it', () => {
    const { models } = tallyOf(
      created(),
      turn(),
      ended('E_OUTPUT_INCOMPLETE'),
      turn('strong'),
      judged,
      moved('a', 'b'),
      ended(),
    );
    expect(models.weak).toMatchObject({ outputsIncomplete: 1, wastedTurns: 1, turns: 1, nodesProved: 0 });
    expect(models.strong).toMatchObject({ outputsIncomplete: 0, wastedTurns: 0, turns: 1, nodesProved: 1 });
  });

  it('[L140] leaves out rehearsals and recordings', () => {
    expect(tallyOf(created({ kind: 'rehearsal' }), turn(), ended()).models).toEqual({});
    expect(tallyOf(created({ kind: 'replay', file: 'x' }), turn()).models).toEqual({});
    expect(tallyOf(created({ kind: 'rehearsal' }), turn(), turn('strong')).models).toMatchObject({
      strong: { turns: 1 },
    });
  });

  it('[L140] has the turns, tokens and proved nodes of the evidence sheet', () => {
    const fact = fc.constantFrom(
      turn(),
      turn('strong'),
      used(3),
      ended(),
      ended('ENOENT'),
      judged,
      moved('a', 'b'),
      moved('b', 'a'),
      phase('Running'),
      phase('Completed'),
    );
    fc.assert(
      fc.property(fc.array(fact, { maxLength: 40 }), (facts) => {
        const { visits, totals, isProved } = toEvidence(RUN, log(created(), turn(), ...facts));
        const tally = tallyOf(created(), turn(), ...facts);
        const [sum] = addRows(toRunRows('p', tally, []).map((row) => ({ ...row, model: 'any' })));
        const { usage, ...row } = sum ?? fail();
        expect(row).toMatchObject({
          turns: visits.reduce((count, visit) => count + visit.turns, 0),
          nodesProved: totals.proved,
        });
        expect(usage.promptTokens).toBe(visits.reduce((count, visit) => count + visit.usage.promptTokens, 0));
        expect(row.wastedTurns).toBeLessThanOrEqual(row.turns);
        expect(tally.isProved).toBe(isProved);
      }),
    );
  });
});

function fail(): never {
  throw new Error('there is no row');
}

const count = fc.nat(1_000);
const rowOf: fc.Arbitrary<LedgerRow> = fc.record({
  model: fc.constantFrom('weak', 'strong'),
  package: fc.constantFrom('p', 'q', '__proto__'),
  runs: fc.integer({ min: 1, max: 9 }),
  runsProved: count,
  movesRefused: count,
  outputsIncomplete: count,
  personNotHeard: count,
  invalidCalls: count,
  loops: count,
  wastedTurns: count,
  turns: fc.integer({ min: 1, max: 99 }),
  nodesProved: count,
  usage: fc.record({
    promptTokens: count,
    completionTokens: count,
    cachedTokens: count,
    // Binary fractions, whose sums are exact.
    costUsd: count.map((parts) => parts / 1_024),
  }),
});

describe('the ledger', () => {
  it('[L140] is the same for any order and any grouping of the runs', () => {
    fc.assert(
      fc.property(fc.array(rowOf), fc.nat(), fc.infiniteStream(fc.boolean()), (rows, cut, flips) => {
        const whole = sortRows(addRows(rows));
        const at = cut % (rows.length + 1);
        const parts = [...addRows(rows.slice(at)), ...addRows(rows.slice(0, at))];
        const shuffled = [...parts].sort(() => (flips.next().value ? 1 : -1));
        expect(sortRows(addRows(shuffled))).toEqual(whole);
        expect(new Set(whole.map((row) => `${row.model} ${row.package}`)).size).toBe(whole.length);
        expect(whole.reduce((sum, { turns }) => sum + turns, 0)).toBe(
          rows.reduce((sum, { turns }) => sum + turns, 0),
        );
      }),
    );
  });

  it('[L140] has the best model first', () => {
    const row = (model: string, more: Partial<LedgerRow>): LedgerRow => ({
      model,
      package: 'p',
      runs: 2,
      runsProved: 1,
      movesRefused: 0,
      outputsIncomplete: 0,
      personNotHeard: 0,
      invalidCalls: 0,
      loops: 0,
      wastedTurns: 0,
      turns: 10,
      nodesProved: 5,
      usage: { promptTokens: 90, completionTokens: 10, cachedTokens: 0, costUsd: 1 },
      ...more,
    });
    const rows = [
      row('wasteful', { wastedTurns: 3 }),
      row('slow', { turns: 20 }),
      row('good', {}),
      row('best', { runsProved: 2 }),
      row('unproved', { nodesProved: 0 }),
    ];
    expect(sortRows(rows).map(({ model }) => model)).toEqual([
      'best',
      'good',
      'slow',
      'unproved',
      'wasteful',
    ]);
    expect(perNode(row('good', {}))).toEqual({ turns: 2, tokens: 20, costUsd: 0.2 });
    expect(perNode(row('good', { nodesProved: 0 }))).toBeUndefined();
  });

  it('[L140] counts a run for its caller only, with what the runs that it called did', () => {
    const child = tallyOf(created(), turn(), used(5), { type: 'check.waived', check: 'x', reason: 'r' });
    const own = tallyOf(created({ kind: 'provider', settings: { model: 'strong' } }), phase('Completed'));
    expect(own.isProved).toBe(true);
    expect(toRunRows('p', own, [])).toEqual([]);
    expect(toRunRows('p', own, [child])).toMatchObject([{ model: 'weak', runs: 1, runsProved: 0, turns: 1 }]);
    expect(toRunRows('p', own, [child, child])).toMatchObject([{ runs: 1, turns: 2 }]);
  });
});

import { describe, expect, it } from 'vitest';
import { compareRuns, type RunFacts, type SheetTree } from './compare.ts';

describe('compareRuns', () => {
  it('[W14] names steps by their titles, also where a run went and in called workflows', () => {
    const called = sheetOf([
      visitOf('cook', 'Cook it', { to: 'serve', reason: 'hungry' }),
      visitOf('serve', 'Serve'),
    ]);
    const caller = {
      ...visitOf('plan', 'Plan the supper', { to: 'close', label: 'done' }),
      calledRunId: 'child',
    };
    const one = factsOf({
      ...sheetOf([caller, visitOf('close', 'Close')]),
      called: [{ ...called, runId: 'child' }],
    });
    const other = factsOf(sheetOf([visitOf('plan', 'Plan the supper', { to: 'close', label: 'no' })]));
    const { rows } = compareRuns([one, other]);
    const path = rows.filter(({ part }) => part === 'path');
    expect(path.map(({ values }) => values[0])).toEqual(['plan', 'plan › cook', 'plan › serve', 'close']);
    expect(path.map(({ titles }) => titles?.[0])).toEqual([
      'Plan the supper',
      'Plan the supper › Cook it',
      'Plan the supper › Serve',
      'Close',
    ]);
    expect(rows.filter(({ part }) => part === 'decisions')).toMatchObject([
      { key: 'plan', title: 'Plan the supper', titles: ['done → Close', 'no → close'], isSame: false },
      { key: 'plan › cook', title: 'Plan the supper › Cook it', titles: ['Serve: hungry', null] },
    ]);
  });

  it('[W14] tells steps with the same title apart', () => {
    const facts = [sheetOf([visitOf('draft-1', 'Draft')]), sheetOf([visitOf('draft-2', 'Draft')])].map(
      factsOf,
    );
    const [path] = compareRuns(facts).rows.filter(({ part }) => part === 'path');
    expect(path).toMatchObject({ titles: ['Draft (draft-1)', 'Draft (draft-2)'], isSame: false });
  });
});

type Visit = SheetTree['visits'][number];

function visitOf(nodeId: string, title: string, decision?: Visit['decision']): Visit {
  const usage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0 };
  return {
    ...{
      nodeId,
      title,
      visit: 1,
      outcome: 'nothing',
      turns: 1,
      usage,
      startedAt: '',
      endedAt: '',
      durationMs: 1,
    },
    ...{ spoken: [], files: [], checks: [], waivers: [], refusals: {}, outputsMissing: [] },
    ...(decision ? { decision } : {}),
  };
}

function sheetOf(visits: Visit[]): SheetTree {
  const totals = { nodes: 1, proved: 0, claimed: 0, waived: 0, missing: 0, nothing: 1, open: 0 };
  return { runId: 'run', visits, totals, isProved: true, waivers: [], missing: [], called: [] };
}

function factsOf(sheet: SheetTree): RunFacts {
  const run = { workId: sheet.runId, projectId: 'p', title: 'T', version: '1', model: 'm', createdAt: '' };
  return {
    run: { ...run, phase: 'Completed' },
    ...{ sheet, state: { variables: {} }, turns: 1, files: new Map() },
    usage: { promptTokens: 0, completionTokens: 0, cachedTokens: 0 },
  };
}

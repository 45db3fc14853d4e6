import type { ToolResult } from '@crewagent/protocol/tools';
import { describe, expect, it } from 'vitest';
import { ABORTED, enter, ok, patchOf, REFUSED, refuse, step, TOOLS } from '../../testing/rehearsal-scene.ts';
import type { RehearsalOptions } from './leave.ts';

describe('leaving a node', () => {
  it('[K14] sets every kind of variable', async () => {
    const names = '[storyTitle, epicNum, count, country, numItems, reviewRound, workflowStatus, made_by]';
    const { calls } = await enter({
      step: step(`setsVariables: ${names}`),
      variables: { reviewRound: 2, epicNum: 'x' },
    }).next();
    expect(patchOf(calls)).toEqual({
      stepsCompleted: { append: ['here'] },
      variables: {
        set: {
          storyTitle: 'rehearsal-story-title',
          epicNum: 1,
          count: 1,
          country: 'rehearsal-country',
          numItems: 1,
          reviewRound: 3,
          made_by: 'rehearsal-made-by',
        },
      },
      currentNodeId: { set: 'there' },
    });
  });

  it('[K14] completes the workflow at an end', async () => {
    const end = { type: 'end', allowedNext: [], step: step('setsVariables: [workflowStatus]') };
    expect(patchOf((await enter(end).next()).calls)).toEqual({
      stepsCompleted: { append: ['here'] },
      variables: { set: { workflowStatus: 'complete' } },
    });
  });

  it('[K14] uses the only answer, or a message instead of it, for the first variable', async () => {
    const waits = step(
      'setsVariables: [goal, rest]',
      'WAIT\n```json\n{"questions":[{"id":"q","type":"text","prompt":"?"}]}\n```',
    );
    const answered = await enter({ step: waits }).answer(ok({ answers: { q: 'Fast, please' } }));
    const set = { goal: 'Fast, please', rest: 'rehearsal-rest' };
    expect(patchOf((await answered.next()).calls)).toMatchObject({ variables: { set } });
    const said = enter({ step: waits }).resume('Fast, please').resume('and soon');
    expect(patchOf((await said.next()).calls)).toMatchObject({ variables: { set } });
    const interrupted = enter({ step: step('setsVariables: [goal, rest]') }).resume('hurry');
    expect(patchOf((await interrupted.next()).calls)).toMatchObject({
      variables: { set: { goal: 'rehearsal-goal' } },
    });
  });

  it.each([
    ['1-2 User Login!', '1-2-user-login'],
    ['../../etc/passwd', 'etc-passwd'],
    ['用户 登录', '用户-登录'],
    ['CON', 'rehearsal-page'],
    ['!!!', 'rehearsal-page'],
    ['x'.repeat(300), 'x'.repeat(60)],
  ])('[K14] turns %j into a safe part of an output path', async (said, part) => {
    const scene = enter({ outputs: ['artifacts/{page}.md'], step: step('setsVariables: [page]', 'WAIT') });
    await scene.answer(ok({ answers: { page: said } }));
    expect((await scene.next()).calls[0]?.[1].path).toBe(`@project/artifacts/${part}.md`);
    await scene.answer(ok());
    expect(patchOf((await scene.next()).calls)).toMatchObject({ variables: { set: { page: part } } });
  });

  it('[K14] uses the new value of a variable in an output path', async () => {
    const review = {
      variables: { round: 1, key: 'k' },
      outputs: ['artifacts/k-1.md', 'artifacts/{nobody}.md'],
      step: step('setsVariables: [round]\noutputs: ["artifacts/{key}-{round}.md", "artifacts/{nobody}.md"]'),
    };
    expect((await enter(review).next()).calls.map(([, { path }]) => path)).toEqual([
      '@project/artifacts/k-2.md',
      '@project/artifacts/{nobody}.md',
    ]);
  });

  const fork = {
    type: 'decision',
    step: step('setsVariables: [kind]'),
    allowedNext: [
      { to: 'a', label: 'green, "fresh"', condition: true as const },
      { to: 'b', label: 'brown', isDefault: true as const },
    ],
  };

  it('[K14] logs a decision for the edge whose condition is true with its label and a reason', async () => {
    expect(patchOf((await enter(fork).next()).calls)).toEqual({
      stepsCompleted: { append: ['here'] },
      variables: { set: { kind: 'green, "fresh"' } },
      decisionLog: {
        append: [
          {
            from: 'here',
            to: 'a',
            label: 'green, "fresh"',
            reason: 'Rehearsal: the condition of this edge is true.',
          },
        ],
      },
      currentNodeId: { set: 'a' },
    });
  });

  it('[K14] takes the chosen edge, by label or target', async () => {
    const seen: unknown[] = [];
    for (const wish of ['a', 'green, "fresh"']) {
      const options: RehearsalOptions = {
        choose: (...asked) => {
          seen.push(asked);
          return wish;
        },
      };
      expect(patchOf((await enter({ ...fork, options }).next()).calls)).toMatchObject({
        variables: { set: { kind: 'green, "fresh"' } },
        currentNodeId: { set: 'a' },
      });
    }
    expect(seen[0]).toEqual([
      'here',
      [
        { to: 'a', label: 'green, "fresh"', isDefault: false },
        { to: 'b', label: 'brown', isDefault: true },
      ],
      1,
    ]);
  });

  it('[K14] without a default takes the edge whose condition is true, then the first', async () => {
    const edge = { to: 'c', label: 'c' };
    const met = [
      { to: 'a', label: 'a', condition: 'unknown' as const },
      edge,
      { ...edge, to: 'd', condition: true as const },
    ];
    expect(patchOf((await enter({ allowedNext: met }).next()).calls)).toMatchObject({
      currentNodeId: { set: 'd' },
    });
    expect(patchOf((await enter({ allowedNext: met.slice(0, 2) }).next()).calls)).toMatchObject({
      currentNodeId: { set: 'a' },
      decisionLog: { append: [{ label: 'a' }] },
    });
  });

  it('[K14] takes the edge that an answer names', async () => {
    const asks = step('setsVariables: [kind]', 'WAIT');
    const scene = await enter({ ...fork, step: asks }).answer(ok({ answers: { kind: 'Green, "fresh"' } }));
    expect(patchOf((await scene.next()).calls)).toMatchObject({ currentNodeId: { set: 'a' } });
  });

  it('[K14] on later visits takes an edge not taken yet, then the one taken least; choose gets the visit number', async () => {
    const state = (log: string): ToolResult => ok({ content: `---\ndecisionLog:\n${log}---\n` });
    const entry = (to: string, label: string): string => `  - {from: here, to: ${to}, label: '${label}'}\n`;
    const again = { ...fork, stepsCompleted: ['here', 'b'] };
    const unseen = await enter(again).answer(state(entry('b', 'brown')));
    expect(patchOf((await unseen.next()).calls)).toMatchObject({ currentNodeId: { set: 'a' } });
    expect(patchOf((await unseen.next()).calls)).not.toHaveProperty('stepsCompleted');
    const log =
      entry('b', 'brown') +
      entry('a', 'green, "fresh"') +
      entry('b', 'brown') +
      '  - {from: x, to: a, label: z}\n';
    const visits: number[] = [];
    const options: RehearsalOptions = {
      choose: (_, __, visit) => {
        visits.push(visit);
        return undefined;
      },
    };
    const all = await enter({ ...fork, stepsCompleted: ['here', 'b', 'a'], options }).answer(state(log));
    expect(patchOf((await all.next()).calls)).toMatchObject({ currentNodeId: { set: 'a' } });
    expect(visits.at(-1)).toBe(4);
  });

  it('[K14] uses the separate tool of strict mode', async () => {
    const { calls } = await enter({ ...fork, tools: [...TOOLS, 'runtime_complete_node'] }).next();
    expect(calls).toEqual([
      [
        'runtime_complete_node',
        {
          nodeId: 'here',
          next: 'a',
          variables: { kind: 'green, "fresh"' },
          decision: { label: 'green, "fresh"', reason: 'Rehearsal: the condition of this edge is true.' },
        },
      ],
    ]);
  });

  it('[K14] retries a rejected change once with the listed edges, then reports it', async () => {
    const scene = await enter().answer(
      refuse('E_INVALID_TRANSITION', { allowedNext: [{ to: 'else', label: 'x', isDefault: true }] }),
    );
    expect(patchOf((await scene.next()).calls)).toMatchObject({ currentNodeId: { set: 'else' } });
    await scene.answer(refuse('E_INVALID_TRANSITION'));
    expect(await scene.next()).toEqual({
      calls: [],
      say: 'Rehearsal: "The Title" could not be left (E_INVALID_TRANSITION). Not so.',
    });
    await scene.answer();
    scene.resume();
    expect((await scene.next()).calls[0]?.[0]).toBe('fs_apply_patch');
  });

  it('[K14] makes another state change if one did not leave the node', async () => {
    const scene = await enter().answer(ok());
    expect((await scene.next()).calls).toEqual([]);
    scene.resume();
    expect((await scene.next()).calls[0]?.[0]).toBe('fs_apply_patch');
  });

  it('[K14] does not retry what only a person can allow; retries what a stop interrupted', async () => {
    const scene = await enter().answer(REFUSED);
    expect((await scene.next()).calls).toEqual([]);
    const stopped = await (await enter().answer(ABORTED)).answer(ABORTED);
    expect((await stopped.next()).calls[0]?.[0]).toBe('fs_apply_patch');
  });
});

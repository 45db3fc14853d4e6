import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CallLoop,
  foldLoop,
  type LoopVerdict,
  loopVerdict,
  MAX_CYCLE,
  NO_LOOP,
} from './loop-detector.ts';

type Ending = Partial<Extract<RunFact, { type: 'tool.ended' }>>;
type Call = readonly [what: string, ending?: Ending];

const read = (file: string, content = file): Call => [`read ${file}`, { content }];
const fail = (message: string): Call => ['fail', { outcome: 'failed', content: message }];
const write = (file: string, effect: object = {}): Call => [
  `write ${file}`,
  { effect: { kind: 'written', path: `@project/${file}`, ...effect } },
];

/** Folds replies of calls, and facts between them; the verdict after each reply. A nudge is sent as the loop does. */
function judge(...steps: readonly (readonly Call[] | RunFact)[]): LoopVerdict[] {
  let loop: CallLoop = NO_LOOP;
  let seq = 0;
  const add = (fact: RunFact): void => {
    loop = foldLoop(loop, { v: 1, seq: ++seq, ts: '2026-01-01T00:00:00Z', runId: 'r', ...fact } as RunEvent);
  };
  return steps.flatMap((step) => {
    if (!Array.isArray(step)) {
      add(step as RunFact);
      return [];
    }
    const calls = (step as readonly Call[]).map(([what, ending], index) => ({
      call: { id: `${seq}-${index}`, name: 'fs.read', arguments: what },
      ending,
    }));
    add({ ...message('reply'), toolCalls: calls.map(({ call }) => call) });
    for (const { call, ending } of calls)
      add({
        type: 'tool.ended',
        callId: call.id,
        name: call.name,
        outcome: 'ok',
        durationMs: 1,
        content: '',
        effect: { kind: 'read' },
        ...ending,
      });
    const verdict = loopVerdict(loop);
    if (verdict === 'nudge') add(message('nudge'));
    return [verdict];
  });
}

function message(purpose: 'reply' | 'input' | 'nudge' | 'anchor') {
  return { type: 'message.completed', role: 'user', purpose, content: '' } as const;
}

const compacted = { type: 'context.compacted', groups: 1, tokensBefore: 2, tokensAfter: 1 } as const;
const [a, b, c] = [read('a'), read('b'), read('c')];

describe('the loop detector', () => {
  it.each<[string, (readonly Call[] | RunFact)[], LoopVerdict[]]>([
    ['one call', [[a], [a], [a], [a]], ['fine', 'fine', 'nudge', 'stop']],
    ['a call whose errors differ', [[fail('1')], [fail('2')], [fail('3')]], ['fine', 'fine', 'nudge']],
    [
      'a call whose results differ',
      [[read('a', '1')], [read('a', '2')], [read('a', '3')]],
      ['fine', 'fine', 'fine'],
    ],
    [
      'a cycle',
      [[a], [b], [a], [b], [a], [b], [a]],
      ['fine', 'fine', 'fine', 'fine', 'fine', 'nudge', 'stop'],
    ],
    [
      'replies with several calls',
      [
        [a, b],
        [a, b],
        [a, b],
      ],
      ['fine', 'fine', 'nudge'],
    ],
    ['the same call in one reply', [[a, a, a], [b]], ['fine', 'fine']],
    ['calls that are not consecutive', [[a], [b], [a], [c], [a], [b], [b], [a]], Array(8).fill('fine')],
    ['a file that is written', [[a], [a], [write('x')], [a], [a]], Array(5).fill('fine')],
    [
      'a file that has this content',
      Array(3).fill([write('x', { isUnchanged: true })]),
      ['fine', 'fine', 'nudge'],
    ],
    ['a command', Array(4).fill([['ls', { effect: { kind: 'external' } }]]), Array(4).fill('fine')],
    [
      'a tool that only reads elsewhere',
      Array(3).fill([['status', { effect: { kind: 'external', isReadOnly: true } }]]),
      ['fine', 'fine', 'nudge'],
    ],
    [
      'a command that fails',
      Array(3).fill([['ls', { outcome: 'failed', effect: { kind: 'external' } }]]),
      ['fine', 'fine', 'nudge'],
    ],
    [
      'another loop after the nudge',
      [[a], [a], [a], [b], [b], [b]],
      ['fine', 'fine', 'nudge', 'fine', 'fine', 'stop'],
    ],
  ])('[L5] %s', (_, steps, verdicts) => {
    expect(judge(...steps)).toEqual(verdicts);
  });

  it.each<[string, RunFact]>([
    ['a message of the person', message('input')],
    ['another position', message('anchor')],
    ['a compaction', { ...compacted, outcome: 'effective' }],
    ['a resume', { type: 'run.resumed' }],
    ['an answer', { type: 'question.answered', callId: 'x', answers: {} }],
    ['a decision', { type: 'approval.resolved', callId: 'x', tool: 'fs.write', path: 'x', decision: 'no' }],
    [
      'a change of the state',
      {
        type: 'state.changed',
        from: 'n',
        to: 'n',
        variables: { a: 1 },
        stepsAdded: [],
        decisionsAdded: [],
        notes: [],
        sha256: '',
      },
    ],
  ])('[L5] %s resets the count and the nudge', (_, fact) => {
    expect(judge([a], [a], [a], fact, [a], [a], [a])).toEqual([
      'fine',
      'fine',
      'nudge',
      'fine',
      'fine',
      'nudge',
    ]);
  });

  it('[L5] a compaction that freed nothing does not reset the count', () => {
    expect(judge([a], [a], { ...compacted, outcome: 'noop' }, [a])).toEqual(['fine', 'fine', 'nudge']);
  });

  const call = fc.integer({ min: 0, max: 3 }).map((file) => read(String(file)));

  it('[L5] any calls with an effect at least every second call are no loop', () => {
    const pairs = fc.array(fc.tuple(call, fc.integer()), { maxLength: 60 });
    fc.assert(
      fc.property(pairs, (given) => {
        const steps = given.flatMap(([idle, file]) => [[idle], [write(String(file))]]);
        expect(new Set(judge(...steps))).not.toContain('nudge');
      }),
    );
  });

  it('[L5] any cycle of calls without effect is found when it was repeated three times', () => {
    const cycle = fc.array(call, { minLength: 1, maxLength: MAX_CYCLE });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 40 }), cycle, (before, repeated) => {
        const steps = [...before, ...repeated, ...repeated, ...repeated].map((one) => [one]);
        const verdicts = judge(...steps, [repeated[0] ?? a]);
        expect(verdicts).toContain('nudge');
        expect(verdicts.at(-1)).toBe('stop');
      }),
    );
  });
});

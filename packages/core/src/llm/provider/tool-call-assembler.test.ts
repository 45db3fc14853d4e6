import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createToolCallAssembler } from './tool-call-assembler.ts';

const NAMES = ['fs_read', 'fs_write', 'papa', 'papaya', 'ask'];

/** Calls from deltas, as `id name arguments`. */
function assembled(deltas: readonly (readonly unknown[])[], isCutByLength = false): string[] {
  const assembler = createToolCallAssembler(NAMES);
  for (const entries of deltas) assembler.add(entries, false);
  return assembler
    .toCalls(isCutByLength)
    .map(({ id, name, arguments: text, isCutOff }) => `${id} ${name} ${text}${isCutOff ? ' …' : ''}`);
}

const call = (name?: string, text?: unknown): unknown => ({ name, arguments: text });
const FIRST = { id: 'a', function: call('fs_read', '{"p":1}') };
const SECOND = { id: 'b', function: call('fs_write', '{"p":2}') };
const BOTH = ['a fs_read {"p":1}', 'b fs_write {"p":2}'];

const CASES: [string, string, unknown[][], string[]][] = [
  ['N10', 'as the protocol has it', [[{ index: 0, ...FIRST }], [{ index: 1, ...SECOND }]], BOTH],
  [
    'N10',
    'several in one delta',
    [
      [
        { index: 0, ...FIRST },
        { index: 1, ...SECOND },
      ],
    ],
    BOTH,
  ],
  [
    'N10',
    'interleaved',
    [
      [{ index: 0, id: 'a', function: call('fs_read', '') }],
      [{ index: 1, id: 'b', function: call('fs_write', '{"p"') }],
      [{ index: 0, function: call(undefined, '{"p":1') }],
      [{ index: 1, function: call(undefined, ':2}') }],
      [{ index: 0, function: call(undefined, '}') }],
    ],
    BOTH,
  ],
  ['N10', 'with an index that is text', [[{ index: '0', ...FIRST }], [{ index: '1', ...SECOND }]], BOTH],
  ['N10', 'without an index', [[FIRST], [SECOND]], BOTH],
  ['N10', 'without an index, in one delta', [[FIRST, SECOND]], BOTH],
  ['N10', 'with one index for all', [[{ index: 0, ...FIRST }], [{ index: 0, ...SECOND }]], BOTH],
  ['N10', 'with nonsense for an index', [[{ index: -1, ...FIRST }], [{ index: {}, ...SECOND }]], BOTH],
  [
    'N10',
    'with one index for all, interleaved by id',
    [
      [{ index: 0, id: 'a', function: call('fs_read', '{"p"') }],
      [{ index: 0, id: 'b', function: call('fs_write', '{"p"') }],
      [{ index: 0, id: 'a', function: call(undefined, ':1}') }],
      [{ index: 0, id: 'b', function: call(undefined, ':2}') }],
    ],
    BOTH,
  ],
  [
    'N10',
    'with an index that grows within a call',
    [
      [{ index: 0, id: 'a', function: call('fs_read', '') }],
      [{ index: 1, id: 'a', function: call(undefined, '{"p"') }],
      [{ index: 2, function: call(undefined, ':1}') }],
    ],
    ['a fs_read {"p":1}'],
  ],
  [
    'N10',
    'with an id in every delta, no index',
    [
      [{ id: 'a', function: call('fs_read', '{"p"') }],
      [{ id: 'b', function: call('fs_write', '{"p"') }],
      [{ id: 'a', function: call(undefined, ':1}') }],
      [{ id: 'b', function: call(undefined, ':2}') }],
    ],
    BOTH,
  ],
  [
    'N10',
    'with an id that comes late',
    [
      [{ index: 0, function: call('fs_read', '{"p"') }],
      [{ index: 0, function: call(undefined, ':1}') }],
      [{ index: 0, id: 'a' }],
    ],
    ['a fs_read {"p":1}'],
  ],
  [
    'N10',
    'with an id that comes late, no index',
    [[{ function: call('fs_read', '{"p"') }], [{ id: 'a', function: call(undefined, ':1}') }]],
    ['a fs_read {"p":1}'],
  ],
  [
    'N10',
    'with neither ids nor indices',
    [
      [{ function: call('fs_read', '{"p":1}') }],
      [{ function: call('fs_read', '{"p":2}') }],
      [{ function: call('ask', '{}') }],
    ],
    [' fs_read {"p":1}', ' fs_read {"p":2}', ' ask {}'],
  ],
  [
    'N10',
    'with neither ids nor indices, in pieces',
    [
      [{ function: call('fs_read', '{"p"') }],
      [{ function: call(undefined, ':1}') }],
      [{ function: call('fs_read', '{"p"') }],
      [{ function: call(undefined, ':2}') }],
    ],
    [' fs_read {"p":1}', ' fs_read {"p":2}'],
  ],
  [
    'N10',
    'with ids that are empty',
    [
      [{ index: 0, id: '', function: call('fs_read', '{}') }],
      [{ index: 1, id: '', function: call('ask', '{}') }],
    ],
    [' fs_read {}', ' ask {}'],
  ],
  [
    'N10',
    'with one id for all',
    [
      [{ index: 0, id: 'x', function: call('fs_read', '{}') }],
      [{ index: 1, id: 'x', function: call('ask', '{}') }],
    ],
    ['x fs_read {}', 'x ask {}'],
  ],
  [
    'N10',
    'with one id for all and no index',
    [
      [
        { id: 'x', function: call('fs_read', '{}') },
        { id: 'x', function: call('ask', '{}') },
      ],
    ],
    ['x fs_read {}', 'x ask {}'],
  ],
  ['N10', 'with ids that are numbers', [[{ index: 0, id: 7, function: call('ask', '{}') }]], ['7 ask {}']],
  [
    'N10',
    'with name and arguments beside the id',
    [[{ index: 0, id: 'a', name: 'ask', arguments: '{}' }]],
    ['a ask {}'],
  ],
  [
    'N10',
    'with entries that are nothing',
    [[null, 1, {}, { index: 5 }], [{ index: 0, ...FIRST }]],
    ['a fs_read {"p":1}'],
  ],
  [
    'N10',
    'with a name in pieces',
    [
      [{ index: 0, id: 'a', function: call('pa') }],
      [{ index: 0, function: call('pa') }],
      [{ index: 0, function: call('ya', '') }],
      [{ index: 0, function: call(undefined, '{}') }],
    ],
    ['a papaya {}'],
  ],
  [
    'N10',
    'with its name in every delta',
    [
      [{ index: 0, id: 'a', function: call('ask', '{') }],
      [{ index: 0, id: 'a', function: call('ask', '"p":') }],
      [{ index: 0, id: 'a', function: call('ask', '1}') }],
      [{ index: 0, id: 'a', function: call('ask', '') }],
    ],
    ['a ask {"p":1}'],
  ],
  [
    'N10',
    'with an unknown name in every delta',
    [[{ index: 0, function: call('nobody', '') }], [{ index: 0, function: call('nobody', '{}') }]],
    [' nobody {}'],
  ],
  [
    'N10',
    'with arguments that are an object',
    [[{ index: 0, id: 'a', function: call('ask', { p: [1] }) }]],
    ['a ask {"p":[1]}'],
  ],
  ['N10', 'without arguments', [[{ index: 0, id: 'a', function: call('ask', null) }]], ['a ask ']],
];

describe('tool calls from deltas', () => {
  for (const [rule, name, deltas, calls] of CASES) {
    it(`[${rule}] ${name}`, () => {
      expect(assembled(deltas)).toEqual(calls);
    });
  }

  it('[N10] each entry of a whole message is a separate call', () => {
    const assembler = createToolCallAssembler(NAMES);
    assembler.add([FIRST, FIRST], true);
    expect(assembler.toCalls(false)).toHaveLength(2);
  });

  it('[N10] are the same however the deltas are split', () => {
    const name = fc.constantFrom(...NAMES);
    const json = fc
      .dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 })
      .map((value) => JSON.stringify(value));
    const calls = fc.array(fc.record({ name, text: json }), { minLength: 1, maxLength: 5 });
    const style = fc.record({
      index: fc.constantFrom('number', 'text', 'none'),
      id: fc.constantFrom('first', 'each'),
      name: fc.constantFrom('first', 'each', 'pieces'),
      cut: fc.integer({ min: 1, max: 9 }),
    });
    fc.assert(
      fc.property(calls, style, (wanted, { index, id, name, cut }) => {
        const deltas = wanted.flatMap(({ name: whole, text }, at) => {
          const names = name === 'pieces' ? (whole.match(/.{1,2}/gs) ?? []) : [whole];
          const pieces = text.match(new RegExp(`.{1,${cut}}`, 'gs')) ?? [];
          return [
            ...names.map((part) => call(part, '')),
            ...pieces.map((part) => call(name === 'each' ? whole : undefined, part)),
          ].map((part, position) => [
            {
              ...(index === 'number' ? { index: at } : index === 'text' ? { index: String(at) } : {}),
              ...(id === 'each' || position === 0 ? { id: `c${at}` } : {}),
              function: part,
            },
          ]);
        });
        expect(assembled(deltas)).toEqual(wanted.map(({ name, text }, at) => `c${at} ${name} ${text}`));
      }),
    );
  });

  it('[N10] accept arguments of megabytes and of any depth, as long as they are text', () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const long = `{"p":"${'x'.repeat(8_000_000)}"}`;
    for (const text of [deep, long, '[1]', 'not json', '{"__proto__":{"a":1}}']) {
      expect(assembled([[{ index: 0, function: call('ask', text) }]])).toEqual([` ask ${text}`]);
    }
    const assembler = createToolCallAssembler(NAMES);
    assembler.add([{ index: 0, function: call('ask', JSON.parse(deep)) }], false);
    expect(assembler.isBroken()).toBe(true);
  });

  it('[N10] only the last call is marked as cut off, and only if its arguments are incomplete', () => {
    const cut = { index: 1, id: 'b', function: call('fs_write', '{"p":') };
    expect(assembled([[{ index: 0, ...FIRST }, cut]], true)).toEqual([
      'a fs_read {"p":1}',
      'b fs_write {"p": …',
    ]);
    expect(assembled([[{ index: 0, ...FIRST }]], true)).toEqual(['a fs_read {"p":1}']);
    expect(assembled([[cut]], false)).toEqual(['b fs_write {"p":']);
  });
});

import { describe, expect, it } from 'vitest';
import { toMenuEntries, toVisibleMenu } from './menu.ts';

const item = { description: 'Do it', action: 'Do.' };

describe('an agent menu', () => {
  it('[R17] hides ide-only items in a browser and web-only items elsewhere, and numbers the others', () => {
    const menu = [
      { ...item, trigger: 'desktop', 'ide-only': true },
      { ...item, trigger: 'both' },
      { ...item, trigger: 'page', 'web-only': true },
      { ...item, trigger: 'nowhere', 'ide-only': true, 'web-only': true },
      { ...item, trigger: 'explicit', 'ide-only': false, 'web-only': false },
    ];
    const shown = (surface: 'electron' | 'web') =>
      toMenuEntries(menu, surface).map(({ index, label }) => `${index} ${label}`);
    expect(shown('electron')).toEqual(['1 desktop', '2 both', '3 explicit']);
    expect(shown('web')).toEqual(['1 both', '2 page', '3 explicit']);
  });

  it('[R10] an entry has a label, its code and its choices', () => {
    const triggers = [
      { type: 'handler', match: 'five whys', action: '#why' },
      { type: 'alias', match: 'x' },
      { type: 'handler', exec: 'a.md' },
      { type: 'handler' },
    ];
    const [first, second, third] = toMenuEntries(
      [{ trigger: ' go ', description: '[G] Go there', triggers }, item, { ...item, trigger: '  ' }],
      'web',
    );
    expect(first).toEqual({
      index: 1,
      label: 'go',
      description: '[G] Go there',
      code: 'g',
      handlers: [
        { index: 1, input: '1.1', label: '1.1. five whys' },
        { index: 1, input: '1.2', label: '1.2. a.md' },
        { index: 1, input: '1.3', label: '1.3. choice 3' },
      ],
    });
    expect(second).toEqual({ index: 2, label: 'Do it', description: 'Do it', handlers: [] });
    expect(third?.label).toBe('Do it');
  });

  it('[R10] a label has no terminal sequences, and a long description is truncated', () => {
    const [entry] = toMenuEntries([{ trigger: 'a\u001b[2J\nb\u202e', description: '😀'.repeat(500) }], 'web');
    expect(entry?.label).toBe('a\ufffd[2J b\ufffd');
    expect(entry?.description).toBe(`${'😀'.repeat(100)}…`);
  });

  it('[R10] names are explicit or derived', () => {
    const names = (menuItem: Parameters<typeof toVisibleMenu>[0][number]): string[][] => {
      const [visible] = toVisibleMenu([menuItem], 'web');
      return [visible?.names ?? [], visible?.derivedNames ?? []].map((list) =>
        list.map(({ source, key }) => `${source} ${key}`),
      );
    };
    expect(
      names({ ...item, trigger: '*Go', cmd: '[G]', triggers: [{ type: 'alias', match: 'Walk' }] }),
    ).toEqual([
      ['trigger go', 'cmd [g]', 'alias walk'],
      ['code g', 'code [g]'],
    ]);
    expect(names({ description: 'A [word], a [B], a [CD]' })).toEqual([[], ['code b', 'code [b]']]);
    expect(names({ description: '[菜] 单' })).toEqual([[], ['code 菜', 'code [菜]']]);
    expect(names({ description: '[LONG] [] [ab]' })).toEqual([[], []]);
    expect(names({ ...item, trigger: 'WS or fuzzy match on workflow-status' })[1]).toEqual([
      'trigger ws',
      'trigger workflow-status',
    ]);
  });

  it('[R10] entries of other types and values that are not text are skipped', () => {
    const triggers = [{}, { type: 'alias' }, { type: 'alias', match: null }, { type: 'other', match: 'x' }];
    const [visible] = toVisibleMenu([{ ...item, trigger: '', cmd: 7, triggers }], 'web');
    expect(visible).toMatchObject({ names: [], derivedNames: [], handlers: [] });
  });
});

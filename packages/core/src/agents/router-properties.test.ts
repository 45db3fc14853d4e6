import type { MenuItem } from '@crewagent/protocol/agents';
import type { CommandResolution, TargetSurface } from '@crewagent/protocol/commands';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveCommand } from './command-router.ts';
import { toKey } from './folded-text.ts';
import { toVisibleMenu } from './menu.ts';

const HARD = [
  '*',
  ' ',
  '\n',
  '1',
  '[M]',
  '/menu',
  '故事',
  '🚀',
  '\u202e',
  '\u200b',
  '\0',
  '\ud800',
  'Ａ',
  'ß',
  'İ',
  '-',
];
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ maxLength: 12 }),
  fc
    .array(fc.constantFrom(...HARD, 'create', 'story', 'or fuzzy match', '.', '#'), { maxLength: 5 })
    .map((parts) => parts.join('')),
);
const maybeText = fc.option(text, { nil: undefined });
const trigger = fc.record(
  {
    type: fc.oneof(fc.constantFrom('alias', 'handler'), fc.jsonValue()),
    match: fc.oneof(text, fc.jsonValue()),
    workflow: text,
    exec: text,
    action: fc.oneof(text, fc.jsonValue()),
  },
  { requiredKeys: [] },
);
const menuItem = fc
  .record(
    {
      description: text.filter((description) => description !== ''),
      trigger: maybeText,
      cmd: maybeText,
      id: fc.jsonValue(),
      triggers: fc.array(trigger, { maxLength: 4 }),
      workflow: maybeText,
      exec: maybeText,
      action: maybeText,
      data: maybeText,
      'validate-workflow': maybeText,
      'ide-only': fc.boolean(),
      'web-only': fc.boolean(),
    },
    { requiredKeys: ['description'] },
  )
  .map((item) => item as MenuItem);
const menu = fc.array(menuItem, { maxLength: 8 });
const surface = fc.constantFrom<TargetSurface>('electron', 'web');

function route(input: string, items: readonly MenuItem[], where: TargetSurface): CommandResolution {
  return resolveCommand(input, {
    agent: { menu: [...items] },
    workflows: [{ id: 'a', path: 'workflow.md' }],
    surface: where,
    artifactsDir: 'artifacts',
  });
}

describe('the command router, for any input', () => {
  it('[R17] returns plain JSON, deterministically', () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ maxLength: 500 })), menu, surface, (input, items, where) => {
        const command = route(input, items, where);
        expect(JSON.parse(JSON.stringify(command))).toEqual(command);
        expect(route(input, items, where)).toEqual(command);
        expect(command.reason).not.toBe('');
      }),
    );
  });

  it('[R10] number N of a visible menu always resolves to item N', () => {
    fc.assert(
      fc.property(menu, surface, (items, where) => {
        toVisibleMenu(items, where).forEach((_, at) => {
          const command = route(`${at + 1}`, items, where);
          expect(command).toMatchObject({ matchedMenuItemIndex: at + 1, confidence: 'exact' });
        });
      }),
    );
  });

  it('[R10] a name always resolves to its own item, or to a choice among those that share it', () => {
    fc.assert(
      fc.property(menu, surface, (items, where) => {
        const visible = toVisibleMenu(items, where);
        for (const { index, item } of visible) {
          const name = item.trigger ?? '';
          const key = toKey(name);
          if (key === '' || /[\r\n\u2028\u2029]/.test(name) || /^[0-9.]+$/.test(key)) continue;
          const sharing = visible.filter(({ names }) => names.some((other) => other.key === key));
          const command = route(name, items, where);
          if (sharing.length === 1) expect(command.matchedMenuItemIndex).toBe(index);
          else
            expect(command).toMatchObject({
              kind: 'ClarifyChoice',
              candidates: sharing.map((one) => ({ index: one.index })),
            });
        }
      }),
    );
  });

  it('[R10] every offered choice can be chosen by its number', () => {
    fc.assert(
      fc.property(text, menu, surface, (input, items, where) => {
        const command = route(input, items, where);
        if (command.kind !== 'ClarifyChoice') return;
        for (const candidate of command.candidates) {
          expect(candidate.label.startsWith(`${candidate.input}. `)).toBe(true);
          const chosen = route(candidate.input, items, where);
          expect(chosen).toMatchObject({ matchedMenuItemIndex: candidate.index, confidence: 'exact' });
          const isHandler = candidate.input.includes('.');
          if (isHandler) expect(chosen.kind).not.toBe('ClarifyChoice');
        }
      }),
    );
  });

  it('[R17] hidden items are never matched', () => {
    fc.assert(
      fc.property(text, menu, (input, items) => {
        const hidden = items.map((item) => ({ ...item, 'ide-only': true }));
        expect(route(input, hidden, 'web')).not.toHaveProperty('matchedMenuItemIndex');
      }),
    );
  });
});

/**
 * An agent's menu on one surface: the visible items, their numbers and their names. Pure.
 */
import type { MenuItem } from '@crewagent/protocol/agents';
import type { ChoiceCandidate, MenuEntry, TargetSurface } from '@crewagent/protocol/commands';
import { findCode } from '@crewagent/protocol/folded-text';
import { toAlternatives, toKey, toShown } from './folded-text.ts';

export interface VisibleItem {
  /** 1-based, among visible items. */
  readonly index: number;
  readonly item: MenuItem;
  /** Names written by the menu's author. */
  readonly names: readonly MenuName[];
  /** Names derived from those names and the description. */
  readonly derivedNames: readonly MenuName[];
  readonly handlers: readonly MenuHandler[];
}

export interface MenuName {
  readonly source: 'trigger' | 'cmd' | 'alias' | 'code';
  /** Normalized for comparison. */
  readonly key: string;
}

/** One of several actions of an item, each with its own text to match. */
export type MenuHandler = ReturnType<typeof toHandler>;

/** An object with `workflow`, `exec`, `action` and `data`. */
export type MenuTarget = Readonly<Record<string, unknown>>;

const MAX_LABEL = 200;

/** Each menu is prepared once: a line is typed to the same menu again and again. */
const prepared = new WeakMap<readonly MenuItem[], Map<TargetSurface, readonly VisibleItem[]>>();

export function toVisibleMenu(menu: readonly MenuItem[], surface: TargetSurface): readonly VisibleItem[] {
  const known = prepared.get(menu) ?? new Map<TargetSurface, readonly VisibleItem[]>();
  prepared.set(menu, known);
  const items = known.get(surface) ?? prepareMenu(menu, surface);
  known.set(surface, items);
  return items;
}

function prepareMenu(menu: readonly MenuItem[], surface: TargetSurface): readonly VisibleItem[] {
  const hidden = surface === 'web' ? 'ide-only' : 'web-only';
  return menu
    .filter((item) => item[hidden] !== true)
    .map((item, at) => ({
      index: at + 1,
      item,
      ...toNames(item),
      handlers: (item.triggers ?? []).filter(({ type }) => type === 'handler').map(toHandler),
    }));
}

/** The menu to show. */
export function toMenuEntries(menu: readonly MenuItem[], surface: TargetSurface): readonly MenuEntry[] {
  return toVisibleMenu(menu, surface).map((visible) => {
    const { index, item, derivedNames, handlers } = visible;
    const code = derivedNames.find(({ source }) => source === 'code')?.key;
    return {
      index,
      label: toShown(item.trigger?.trim() || item.description, MAX_LABEL),
      description: toShown(item.description, MAX_LABEL),
      code,
      handlers: handlers.map((handler) => toCandidate(visible, handler)),
    };
  });
}

/** An item or one of its handlers, as a choice. */
export function toCandidate({ index, item }: VisibleItem, handler?: MenuHandler): ChoiceCandidate {
  const input = handler ? `${index}.${handler.index}` : `${index}`;
  return { index, input, label: `${input}. ${toShown(handler?.label ?? item.description, MAX_LABEL)}` };
}

/** The text of a key; empty if there is none. */
export function textOf(target: MenuTarget, key: string): string {
  const value = target[key];
  return typeof value === 'string' ? value.trim() : '';
}

function toNames(item: MenuItem): Pick<VisibleItem, 'names' | 'derivedNames'> {
  const aliases = (item.triggers ?? []).filter(({ type }) => type === 'alias');
  const written = [
    { source: 'trigger', text: textOf(item, 'trigger') },
    { source: 'cmd', text: textOf(item, 'cmd') },
    ...aliases.map((alias) => ({ source: 'alias', text: textOf(alias, 'match') }) as const),
  ] as const;
  const names = written
    .map(({ source, text }) => ({ source, key: toKey(text) }))
    .filter(({ key }) => key !== '');
  const codes = [...written.map(({ text }) => text), item.description].flatMap((text) => {
    const code = findCode(text);
    return code === undefined ? [] : [toKey(code), `[${toKey(code)}]`];
  });
  return {
    names,
    derivedNames: [
      ...names.flatMap(({ source, key }) =>
        toAlternatives(key)
          .filter((part) => part !== key)
          .map((part) => ({ source, key: part })),
      ),
      ...codes.map((key) => ({ source: 'code', key }) as const),
    ],
  };
}

function toHandler(trigger: MenuTarget, at: number) {
  const match = textOf(trigger, 'match');
  const targets = ['workflow', 'exec', 'action'].map((name) => textOf(trigger, name));
  return {
    /** 1-based, among the handlers of the item. */
    index: at + 1,
    label: match || targets.find((text) => text !== '') || `choice ${at + 1}`,
    /** Its `match`, normalized for comparison. */
    key: toKey(match),
    target: trigger,
  };
}

import { describe, expect, it } from 'vitest';
import type { MenuItem } from './electron-api.ts';
import { type MenuActions, toMenu, toTray } from './menu.ts';
import { findItem } from './testing/fake-electron.ts';
import { TEXTS } from './texts.ts';

const none = (): void => undefined;
const ACTIONS: MenuActions = {
  newConversation: none,
  openFolder: none,
  openPackage: none,
  stop: none,
  resume: none,
  go: none,
  tab: none,
  show: none,
  quit: none,
};

function itemsOf(items: readonly MenuItem[]): readonly MenuItem[] {
  return items.flatMap((item) => [item, ...itemsOf(item.submenu ?? [])]);
}

describe('the menu', () => {
  it.each([
    ['File', 'New conversation', 'CmdOrCtrl+N'],
    ['File', 'Open folder…', 'CmdOrCtrl+O'],
    ['File', 'Open package…', 'CmdOrCtrl+Shift+O'],
    ['Run', 'Stop', 'CmdOrCtrl+.'],
    ['Run', 'Resume', 'CmdOrCtrl+Shift+R'],
    ['View', 'Next tab', 'Ctrl+Tab'],
    ['View', 'Previous tab', 'Ctrl+Shift+Tab'],
  ])('[G20] has %s › %s with %s', (menu, label, accelerator) => {
    for (const isMac of [true, false]) {
      const item = findItem(toMenu(TEXTS.en, ACTIONS, isMac), menu, label);
      expect(item).toMatchObject({ accelerator });
      expect(item?.click).toBeTypeOf('function');
    }
  });

  it('[G20] uses no accelerator twice, and none of the page', () => {
    for (const isMac of [true, false]) {
      const used = itemsOf(toMenu(TEXTS.en, ACTIONS, isMac)).flatMap(({ accelerator }) => accelerator ?? []);
      expect(new Set(used).size).toBe(used.length);
      for (const key of ['K', 'P', 'I', '/', 'S', 'F']) expect(used).not.toContain(`CmdOrCtrl+${key}`);
    }
  });

  it('[G20] is in the language of the page', () => {
    const labels = itemsOf(toMenu(TEXTS['zh-CN'], ACTIONS, false)).flatMap(({ label }) => label ?? []);
    expect(labels.every((label) => /\p{Script=Han}/u.test(label))).toBe(true);
    expect(labels).toHaveLength(
      itemsOf(toMenu(TEXTS.en, ACTIONS, false)).flatMap(({ label }) => label ?? []).length,
    );
  });
});

describe('the tray', () => {
  it('[G20] counts and lists waiting conversations, and opens them', () => {
    const visited: string[] = [];
    const actions = { ...ACTIONS, go: (path: string) => void visited.push(path) };
    const waiting = Array.from({ length: 12 }, (_, index) => ({
      title: `Story ${index}`,
      path: `/p/${index}`,
    }));
    const { tooltip, items } = toTray(TEXTS.en, actions, waiting);
    expect(tooltip).toContain('12 conversations are waiting for you');
    expect(items.filter(({ label }) => label?.startsWith('Story'))).toHaveLength(10);
    findItem(items, 'Story 3')?.click?.();
    expect(visited).toEqual(['/p/3']);
    expect(toTray(TEXTS.en, actions, []).tooltip).toContain('Nothing is waiting');
  });

  it('[G20] shows titles as one plain line', () => {
    const [title] = toTray(TEXTS.en, ACTIONS, [{ title: 'a\u202e\n&b\u0007', path: '/' }]).items.slice(2);
    expect(title?.label).toBe('a &&b');
  });
});

import { describe, expect, it } from 'vitest';
import { isShortcut } from './kbd.tsx';

const keys = { key: 'k', ctrlKey: false, metaKey: false, shiftKey: false, altKey: false };

describe('a shortcut', () => {
  it('[U96] matches Ctrl and Command, without other modifiers', () => {
    expect(isShortcut({ ...keys, ctrlKey: true }, 'Mod+K')).toBe(true);
    expect(isShortcut({ ...keys, metaKey: true }, 'Mod+K')).toBe(true);
    expect(isShortcut(keys, 'Mod+K')).toBe(false);
    expect(isShortcut({ ...keys, ctrlKey: true, shiftKey: true }, 'Mod+K')).toBe(false);
    expect(isShortcut({ ...keys, key: '/', ctrlKey: true, shiftKey: true }, 'Mod+/')).toBe(true);
  });
});

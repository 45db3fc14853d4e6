/** Whether the keys that were pressed are those of a shortcut such as `Mod+K`. */
type Keys = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>;

export function isShortcut(event: Keys, shortcut: string): boolean {
  const parts = shortcut.split('+');
  const key = parts.at(-1)?.toLowerCase();
  const isMod = event.ctrlKey || event.metaKey;
  return (
    event.key.toLowerCase() === key &&
    isMod === parts.includes('Mod') &&
    event.altKey === parts.includes('Alt') &&
    // A character such as ? is typed with Shift on some keyboards.
    (event.shiftKey === parts.includes('Shift') || (key?.length === 1 && !/\p{L}|\d/u.test(key)))
  );
}

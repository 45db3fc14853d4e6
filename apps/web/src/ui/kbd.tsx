/** Keyboard shortcuts: as printed on the keyboard, and whether one was pressed. `Mod` is Command on a Mac and Ctrl elsewhere. */
interface KbdProps {
  readonly keys: string;
  /** On a button: in its colours, not part of its name, and not where there is no keyboard. */
  readonly isOnButton?: boolean;
}

export function Kbd({ keys, isOnButton = false }: KbdProps) {
  if (isOnButton)
    return (
      <span
        aria-hidden="true"
        className="ms-0.5 font-sans text-xs font-normal max-sm:hidden pointer-coarse:hidden"
      >
        {keys
          .split('+')
          .map(toKeyName)
          .join(isMac ? '' : ' ')}
      </span>
    );
  return (
    <span className="inline-flex items-center gap-0.5">
      {keys.split('+').map((key) => (
        <kbd
          key={key}
          className="min-w-4.5 rounded-sm border border-line bg-sunken px-1 text-center font-sans text-xs text-ink-soft"
        >
          {toKeyName(key)}
        </kbd>
      ))}
    </span>
  );
}

export const isMac = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? '');

const KEY_NAMES: Readonly<Record<string, string>> = {
  ...(isMac ? { Mod: '⌘', Shift: '⇧', Alt: '⌥' } : { Mod: 'Ctrl' }),
  ...{ Enter: '↵', Backspace: '⌫', Escape: 'Esc' },
};

function toKeyName(key: string): string {
  return KEY_NAMES[key] ?? key;
}

type Keys = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>;

/** Whether the keys that were pressed are those of a shortcut such as `Mod+K`. */
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

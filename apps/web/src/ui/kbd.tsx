/**
 * Keyboard shortcuts as printed on the keyboard. `Mod` is Command on a Mac and Ctrl elsewhere.
 */
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

function toKeyName(key: string): string {
  switch (key) {
    case 'Mod':
      return isMac ? '⌘' : 'Ctrl';
    case 'Shift':
      return isMac ? '⇧' : 'Shift';
    case 'Alt':
      return isMac ? '⌥' : 'Alt';
    case 'Enter':
      return '↵';
    case 'Backspace':
      return '⌫';
    case 'Escape':
      return 'Esc';
    default:
      return key;
  }
}

/**
 * Keys as they are written on the keyboard. `Mod` is Command on a Mac and Ctrl elsewhere.
 */
export function Kbd({ keys }: { readonly keys: string }) {
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
    case 'Escape':
      return 'Esc';
    default:
      return key;
  }
}

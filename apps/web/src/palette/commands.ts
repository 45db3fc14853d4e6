/**
 * Everything one can do, by name: the palette lists it, shortcuts reach it. Screens add what they can while they are shown.
 */
import { type ReactNode, useEffect } from 'react';
import { create } from 'zustand';
import { isShortcut } from '../ui/is-shortcut.ts';

export interface Command {
  readonly id: string;
  readonly title: string;
  readonly group: string;
  /** What tells it from others of the same title. */
  readonly detail?: string;
  readonly icon?: ReactNode;
  /** Such as `Mod+K`. */
  readonly shortcut?: string;
  readonly run: () => void;
}

interface Registry {
  readonly lists: ReadonlyMap<symbol, readonly Command[]>;
}

const useRegistry = create<Registry>(() => ({ lists: new Map() }));

/** Adds commands for as long as the caller is on the screen. */
export function useCommands(commands: readonly Command[]): void {
  useEffect(() => {
    const key = Symbol('commands');
    useRegistry.setState(({ lists }) => ({ lists: new Map([...lists, [key, commands]]) }));
    return () =>
      useRegistry.setState(({ lists }) => ({
        lists: new Map([...lists].filter(([other]) => other !== key)),
      }));
  }, [commands]);
}

export function useAllCommands(): readonly Command[] {
  const lists = useRegistry(({ lists: all }) => all);
  return [...lists.values()].flat();
}

/** Listens for the shortcuts of all commands. */
export function useShortcuts(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.isComposing || event.defaultPrevented) return;
      // The browser would save the page, which nobody wants.
      if (isShortcut(event, 'Mod+S')) event.preventDefault();
      const all = [...useRegistry.getState().lists.values()].flat();
      const command = all.findLast(({ shortcut }) => shortcut !== undefined && isShortcut(event, shortcut));
      if (!command || (isTyped(event) && command.shortcut?.length === 1)) return;
      event.preventDefault();
      command.run();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

/** A character that is being written somewhere, also in the editor, which lives in a shadow root. */
function isTyped(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return (
    target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))
  );
}

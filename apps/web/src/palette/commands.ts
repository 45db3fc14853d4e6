/**
 * Registry of commands: the palette lists them, shortcuts run them. Screens register theirs while they are mounted.
 */
import type { Snippet } from '@crewagent/protocol/api/search';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { create } from 'zustand';
import { useTranslation } from '../i18n/use-translation.ts';
import { isShortcut } from '../ui/kbd.tsx';
import type { MenuList } from '../ui/overlays/menu.tsx';

export interface Command {
  readonly id: string;
  readonly title: string;
  readonly group: string;
  /** Other words by which it is found. */
  readonly synonyms?: string;
  /** Distinguishes commands with the same title. */
  readonly detail?: string;
  /** Text in which the words were found; shown below the title. */
  readonly snippet?: Pick<Snippet, 'text' | 'marks'>;
  readonly icon?: ReactNode;
  /** Such as `Mod+K`. */
  readonly shortcut?: string;
  readonly run: () => void;
}

interface Registry {
  readonly lists: ReadonlyMap<symbol, readonly Command[]>;
}

const useRegistry = create<Registry>(() => ({ lists: new Map() }));

/** Registers commands while the component is mounted; false stands for one that is left out. */
export function useCommands(commands: readonly (Command | false)[]): void {
  useEffect(() => {
    const key = Symbol('commands');
    const offered = commands.filter((command) => command !== false);
    useRegistry.setState(({ lists }) => ({ lists: new Map([...lists, [key, offered]]) }));
    return () =>
      useRegistry.setState(({ lists }) => ({
        lists: new Map([...lists].filter(([other]) => other !== key)),
      }));
  }, [commands]);
}

/** Registers the entries of a menu, so that the palette finds them, too. */
export function useMenuCommands(items: MenuList): void {
  const { t } = useTranslation();
  const entries = items.flatMap((item) => (!item || item === 'separator' || item.isDisabled ? [] : [item]));
  const latest = useRef(entries);
  useEffect(() => {
    latest.current = entries;
  });
  // The entries are made anew for every frame of a streaming reply; the commands are the same until a label changes.
  const key = JSON.stringify(entries.map(({ id, label }) => ({ id, label })));
  useCommands(
    useMemo(
      () =>
        (JSON.parse(key) as readonly { readonly id: string; readonly label: string }[]).map(
          ({ id, label }) => ({
            id: `menu.${id}`,
            title: label,
            group: t('palette.project'),
            run: () => latest.current.find((entry) => entry.id === id)?.onChoose(),
          }),
        ),
      [key, t],
    ),
  );
}

export function useAllCommands(): readonly Command[] {
  const lists = useRegistry(({ lists: all }) => all);
  return [...lists.values()].flat();
}

/** Handles the shortcuts of all commands. */
export function useShortcuts(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.isComposing || event.defaultPrevented) return;
      // Prevents the browser's own "Save page".
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

/** A character is being typed into a field, also into the editor, which is in a shadow root. */
function isTyped(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return target instanceof HTMLElement && (target.isContentEditable || target.matches(TEXT_FIELD));
}

const TEXT_FIELD = 'input:not([type=radio], [type=checkbox]), textarea, select';

/** A modal list with a filter field. The caller provides the items in their order. */
import { Dialog as Radix } from 'radix-ui';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { isComposing } from '../ui/forms/input.tsx';
import { Backdrop, useReturnFocus } from '../ui/overlays/dialog.tsx';
import { useChosenItem } from '../ui/overlays/menu.tsx';
import type { Command } from './commands.ts';
import { PaletteList } from './palette-list.tsx';

interface PaletteFrameProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly placeholder: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly commands: readonly Command[];
  /** Shown if the list is empty. */
  readonly empty: ReactNode;
  readonly note?: ReactNode;
}

export function PaletteFrame(props: PaletteFrameProps) {
  const { isOpen, onClose, title, placeholder, text, onText, commands, empty, note } = props;
  const returnFocus = useReturnFocus(isOpen);
  const { choose, onClosed } = useChosenItem();
  const listId = useId();
  // The active item stays active while it is listed; otherwise the first is.
  const [activeId, setActiveId] = useState<string>();
  const index = Math.max(
    0,
    commands.findIndex(({ id }) => id === activeId),
  );

  const run = (command: Command | undefined): void => {
    if (!command) return;
    choose(command.run);
    onClose();
  };
  const pressKey = (event: KeyboardEvent): void => {
    if (isComposing(event)) return;
    const { length } = commands;
    const go = (to: number): void => setActiveId(commands[(to + length) % length]?.id);
    const act: Record<string, () => void> = {
      ArrowDown: () => go(index + 1),
      ArrowUp: () => go(index - 1),
      Enter: () => run(commands[index]),
    };
    const action = act[event.key];
    if (!action || length === 0) return;
    event.preventDefault();
    action();
  };

  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Backdrop />
        <Radix.Content
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => {
            returnFocus(event);
            onClosed();
          }}
          className="pop-in fixed top-[14vh] left-1/2 z-50 w-[min(36rem,92vw)] -translate-x-1/2 overflow-hidden rounded-xl bg-raised text-ink shadow-dialog outline-none"
        >
          <Radix.Title className="sr-only">{title}</Radix.Title>
          <input
            type="text"
            role="combobox"
            aria-label={title}
            aria-expanded={commands.length > 0}
            aria-controls={listId}
            aria-autocomplete="list"
            aria-activedescendant={commands.length > 0 ? `${listId}-${index}` : undefined}
            autoComplete="off"
            spellCheck={false}
            placeholder={placeholder}
            value={text}
            onKeyDown={pressKey}
            onChange={(event) => {
              setActiveId(undefined);
              onText(event.target.value);
            }}
            className="h-12 w-full border-b bg-transparent px-4 text-md outline-none"
          />
          {commands.length === 0 ? (
            <p id={listId} role="status" className="px-3 py-6 text-center text-ink-faint">
              {empty}
            </p>
          ) : (
            <PaletteList
              id={listId}
              label={title}
              commands={commands}
              activeIndex={index}
              onPoint={(command) => setActiveId(command.id)}
              onChoose={run}
            />
          )}
          {note ? <p className="border-t px-4 py-2 text-xs text-ink-faint">{note}</p> : undefined}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

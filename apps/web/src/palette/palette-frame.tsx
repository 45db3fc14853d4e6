/** A modal list with a filter field. The caller provides the items in their order. */
import { Dialog as Radix } from 'radix-ui';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { classNames } from '../ui/class-names.ts';
import { isComposing, toCombobox } from '../ui/forms/input.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { MarkedText } from '../ui/marked-text.tsx';
import { Backdrop, useReturnFocus } from '../ui/overlays/dialog.tsx';
import { useChosenItem } from '../ui/overlays/menu.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import type { Command } from './commands.ts';

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
            {...toCombobox(listId, index, commands.length > 0)}
            aria-label={title}
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
            <p role="status" className="px-3 py-6 text-center text-ink-faint">
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

interface PaletteListProps {
  /** Prefix of the option ids. */
  readonly id: string;
  readonly label: string;
  readonly commands: readonly Command[];
  readonly activeIndex: number;
  readonly onPoint: (command: Command) => void;
  readonly onChoose: (command: Command) => void;
}

/** Search results in groups. The focus stays in the field; one option is active. */
function PaletteList({ id, label, commands, activeIndex, onPoint, onChoose }: PaletteListProps) {
  return (
    <div id={id} role="listbox" aria-label={label} className="max-h-[50vh] overflow-y-auto p-1.5">
      {commands.map((command, index) => (
        <div key={command.id} role="presentation">
          {command.group === commands[index - 1]?.group ? undefined : (
            <p aria-hidden="true" className="px-2.5 py-1.5 text-xs text-ink-faint">
              {command.group}
            </p>
          )}
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the field */}
          <div
            id={`${id}-${index}`}
            ref={index === activeIndex ? scrollIntoView : undefined}
            role="option"
            tabIndex={-1}
            aria-selected={index === activeIndex}
            onPointerMove={index === activeIndex ? undefined : () => onPoint(command)}
            // Keeps the focus in the field.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => onChoose(command)}
            className={classNames(
              'flex min-h-9 cursor-pointer items-center gap-2 rounded-md px-2.5 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-ink-faint',
              index === activeIndex && 'bg-hover',
            )}
          >
            {command.icon}
            {command.snippet ? (
              <span className="min-w-0 grow py-1">
                <span className="block truncate text-xs text-ink-faint">{toShownLine(command.title)}</span>
                <span className="line-clamp-2 text-sm wrap-anywhere">
                  <MarkedText {...command.snippet} />
                </span>
              </span>
            ) : (
              <>
                <span className="max-w-[70%] min-w-0 shrink-0 truncate">{toShownLine(command.title)}</span>
                <span className="min-w-0 grow truncate text-sm text-ink-faint">
                  {toShownLine(command.detail ?? '')}
                </span>
              </>
            )}
            {command.shortcut ? <Kbd keys={command.shortcut} /> : undefined}
          </div>
        </div>
      ))}
    </div>
  );
}

function scrollIntoView(option: HTMLElement | null): void {
  option?.scrollIntoView({ block: 'nearest' });
}

interface GroupOrder {
  readonly first?: string;
  readonly last?: string;
}

/** Brings commands of a group together, at the position of the first. Pure. */
export function inGroups(commands: readonly Command[], { first, last }: GroupOrder = {}): readonly Command[] {
  const groups = new Map<string, Command[]>(first === undefined ? [] : [[first, []]]);
  for (const command of commands) {
    const group = groups.get(command.group);
    if (group) group.push(command);
    else groups.set(command.group, [command]);
  }
  const atEnd = last === undefined ? undefined : groups.get(last);
  if (last !== undefined) groups.delete(last);
  return [...groups.values(), atEnd ?? []].flat();
}

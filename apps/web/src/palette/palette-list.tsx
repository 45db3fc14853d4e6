/** Search results in groups. The focus stays in the field; one option is active. */
import { classNames } from '../ui/class-names.ts';
import { Kbd } from '../ui/kbd.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import type { Command } from './commands.ts';

interface PaletteListProps {
  /** Prefix of the option ids. */
  readonly id: string;
  readonly label: string;
  readonly commands: readonly Command[];
  readonly activeIndex: number;
  readonly onPoint: (command: Command) => void;
  readonly onChoose: (command: Command) => void;
}

export function PaletteList({ id, label, commands, activeIndex, onPoint, onChoose }: PaletteListProps) {
  return (
    <div id={id} role="listbox" aria-label={label} className="max-h-[50vh] overflow-y-auto p-1.5">
      {commands.map((command, index) => (
        <div key={command.id} role="presentation">
          {command.group === commands[index - 1]?.group ? undefined : (
            <p aria-hidden="true" className="px-2.5 py-1.5 text-xs text-ink-faint">
              {command.group}
            </p>
          )}
          <Option
            id={`${id}-${index}`}
            command={command}
            isActive={index === activeIndex}
            onPoint={() => onPoint(command)}
            onChoose={() => onChoose(command)}
          />
        </div>
      ))}
    </div>
  );
}

interface OptionProps {
  readonly id: string;
  readonly command: Command;
  readonly isActive: boolean;
  readonly onPoint: () => void;
  readonly onChoose: () => void;
}

function Option({ id, command, isActive, onPoint, onChoose }: OptionProps) {
  const { title, detail, icon, shortcut } = command;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the field
    <div
      id={id}
      ref={isActive ? scrollIntoView : undefined}
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      onPointerMove={isActive ? undefined : onPoint}
      // Keeps the focus in the field.
      onPointerDown={(event) => event.preventDefault()}
      onClick={onChoose}
      className={classNames(
        'flex h-9 cursor-pointer items-center gap-2 rounded-md px-2.5 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-ink-faint',
        isActive && 'bg-hover',
      )}
    >
      {icon}
      <span className="max-w-[70%] min-w-0 shrink-0 truncate">{toShownLine(title)}</span>
      <span className="min-w-0 grow truncate text-sm text-ink-faint">
        {detail === undefined ? '' : toShownLine(detail)}
      </span>
      {shortcut ? <Kbd keys={shortcut} /> : undefined}
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

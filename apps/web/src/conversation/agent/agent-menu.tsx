/** The agent's menu in the composer, available at any time. Digits choose an item, as they do when typed as a message. */
import type { MenuEntry } from '@crewagent/protocol/commands';
import type { EnteredAgent } from '@crewagent/protocol/conversation';
import { type ConversationState, modeOf } from '@crewagent/protocol/conversation-state';
import { ListOrdered } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { FOREVER, useApiQuery } from '../../api/api-context.tsx';
import type { AgentBindingApi, WorkApi } from '../../api/work-api.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { ChoiceButton } from '../../run/timeline/rows/choice-rows.tsx';
import type { ShownStory } from '../../state/conversation-store.ts';
import { Button } from '../../ui/button.tsx';
import { Popover } from '../../ui/overlays/popover.tsx';

interface AgentMenuProps {
  readonly entries: readonly MenuEntry[] | undefined;
  readonly isDisabled: boolean;
  readonly isBusy: boolean;
  readonly onChoose: (number: number) => void;
  /** The menu was closed and its button cannot receive the focus. */
  readonly onShut: () => void;
}

export function AgentMenu({ entries = [], isDisabled, isBusy, onChoose, onShut }: AgentMenuProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  // Also closes an open menu: its items must not be chosen any more.
  if (isOpen && isDisabled) setOpen(false);
  if (entries.length === 0) return undefined;
  const choose = (number: number): void => {
    setOpen(false);
    onChoose(number);
  };
  return (
    <Popover
      label={t('menu.label')}
      side="top"
      align="start"
      isOpen={isOpen}
      onOpenChange={setOpen}
      onCloseFocus={(event) => {
        if (!isDisabled) return;
        event.preventDefault();
        onShut();
      }}
      trigger={
        <Button
          kind="quiet"
          size="sm"
          isBusy={isBusy}
          disabled={isDisabled}
          icon={<ListOrdered aria-hidden="true" className="size-3.5 shrink-0" />}
          className="text-ink-faint!"
        >
          {t('menu.open')}
        </Button>
      }
    >
      <NumberedList entries={entries} onChoose={choose} />
    </Popover>
  );
}

interface NumberedListProps {
  readonly entries: readonly MenuEntry[];
  readonly onChoose: (number: number) => void;
}

function NumberedList({ entries, onChoose }: NumberedListProps) {
  const typed = useRef('');
  const pressKey = (event: KeyboardEvent<HTMLOListElement>): void => {
    const buttons = [...event.currentTarget.querySelectorAll('button')];
    const focus = (index: number): void => buttons.at(index % buttons.length)?.focus();
    const at = buttons.findIndex((button) => button.contains(document.activeElement));
    const moves: Record<string, () => void> = {
      ArrowDown: () => focus(at + 1),
      ArrowUp: () => focus(at - 1),
      Home: () => focus(0),
      End: () => focus(-1),
    };
    const move = moves[event.key];
    if (move) move();
    else if (/^[0-9]$/.test(event.key)) {
      const { digits, meant, isSure } = typeDigit(
        typed.current,
        event.key,
        entries.map(({ index }) => index),
      );
      typed.current = digits;
      if (meant !== undefined && isSure) onChoose(meant);
      else if (meant !== undefined) focus(entries.findIndex(({ index }) => index === meant));
    } else return;
    event.preventDefault();
  };
  return (
    <ol onKeyDown={pressKey} className="-m-1.5 flex max-h-[min(24rem,55vh)] flex-col gap-0.5 overflow-y-auto">
      {entries.map(({ index, label, description }) => (
        <li key={index}>
          <ChoiceButton
            number={String(index)}
            label={label}
            hint={description}
            isOver={false}
            className="-outline-offset-2"
            onChoose={() => onChoose(index)}
          />
        </li>
      ))}
    </ol>
  );
}

/** A number typed digit by digit: one that can only mean one item chooses it. Pure. */
export function typeDigit(before: string, digit: string, numbers: readonly number[]) {
  const beginWith = (digits: string): readonly number[] =>
    numbers.filter((number) => String(number).startsWith(digits));
  /** All digits so far; empty if they match no item. */
  const digits = [before + digit, digit].find((typed) => beginWith(typed).length > 0) ?? '';
  const meant = numbers.find((number) => String(number) === digits);
  return { digits, meant, isSure: meant !== undefined && beginWith(digits).length === 1 };
}

interface Choice {
  readonly api: Pick<WorkApi, 'input'>;
  readonly workId: string;
  readonly picture: {
    readonly state: ConversationState;
    readonly active: Pick<ShownStory, 'status' | 'pending'>;
  };
  readonly number: number;
}

/** Sends a choice: opens the menu first, unless a number is already understood as a choice. */
export async function chooseFromMenu({ api, workId, picture, number }: Choice): Promise<void> {
  if (!isForMenu(picture)) await api.input(workId, '/menu');
  await api.input(workId, String(number));
}

/** Whether a number typed now is for the menu. While something runs or a question is open, it is not. */
function isForMenu({ state, active: { pending, status } }: Choice['picture']): boolean {
  const isBusy = status.kind === 'running' || pending !== undefined;
  return state.choosing !== undefined || (modeOf(state) === 'agent' && !isBusy);
}

interface MenuSource {
  readonly binding: AgentBindingApi | undefined;
  readonly workId: string;
  readonly agent: EnteredAgent | undefined;
}

/** Undefined while loading, and without an agent. */
export function useMenu({ binding, workId, agent }: MenuSource): readonly MenuEntry[] | undefined {
  const { data, isError } = useApiQuery(
    ['menu', workId, agent?.package.hash, agent?.agentId],
    (_, call) => binding?.menu(workId, call) ?? Promise.resolve([]),
    { ...FOREVER, gcTime: 0, retry: false, enabled: binding !== undefined && agent !== undefined },
  );
  return isError ? [] : data;
}

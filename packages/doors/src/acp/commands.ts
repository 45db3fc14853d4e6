/** Slash commands of an editor: the items of the agent's menu, and the runtime's own commands. Pure. */
import type { AvailableCommand } from '@agentclientprotocol/sdk';
import type { Session } from '@crewagent/core';
import { findGlobalCommand, GLOBAL_COMMANDS, type MenuEntry } from '@crewagent/protocol/commands';
import type { Language } from '@crewagent/protocol/languages';
import { translate } from '@crewagent/protocol/story/translate';
import type { Say } from './texts.ts';

type RuntimeCommand =
  | 'menu'
  | 'help'
  | 'dismiss'
  | 'resume'
  | 'stop'
  | 'undo'
  | 'model'
  | 'context'
  | 'allow';

const ALWAYS: readonly RuntimeCommand[] = ['resume', 'stop', 'undo', 'model', 'context', 'allow'];
const WITH_AGENT: readonly RuntimeCommand[] = ['menu', 'dismiss'];

export function toCommands(
  session: Pick<Session, 'menu' | 'mode' | 'view'>,
  language: Language,
  say: Say,
): AvailableCommand[] {
  const own = session.view.state.agent ? [...WITH_AGENT, ...ALWAYS] : ALWAYS;
  return [
    ...namedItems(session).map(([name, { description }]) => ({
      name,
      description,
      input: { hint: say('hint') },
    })),
    ...own.map((name) => ({ name, description: translate(language, `command.${name}`) })),
  ];
}

/** The line that a person would type in a terminal: `/name more` is the number of the item with what follows below it. */
export function toLine(session: Pick<Session, 'menu' | 'mode'>, text: string): string {
  const [, name = '', rest = ''] = /^\/(\S+)\s*([\s\S]*)$/.exec(text.trim()) ?? [];
  const item = namedItems(session).find(([known]) => known === name.toLowerCase())?.[1];
  if (!item) return text;
  return rest === '' ? `${item.index}` : `${item.index}\n${rest}`;
}

/** Whether a line is for the runtime, whatever waits. */
export function isRuntimeCommand(text: string): boolean {
  const [, name = ''] = /^\/(\S+)/.exec(text.trim()) ?? [];
  return findGlobalCommand(name.toLowerCase()) !== undefined;
}

/** In a run, lines go to the run: its agent's menu is closed. */
function namedItems({ menu, mode }: Pick<Session, 'menu' | 'mode'>): [string, MenuEntry][] {
  const named = new Map<string, MenuEntry>();
  if (mode !== 'agent') return [];
  for (const entry of menu()) {
    const name = toName(entry.label) || `item-${entry.index}`;
    named.set(GLOBAL_COMMANDS.has(name) || named.has(name) ? `${name}-${entry.index}` : name, entry);
  }
  return [...named];
}

const MAX_NAME = 40;

function toName(label: string): string {
  return label
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, MAX_NAME)
    .replace(/^-+|-+$/g, '');
}

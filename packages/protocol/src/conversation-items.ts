/**
 * Timeline entries that only conversations have: agents, commands, menus and choices, and the runs they entered.
 */
import type { MenuEntry, TargetSurface } from './commands.ts';
import type { EventOf, RunEvent } from './events.ts';
import type { Entry, ItemOf, TimelineItem } from './timeline.ts';

/** Undefined for events that are not shown, or shown elsewhere. `before`: the entries so far. */
export function toConversationItem(
  event: RunEvent,
  entry: Entry,
  before: readonly TimelineItem[],
): TimelineItem | undefined {
  switch (event.type) {
    case 'consent.given':
      return { ...entry, kind: 'consent' };
    case 'agent.entered':
      return { ...entry, kind: 'agent', agent: event.agent };
    case 'agent.dismissed': {
      const { agentId } = event;
      const name = nameOf(agentId, before);
      return { ...entry, kind: 'dismissed', agentId, ...(name === undefined ? {} : { name }) };
    }
    case 'command.resolved': {
      const { input, kind: command, reason, label = labelOf(event.item, before) } = event;
      return { ...entry, kind: 'command', input, command, reason, ...(label === undefined ? {} : { label }) };
    }
    case 'menu.shown':
      return { ...entry, ...toMenuItem(event) };
    case 'choice.offered':
      return { ...entry, kind: 'choices', reason: event.reason, candidates: event.candidates };
    case 'info.shown':
      return { ...entry, kind: 'info', topic: event.topic, details: event.details };
    case 'run.entered': {
      const { enteredRunId: runId, afterSeq, title } = event;
      return { ...entry, kind: 'run', runId, afterSeq, title };
    }
    case 'run.left':
      return { ...entry, kind: 'run-left', runId: event.leftRunId };
    case 'script.entered':
      return { ...entry, kind: 'script', path: event.path, isOver: false };
    case 'script.left':
      return { ...entry, kind: 'script', path: event.path, isOver: true };
    default:
      return undefined;
  }
}

function toMenuItem({ entries, surface, elsewhere }: EventOf<'menu.shown'>) {
  return {
    kind: 'menu',
    entries,
    ...(surface === undefined || elsewhere === undefined ? {} : { surface, elsewhere }),
  } as const;
}

/** The menu with the numbers of this surface. */
export function entriesFor(
  { entries, surface, elsewhere }: Pick<ItemOf<'menu'>, 'entries' | 'surface' | 'elsewhere'>,
  own: TargetSurface,
): readonly MenuEntry[] {
  return surface === undefined || surface === own ? entries : (elsewhere ?? entries);
}

/** From the menu that was shown last: logs of earlier versions have no label. */
function labelOf(item: number | undefined, before: readonly TimelineItem[]): string | undefined {
  const menu = item === undefined ? undefined : before.findLast(({ kind }) => kind === 'menu');
  return menu?.kind === 'menu' ? menu.entries.find(({ index }) => index === item)?.label : undefined;
}

/** The agent's name when it was last entered. */
function nameOf(agentId: string, before: readonly TimelineItem[]): string | undefined {
  const entered = before.findLast((item) => item.kind === 'agent' && item.agent.agentId === agentId);
  return entered?.kind === 'agent' ? entered.agent.name : undefined;
}

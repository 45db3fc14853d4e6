/**
 * The timeline entries that only a conversation has: whom one talks to, what was chosen, which run it went on with.
 */
import type { RunEvent } from './events.ts';
import type { Entry, TimelineItem } from './timeline.ts';

/** Undefined for what is not shown, or is shown otherwise. */
export function toConversationItem(event: RunEvent, entry: Entry): TimelineItem | undefined {
  switch (event.type) {
    case 'consent.given':
      return { ...entry, kind: 'consent' };
    case 'agent.entered':
      return { ...entry, kind: 'agent', agent: event.agent };
    case 'agent.dismissed':
      return { ...entry, kind: 'dismissed', agentId: event.agentId };
    case 'command.resolved':
      return { ...entry, kind: 'command', input: event.input, command: event.kind, reason: event.reason };
    case 'menu.shown':
      return { ...entry, kind: 'menu', entries: event.entries };
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

/**
 * The event types without their schemas, which is all that reading and writing a log needs.
 */
import type { RunEvent, RunEventType } from './events.ts';

/**
 * `sent`: reaches watchers and is not stored. `input`: input, answer or decision of a person, the files of a visit as it begins,
 * those that a host changed in it, what is carried over, and the checks of a node that is left; stored and flushed to disk before anything acts on it.
 */
const KINDS: Readonly<Record<RunEventType, 'stored' | 'sent' | 'input'>> = {
  'run.created': 'stored',
  'run.resumed': 'stored',
  'run.upgraded': 'input',
  'hook.ran': 'input',
  'work.moved': 'stored',
  'work.forked': 'stored',
  'work.handed': 'stored',
  'phase.changed': 'stored',
  'turn.started': 'stored',
  'message.delta': 'sent',
  'reasoning.delta': 'sent',
  'message.partial': 'stored',
  'message.completed': 'stored',
  'input.queued': 'input',
  'input.withdrawn': 'input',
  'errands.queued': 'stored',
  'tool.started': 'stored',
  'tool.progress': 'sent',
  'tool.ended': 'stored',
  'state.changed': 'stored',
  'visit.started': 'input',
  'visit.carried': 'input',
  'checks.judged': 'input',
  'check.waived': 'input',
  'call.started': 'stored',
  'call.ended': 'stored',
  'transition.refused': 'stored',
  'artifact.written': 'stored',
  'artifacts.changed': 'stored',
  'files.found': 'input',
  'question.asked': 'stored',
  'question.answered': 'input',
  'approval.requested': 'stored',
  'approval.resolved': 'input',
  'context.compacted': 'stored',
  'context.reset': 'stored',
  'llm.retry': 'stored',
  'usage.updated': 'stored',
  'changes.undone': 'stored',
  'consent.given': 'input',
  'conversation.created': 'stored',
  'agent.entered': 'stored',
  'agent.dismissed': 'stored',
  'command.resolved': 'input',
  'menu.shown': 'stored',
  'choice.offered': 'stored',
  'menu.closed': 'stored',
  'model.changed': 'stored',
  'info.shown': 'stored',
  'run.entered': 'stored',
  'run.left': 'stored',
  'script.entered': 'stored',
  'script.left': 'stored',
  warning: 'stored',
  error: 'stored',
};

export function isDelta({ type }: { readonly type: RunEventType }): boolean {
  return KINDS[type] === 'sent';
}

/** A part of the reply that is streamed. */
export type TextDelta = Extract<RunEvent, { type: 'message.delta' | 'reasoning.delta' }>;

export function isTextDelta(event: RunEvent): event is TextDelta {
  return event.type === 'message.delta' || event.type === 'reasoning.delta';
}

/** Both as one delta; undefined unless they are parts of the same text. */
export function joinDeltas(first: TextDelta, next: TextDelta): TextDelta | undefined {
  const isSame =
    first.type === next.type &&
    first.runId === next.runId &&
    first.seq === next.seq &&
    first.turn === next.turn;
  return isSame ? { ...first, text: first.text + next.text } : undefined;
}

export function isInput({ type }: { readonly type: RunEventType }): boolean {
  return KINDS[type] === 'input';
}

/** A set: asked for every line of every log, where looking up a property by a new string is slower. */
const TYPES: ReadonlySet<string> = new Set(Object.keys(KINDS));

export function isEventType(type: string): type is RunEventType {
  return TYPES.has(type);
}

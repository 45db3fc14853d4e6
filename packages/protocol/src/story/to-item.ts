/**
 * The item that an event adds to a story. Most events add one or none; what else an event changes is in `update-items.ts` and
 * `fold-story.ts`. Items that a run has tens of thousands of are spelled out: spreading is several times slower.
 */
import type { ChoiceCandidate, MenuEntry, TargetSurface } from '../commands.ts';
import { actionOf } from '../described-actions.ts';
import type { LoggedToolCall } from '../event-messages.ts';
import type { EventOf, RunEvent } from '../events.ts';
import { expectedEffect } from '../tool-effects.ts';
import type { ItemOf, MarkName, StoryItem } from './items.ts';

/** Undefined for events that are not shown, or that change items. `before`: the items so far. */
export function toItem(event: RunEvent, before: readonly StoryItem[]): StoryItem | undefined {
  const { seq, ts } = event;
  switch (event.type) {
    case 'phase.changed':
      return { seq, ts, kind: 'phase', phase: event.phase, reason: event.reason };
    case 'state.changed':
      return event.from !== event.to || event.isRewind ? toMove(event) : undefined;
    case 'run.upgraded':
      return { seq, ts, kind: 'upgraded', version: event.package.version, stale: event.stale };
    case 'work.moved':
      return event.by === undefined
        ? { seq, ts, kind: 'mark', what: 'movedFrom', name: event.from ?? '' }
        : { seq, ts, kind: 'mark', what: 'movedBy', name: event.by };
    case 'work.forked':
      // A called run came along as a whole.
      return event.nodeId === undefined
        ? undefined
        : { seq, ts, kind: 'mark', what: 'forked', name: event.nodeId, id: event.from };
    case 'visit.carried':
      return { seq, ts, kind: 'mark', what: 'carried', name: event.nodeId, id: event.from.runId };
    case 'work.handed':
      return { seq, ts, kind: 'mark', what: 'handed', name: event.to };
    case 'call.started': {
      const { nodeId, childId, workflow } = event;
      return { seq, ts, kind: 'call', nodeId, childId, title: workflow.title || workflow.ref };
    }
    case 'call.ended': {
      const { childId: id, title: name, outcome } = event;
      return { seq, ts, kind: 'mark', what: CALL_ENDS[outcome], name, id };
    }
    case 'artifact.written':
      return { seq, ts, kind: 'mark', what: 'artifact', name: event.path };
    case 'files.found':
      return { seq, ts, kind: 'mark', what: 'found', name: event.files.map(({ path }) => path).join(', ') };
    case 'changes.undone': {
      const { direction, selection, files } = event;
      return { seq, ts, kind: 'undone', direction, selection, files };
    }
    case 'question.asked': {
      const { callId, questions } = event;
      return { seq, ts, kind: 'question', callId, questions };
    }
    case 'approval.requested': {
      const { callId, tool, runsLater, following } = event;
      const asked = { callId, tool, action: actionOf(event), runsLater, following };
      return { seq, ts, kind: 'approval', ...asked };
    }
    case 'consent.given':
      return { seq, ts, kind: 'mark', what: 'consent', name: '' };
    case 'agent.entered':
      return { seq, ts, kind: 'agent', agent: event.agent };
    case 'agent.dismissed':
      return { seq, ts, kind: 'mark', what: 'agentLeft', name: nameOf(event.agentId, before) };
    case 'command.resolved': {
      const { input, kind: command, reason, label = labelOf(event.item, before) } = event;
      return { seq, ts, kind: 'command', input, command, reason, label };
    }
    case 'menu.shown': {
      const { entries, surface, elsewhere } = event;
      return { seq, ts, kind: 'menu', entries, surface, elsewhere };
    }
    case 'choice.offered':
      return { seq, ts, kind: 'choices', reason: event.reason, candidates: event.candidates };
    case 'run.entered': {
      const { enteredRunId: runId, afterSeq, title } = event;
      return { seq, ts, kind: 'run', runId, afterSeq, title };
    }
    case 'run.left':
      return { seq, ts, kind: 'mark', what: 'runLeft', name: '', id: event.leftRunId };
    case 'script.entered':
      return { seq, ts, kind: 'mark', what: 'script', name: event.path };
    case 'script.left':
      return { seq, ts, kind: 'mark', what: 'scriptLeft', name: event.path };
    default:
      return toNotice(event);
  }
}

const CALL_ENDS = {
  completed: 'callCompleted',
  skipped: 'callSkipped',
  abandoned: 'callAbandoned',
} as const satisfies Record<EventOf<'call.ended'>['outcome'], MarkName>;

/** A retry, a rejected transition, the answer to a command, a warning, an error: each with a code, so that a screen can show it in its own language. */
function toNotice(event: RunEvent): ItemOf<'notice'> | undefined {
  const notice = { seq: event.seq, ts: event.ts, kind: 'notice', level: 'warning' } as const;
  switch (event.type) {
    case 'llm.retry': {
      const { code, message, delayMs: retryDelayMs, details } = event;
      // Nobody waits that long: the run stops, and says why.
      if (code === 'LLM_WAIT_TOO_LONG') return undefined;
      return { ...notice, code, message, retryDelayMs, details };
    }
    case 'context.reset':
      return { ...notice, code: event.type, message: event.message };
    case 'transition.refused': {
      const { code = 'E_INVALID_TRANSITION', message, from, to } = event;
      return { ...notice, code, message, refused: { from, to } };
    }
    case 'context.compacted': {
      // Routine in a long conversation: the model can still read everything.
      if (event.outlined !== undefined) return undefined;
      const message = `${event.tokensBefore} → ${event.tokensAfter} tokens`;
      return { ...notice, level: 'info', code: `context.${event.outcome}`, message };
    }
    case 'info.shown':
      return { ...notice, level: 'info', code: `info.${event.topic}`, message: '', details: event.details };
    case 'hook.ran': {
      const { hook, on, outcome, message = '' } = event;
      // A hook that has nothing to say is in the log only.
      if (outcome === 'ok' && message === '') return undefined;
      const details = { hook, on, message };
      if (outcome === 'ok') return { ...notice, level: 'info', code: 'hook.said', message, details };
      return { ...notice, code: `hook.${outcome}`, message, details };
    }
    case 'warning':
      return { ...notice, code: event.code ?? 'warning', message: event.message, details: event.details };
    case 'error':
      return { ...notice, level: 'error', code: event.code, message: event.message };
    default:
      return undefined;
  }
}

function toMove(event: EventOf<'state.changed'>): ItemOf<'move'> {
  const { seq, ts, from, to, label, variables, unset = [], notes, carry, isRewind } = event;
  const reason = event.decisionsAdded.find(
    (decision) => decision.from === from && decision.to === to,
  )?.reason;
  return { seq, ts, kind: 'move', from, to, label, reason, variables, unset, notes, isRewind, carry };
}

/** `turnStartedAt`: when the model was asked. */
export function toReply(
  turnStartedAt: string | undefined,
  event: EventOf<'message.completed'>,
): ItemOf<'reply'> {
  const { seq, ts, content: text, reasoning, nodeId, turn = 0 } = event;
  const thoughtMs = toThinkingTime(turnStartedAt, event);
  return { seq, ts, kind: 'reply', text, reasoning, thoughtMs, nodeId, turn };
}

/** Estimated as a share of the reply's time, because a log times the whole reply only. */
function toThinkingTime(
  turnStartedAt: string | undefined,
  { reasoning, content, toolCalls = [], ts }: EventOf<'message.completed'>,
): number | undefined {
  if (!reasoning || turnStartedAt === undefined) return undefined;
  const calls = toolCalls.reduce((sum, call) => sum + call.arguments.length, 0);
  const share = reasoning.length / (reasoning.length + content.length + calls);
  return Math.max(0, Math.round((Date.parse(ts) - Date.parse(turnStartedAt)) * share));
}

/** A call of the reply that `event` completed. */
export function toTool(
  { id: callId, name, arguments: text, isFromText }: LoggedToolCall,
  { seq, ts, nodeId }: EventOf<'message.completed'>,
): ItemOf<'tool'> {
  return {
    seq,
    ts,
    kind: 'tool',
    callId,
    name,
    arguments: text,
    isFromText,
    status: 'asked',
    effect: expectedEffect(name),
    nodeId,
    // With all fields from the beginning, copies have the same shape, which takes half the time.
    path: undefined,
    progress: undefined,
    code: undefined,
    message: undefined,
    durationMs: undefined,
    answer: undefined,
    isMerged: undefined,
  };
}

/** The menu with the numbers of this surface. */
export function entriesFor(
  { entries, surface, elsewhere }: Pick<ItemOf<'menu'>, 'entries' | 'surface' | 'elsewhere'>,
  own: TargetSurface,
): readonly MenuEntry[] {
  return surface === undefined || surface === own ? entries : (elsewhere ?? entries);
}

/** The label of a choice without the number that it starts with: the number is shown beside it. */
export function withoutNumber(choice: ChoiceCandidate): string {
  const { label } = choice;
  const number = numberOf(choice);
  return label.startsWith(`${number}. `) ? label.slice(number.length + 2) : label;
}

/** What a person types for a choice. Runs are chosen by their number in the list; the input that names them is for programs. */
export function numberOf(choice: ChoiceCandidate): string {
  return isOfRun(choice) ? String(choice.index) : choice.input;
}

/** The choice resumes a run. */
export function isOfRun({ input }: ChoiceCandidate): boolean {
  return input.startsWith('/resume ');
}

/** From the menu that was shown last: logs of earlier versions have no label. */
function labelOf(item: number | undefined, before: readonly StoryItem[]): string | undefined {
  const menu = item === undefined ? undefined : before.findLast(({ kind }) => kind === 'menu');
  return menu?.kind === 'menu' ? menu.entries.find(({ index }) => index === item)?.label : undefined;
}

/** The agent's name when it was last entered. */
function nameOf(agentId: string, before: readonly StoryItem[]): string {
  const entered = before.findLast((item) => item.kind === 'agent' && item.agent.agentId === agentId);
  return entered?.kind === 'agent' ? entered.agent.name : agentId;
}

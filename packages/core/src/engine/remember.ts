/**
 * Adds an event to the engine's memory of a run or a thread. One function per kind of fact; none reads a disk or a clock.
 */
import { actionOf, isFileAction, isOnceOnly } from '@crewagent/protocol/described-actions';
import type { EventOf, MessagePurpose, RunEvent } from '@crewagent/protocol/events';
import { modelNameOf, type Usage } from '@crewagent/protocol/model';
import { foldRunState } from '@crewagent/protocol/run-state';
import { addUsage } from '@crewagent/protocol/model';
import { addToVisit } from '@crewagent/protocol/visit-facts';
import { addToHistory, type HistoryOptions } from '../prompt/history.ts';
import { REWIND_NOTE } from '../prompt/runtime-notes.ts';
import { foldConsent } from './consent.ts';
import { foldLoop } from './loop-detector.ts';
import type { RunMemory } from './run-memory.ts';
import { foldSlips } from './small-profile.ts';

export function remember(memory: RunMemory, event: RunEvent, options: HistoryOptions): void {
  const nodeBefore = memory.history.nodeId;
  addToHistory(memory.history, event, options);
  memory.state = foldRunState(memory.state, event);
  memory.consent = foldConsent(memory.consent, event);
  memory.loop = foldLoop(memory.loop, event);
  memory.slips = foldSlips(memory.slips, event);
  addToVisit(memory.visit, event);
  if (memory.history.nodeId !== nodeBefore) memory.turnsWithoutProgress = 0;
  switch (event.type) {
    case 'run.created':
      memory.model = modelNameOf(event.model);
      return;
    case 'run.resumed':
      memory.turnsWithoutProgress = 0;
      memory.usageBefore = memory.usage;
      return;
    case 'phase.changed':
      rememberPhase(memory, event);
      return;
    case 'turn.started':
      memory.turn = event.turn;
      // They are announced right before the request.
      memory.movedFiles.clear();
      memory.partialReply = '';
      memory.turnsWithoutProgress++;
      memory.requestBytes = event.requestBytes;
      return;
    case 'message.partial':
      memory.partialReply += event.text;
      return;
    case 'llm.retry':
      memory.partialReply = '';
      if (event.origin !== undefined)
        memory.wait = { untilMs: Date.parse(event.ts) + event.delayMs, origin: event.origin };
      return;
    case 'message.completed':
      rememberMessage(memory, event);
      return;
    case 'input.queued':
    case 'input.withdrawn':
    case 'errands.queued':
    case 'script.entered':
    case 'script.left':
      rememberInput(memory, event);
      return;
    case 'changes.undone':
      rememberMovedFiles(memory, event);
      return;
    case 'run.entered':
    case 'run.left':
      rememberRun(memory, event);
      return;
    case 'agent.entered':
    case 'agent.dismissed':
      // Approvals for one agent do not apply to the next one.
      memory.grants = [];
      memory.scriptPath = undefined;
      memory.partialReply = '';
      return;
    case 'tool.started':
      memory.startedCalls.add(event.callId);
      memory.retriedCall = undefined;
      return;
    case 'tool.ended':
      memory.startedCalls.delete(event.callId);
      rememberEnd(memory, event);
      return;
    case 'context.reset':
      memory.pending = undefined;
      memory.decidedAhead.clear();
      return;
    case 'transition.refused':
      if (event.code === 'E_OUTPUTS_MISSING') memory.refusedTransition = event;
      return;
    case 'call.started':
      memory.call = { ...event, phase: 'open' };
      return;
    case 'call.ended':
      rememberCallEnd(memory, event);
      return;
    case 'state.changed':
      rememberState(memory, event);
      return;
    case 'usage.updated':
      memory.usage = event.total;
      if (!event.usage.isEstimated) updateBytesPerToken(memory, event.usage);
      return;
    default:
      rememberPerson(memory, event);
  }
}

type InputEvent = EventOf<
  'input.queued' | 'input.withdrawn' | 'errands.queued' | 'script.entered' | 'script.left'
>;

function rememberInput(memory: RunMemory, event: InputEvent): void {
  switch (event.type) {
    case 'input.queued':
      memory.inputs.push(event);
      return;
    case 'input.withdrawn': {
      const index = memory.inputs.findIndex(({ seq }) => seq === event.inputSeq);
      if (index >= 0) memory.inputs.splice(index, 1);
      return;
    }
    case 'errands.queued':
      memory.inputs.push(...event.inputs);
      return;
    case 'script.entered':
      memory.scriptPath = event.path;
      memory.inputs.push(...event.inputs);
      return;
    case 'script.left':
      memory.scriptPath = undefined;
  }
}

function rememberState(memory: RunMemory, { from, to, isRewind, notes }: EventOf<'state.changed'>): void {
  if (from !== to || isRewind) memory.refusedTransition = memory.call = undefined;
  else if (memory.call?.phase === 'ended') memory.call = { ...memory.call, phase: 'returned' };
  if (isRewind) rememberRewind(memory, notes);
}

/** The agent is informed of the outcome of a run that was left. */
function rememberRun(memory: RunMemory, event: EventOf<'run.entered' | 'run.left'>): void {
  if (event.type === 'run.entered') {
    memory.enteredRun = event.title;
    return;
  }
  if (event.note === undefined) return;
  const subject = { kind: 'run', workflow: memory.enteredRun } as const;
  memory.inputs.push({ content: event.note, purpose: 'directive', subject });
}

function rememberMessage(memory: RunMemory, event: EventOf<'message.completed'>): void {
  if (event.purpose === 'reply') {
    memory.partialReply = '';
    memory.wait = undefined;
  }
  if (SENT_PURPOSES.has(event.purpose)) {
    memory.turnsWithoutProgress = 0;
    memory.inputs.shift();
    memory.grants = memory.grants.filter(({ scope, nodeId }) => scope === 'run' || nodeId !== undefined);
  }
  for (const { id } of event.toolCalls ?? []) memory.callIds.add(id);
}

/** Purposes of messages that come from `inputs`. */
const SENT_PURPOSES: ReadonlySet<MessagePurpose> = new Set(['input', 'data', 'directive']);

/** The model is informed with its next turn, once, even after several rewinds. */
function rememberRewind(memory: RunMemory, reasons: readonly string[]): void {
  const content = [REWIND_NOTE, ...reasons.map((reason) => `The reason: ${reason}`)].join('\n');
  const inputs = memory.inputs.filter(({ subject }) => subject?.kind !== 'rewind');
  memory.inputs.splice(
    0,
    Number.POSITIVE_INFINITY,
    { content, purpose: 'directive', subject: { kind: 'rewind' } },
    ...inputs,
  );
  memory.pending = undefined;
  memory.decidedAhead.clear();
  memory.partialReply = '';
  memory.turnsWithoutProgress = 0;
}

function rememberPhase(memory: RunMemory, { phase, reason }: EventOf<'phase.changed'>): void {
  memory.phase = phase;
  memory.reason = reason;
  const refused = reason?.details?.retriedCall;
  if (typeof refused !== 'string') return;
  // It had no effect: it counts as not started.
  memory.retriedCall = refused;
  memory.startedCalls.delete(refused);
}

/** The usage of a called run counts as the caller's own. */
function rememberCallEnd(memory: RunMemory, event: EventOf<'call.ended'>): void {
  const { nodeId, childId, title, usage, usageBefore } = event;
  const workflow = memory.call?.workflow ?? { ref: title, title };
  memory.call = { nodeId, childId, workflow, phase: 'ended', result: event };
  memory.usage = addUsage(memory.usage, usage);
  memory.usageBefore = addUsage(memory.usageBefore, usageBefore);
  memory.turnsWithoutProgress = 0;
}

function rememberMovedFiles(
  { movedFiles }: RunMemory,
  { direction, files }: EventOf<'changes.undone'>,
): void {
  for (const { path, outcome } of files) {
    if (outcome === 'restored' || outcome === 'deleted' || outcome === 'recreated')
      movedFiles.set(path, { path, direction, outcome });
  }
}

/** Questions and approvals, and their responses. */
function rememberPerson(memory: RunMemory, event: RunEvent): void {
  const { pending } = memory;
  switch (event.type) {
    case 'question.asked':
      memory.pending = {
        kind: 'question',
        callId: event.callId,
        questions: event.questions,
        answers: undefined,
      };
      return;
    case 'question.answered':
      if (pending?.kind === 'question') pending.answers = event.answers;
      memory.turnsWithoutProgress = 0;
      return;
    case 'approval.requested': {
      const { callId, tool, runsLater, isHeld, following = [] } = event;
      const action = actionOf(event);
      memory.interrupted = undefined;
      // The change differs from the one that was decided on.
      memory.decidedAhead.delete(callId);
      memory.pending = {
        kind: 'approval',
        callId,
        tool,
        action,
        runsLater,
        isHeld,
        following,
        resolved: undefined,
      };
      return;
    }
    case 'approval.resolved': {
      const { callId, decision, note, speaker, tool, path, reach = 'file' } = event;
      const resolved = {
        decision,
        note,
        speaker,
      };
      if (pending?.kind === 'approval' && pending.callId !== callId) {
        const change = pending.following?.find((other) => other.callId === callId);
        if (change) memory.decidedAhead.set(callId, { ...change, resolved });
        return;
      }
      if (pending?.kind === 'approval') pending.resolved = resolved;
      // A `tool.started` after this means that the change itself was started.
      memory.startedCalls.delete(callId);
      const isOnce = pending?.kind === 'approval' && isOnceOnly(pending);
      if (!isOnce && (decision === 'node' || decision === 'run'))
        memory.grants = [
          ...memory.grants,
          { tool, path, reach, scope: decision, nodeId: memory.history.nodeId },
        ];
      memory.turnsWithoutProgress = 0;
      return;
    }
    default:
      return;
  }
}

/** The result that the model gets for a call that was interrupted with its process. Earlier logs mark such calls by it alone. */
export const INTERRUPTED_CALL =
  'The run was interrupted during this call; look whether it took effect before you repeat it.';

function rememberEnd(memory: RunMemory, event: EventOf<'tool.ended'>): void {
  const { callId, name, outcome, message } = event;
  const isInterrupted = event.isInterrupted ?? message === INTERRUPTED_CALL;
  const { pending, interrupted, decidedAhead } = memory;
  const waited = pending?.callId === callId ? pending : undefined;
  const asked = waited?.kind === 'approval' ? waited : decidedAhead.get(callId);
  if (waited || asked) {
    const isApproved = asked?.resolved !== undefined && asked.resolved.decision !== 'no';
    // A call outside the project may have taken effect: it needs new consent.
    if (isApproved && isInterrupted && isFileAction(asked.action))
      memory.interrupted = { tool: asked.tool, action: asked.action };
    if (waited) memory.pending = undefined;
    decidedAhead.delete(callId);
  } else if (interrupted?.tool === name && outcome === 'ok') memory.interrupted = undefined;
}

const PLAUSIBLE = { min: 1.5, max: 6 } as const;

function updateBytesPerToken(memory: RunMemory, { promptTokens }: Usage): void {
  if (promptTokens < 200) return;
  const measured = memory.requestBytes / promptTokens;
  memory.bytesPerToken = Math.min(PLAUSIBLE.max, Math.max(PLAUSIBLE.min, measured));
}

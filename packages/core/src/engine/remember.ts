/**
 * Adds an event to the engine's memory of a run or a thread. One function per kind of event; none reads a disk or a clock.
 */
import { actionOf, isFileAction, isOnceOnly } from '@crewagent/protocol/described-actions';
import type { MessagePurpose } from '@crewagent/protocol/event-messages';
import type { EventOf, RunEvent } from '@crewagent/protocol/events';
import { addUsage, modelNameOf, type Usage } from '@crewagent/protocol/model';
import { addToUndone, foldRunState } from '@crewagent/protocol/run-state';
import { addToVisit } from '@crewagent/protocol/visit-facts';
import { addToHistory, type HistoryOptions } from '../prompt/history.ts';
import { HOOKS_NOTE, REWIND_NOTE } from '../prompt/runtime-notes.ts';
import { foldConsent } from './consent.ts';
import { foldLoop } from './loop-detector.ts';
import type { RunMemory } from './run-memory.ts';
import { foldSlips } from './small-profile.ts';

export function remember(memory: RunMemory, event: RunEvent, options: HistoryOptions): void {
  const nodeBefore = memory.history.nodeId;
  addToHistory(memory.history, event, options);
  memory.state = foldRunState(memory.state, event);
  addToUndone(memory.undoneArtifacts, event);
  memory.consent = foldConsent(memory.consent, event);
  memory.loop = foldLoop(memory.loop, event);
  memory.slips = foldSlips(memory.slips, event);
  addToVisit(memory.visit, event);
  if (memory.history.nodeId !== nodeBefore) memory.turnsWithoutProgress = 0;
  // Each entry gets the event of its own type.
  const handle = HANDLERS[event.type] as ((memory: RunMemory, event: RunEvent) => void) | undefined;
  handle?.(memory, event);
}

type Handlers = {
  readonly [Type in RunEvent['type']]?: (memory: RunMemory, event: EventOf<Type>) => void;
};

const HANDLERS: Handlers = {
  'run.created'(memory, { model, package: { hash } }) {
    memory.model = modelNameOf(model);
    memory.packageHash = hash;
  },
  'run.upgraded'(memory, { package: { hash } }) {
    memory.packageHash = hash;
  },
  'run.resumed'(memory) {
    memory.turnsWithoutProgress = 0;
    memory.usageBefore = memory.usage;
  },
  'work.moved': forgetConsent,
  'work.forked': forgetConsent,
  'phase.changed'(memory, { phase, reason }) {
    memory.phase = phase;
    memory.reason = reason;
    const refused = reason?.details?.retriedCall;
    if (typeof refused !== 'string') return;
    // It had no effect: it counts as not started.
    memory.retriedCall = refused;
    memory.startedCalls.delete(refused);
  },
  'turn.started'(memory, { turn, requestBytes, frameId, frame }) {
    memory.turn = turn;
    if (frameId !== undefined && frame) memory.frames.set(frameId, frame);
    // They are announced right before the request.
    memory.movedFiles.clear();
    memory.partialReply = '';
    memory.turnsWithoutProgress++;
    memory.requestBytes = requestBytes;
  },
  'message.partial'(memory, { text }) {
    memory.partialReply += text;
  },
  'llm.retry'(memory, { origin, ts, delayMs }) {
    memory.partialReply = '';
    if (origin !== undefined) memory.wait = { untilMs: Date.parse(ts) + delayMs, origin };
  },
  'message.completed'(memory, { purpose, content, toolCalls = [] }) {
    if (purpose === 'reply') {
      memory.partialReply = '';
      memory.wait = undefined;
    }
    if (purpose === 'nudge' && content.startsWith(HOOKS_NOTE)) memory.hookMessages.clear();
    if (SENT_PURPOSES.has(purpose)) {
      memory.turnsWithoutProgress = 0;
      memory.inputs.shift();
      memory.grants = memory.grants.filter(({ scope, nodeId }) => scope === 'run' || nodeId !== undefined);
    }
    for (const { id } of toolCalls) memory.callIds.add(id);
  },
  'input.queued'(memory, event) {
    memory.inputs.push(event);
  },
  'input.withdrawn'({ inputs }, { inputSeq }) {
    const index = inputs.findIndex(({ seq }) => seq === inputSeq);
    if (index >= 0) inputs.splice(index, 1);
  },
  'errands.queued'(memory, { inputs }) {
    memory.inputs.push(...inputs);
  },
  'script.entered'(memory, { path, inputs }) {
    memory.scriptPath = path;
    memory.inputs.push(...inputs);
  },
  'script.left'(memory) {
    memory.scriptPath = undefined;
  },
  'changes.undone'({ movedFiles }, { direction, files }) {
    for (const { path, outcome } of files) {
      if (outcome === 'restored' || outcome === 'deleted' || outcome === 'recreated')
        movedFiles.set(path, { path, direction, outcome });
    }
  },
  /** What a hook says before a step is left is in the result of the call. */
  'hook.ran'({ hookMessages }, { hook, on, outcome, message }) {
    if (outcome !== 'ok' || message === undefined || on === 'node.before-leave') return;
    hookMessages.set(message, { hook, on, message });
  },
  'run.entered'(memory, { title }) {
    memory.enteredRun = title;
  },
  /** The agent is informed of the outcome of a run that was left. */
  'run.left'({ inputs, enteredRun }, { note }) {
    const subject = { kind: 'run', workflow: enteredRun } as const;
    if (note !== undefined) inputs.push({ content: note, purpose: 'directive', subject });
  },
  'agent.entered': forgetAgent,
  'agent.dismissed': forgetAgent,
  'tool.started'(memory, { callId }) {
    memory.startedCalls.add(callId);
    memory.retriedCall = undefined;
  },
  'tool.ended': rememberEnd,
  'context.reset'(memory) {
    memory.pending = undefined;
    memory.decidedAhead.clear();
  },
  'transition.refused'(memory, event) {
    if (event.code === 'E_OUTPUTS_MISSING') memory.refusedTransition = event;
  },
  'call.started'(memory, event) {
    memory.call = { ...event, phase: 'open' };
  },
  /** The usage of a called run counts as the caller's own. */
  'call.ended'(memory, event) {
    const { nodeId, childId, title, usage, usageBefore, turns = 0 } = event;
    const workflow = memory.call?.workflow ?? { ref: title, title };
    memory.call = { nodeId, childId, workflow, phase: 'ended', result: event };
    memory.calledTurns += turns;
    memory.usage = addUsage(memory.usage, usage);
    memory.usageBefore = addUsage(memory.usageBefore, usageBefore);
    memory.turnsWithoutProgress = 0;
  },
  'state.changed'(memory, { from, to, isRewind, notes }) {
    if (from !== to || isRewind) memory.refusedTransition = memory.call = undefined;
    else if (memory.call?.phase === 'ended') memory.call = { ...memory.call, phase: 'returned' };
    if (isRewind) rememberRewind(memory, notes);
  },
  'usage.updated'(memory, { usage, total }) {
    memory.usage = total;
    if (!usage.isEstimated) updateBytesPerToken(memory, usage);
  },
  'question.asked'(memory, { callId, questions }) {
    memory.pending = { kind: 'question', callId, questions, answers: undefined };
  },
  'question.answered'(memory, { answers }) {
    if (memory.pending?.kind === 'question') memory.pending.answers = answers;
    memory.turnsWithoutProgress = 0;
  },
  'approval.requested'(memory, event) {
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
  },
  'approval.resolved'(memory, { callId, decision, note, speaker, tool, path, reach = 'file' }) {
    const { pending } = memory;
    const resolved = { decision, note, speaker };
    if (pending?.kind === 'approval' && pending.callId !== callId) {
      const change = pending.following?.find((other) => other.callId === callId);
      if (change) memory.decidedAhead.set(callId, { ...change, resolved });
      return;
    }
    if (pending?.kind === 'approval') pending.resolved = resolved;
    // A `tool.started` after this means that the change itself was started.
    memory.startedCalls.delete(callId);
    const isOnce = pending?.kind === 'approval' && isOnceOnly(pending);
    if (!isOnce && (decision === 'node' || decision === 'run')) {
      const grant = { tool, path, reach, scope: decision, nodeId: memory.history.nodeId };
      memory.grants = [...memory.grants, grant];
    }
    memory.turnsWithoutProgress = 0;
  },
};

/** Purposes of messages that come from `inputs`. */
const SENT_PURPOSES: ReadonlySet<MessagePurpose> = new Set(['input', 'data', 'directive']);

/** Consent for longer than a call was given for another place. */
function forgetConsent(memory: RunMemory): void {
  memory.grants = [];
  memory.consent = 'none';
}

/** Approvals for one agent do not apply to the next one. */
function forgetAgent(memory: RunMemory): void {
  memory.grants = [];
  memory.scriptPath = undefined;
  memory.partialReply = '';
}

/** The model is informed with its next turn, once, even after several rewinds. */
function rememberRewind(memory: RunMemory, reasons: readonly string[]): void {
  const content = [REWIND_NOTE, ...reasons.map((reason) => `The reason: ${reason}`)].join('\n');
  const inputs = memory.inputs.filter(({ subject }) => subject?.kind !== 'rewind');
  const note = { content, purpose: 'directive', subject: { kind: 'rewind' } } as const;
  memory.inputs.splice(0, Number.POSITIVE_INFINITY, note, ...inputs);
  memory.pending = undefined;
  memory.decidedAhead.clear();
  memory.partialReply = '';
  memory.turnsWithoutProgress = 0;
}

/** The result that the model gets for a call that was interrupted with its process. Earlier logs mark such calls by it alone. */
export const INTERRUPTED_CALL =
  'The run was interrupted during this call; look whether it took effect before you repeat it.';

function rememberEnd(memory: RunMemory, event: EventOf<'tool.ended'>): void {
  const { callId, name, outcome, message } = event;
  memory.startedCalls.delete(callId);
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

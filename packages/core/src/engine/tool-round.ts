/**
 * Executes the open calls of the last reply in order; each gets exactly one result. Consecutive calls that only read run at
 * once, and their results keep the order. Stops at a call that needs a person; the calls after it wait.
 */
import type { ApprovalResponse } from '@crewagent/protocol/approvals';
import { isFileAction, isOnceOnly } from '@crewagent/protocol/described-actions';
import type { LoggedToolCall } from '@crewagent/protocol/event-messages';
import type { EventOf } from '@crewagent/protocol/events';
import { effectKindOf, isOfFiles, isRead } from '@crewagent/protocol/tool-effects';
import type { DescribedAction, FollowingChange, Question } from '@crewagent/protocol/tools';
import { hasMarker } from '../llm/key-guard.ts';
import type { PathVariables } from '../mounts/path-template.ts';
import { resolvePath } from '../mounts/resolve-path.ts';
import type { Approval } from '../tools/consent.ts';
import type { ExecuteOptions } from '../tools/execute-call.ts';
import { subjectOf } from '../tools/tool-arguments.ts';
import type { ApprovalRequest, ToolOutcome } from '../tools/tool-outcome.ts';
import { toAnswerResult } from '../tools/ui-tools.ts';
import { toBatches } from './call-order.ts';
import { requireProject, stopAtFault } from './disk-faults.ts';
import { findFollowingChanges } from './following-changes.ts';
import type { LiveRun } from './live-run.ts';
import { checkWrite } from './proof/begin-visit.ts';
import { INTERRUPTED_CALL } from './remember.ts';
import { type DecidedChange, isGranted, isUnanswered, type PendingCall } from './run-memory.ts';
import { type StopPoint, waiting } from './stop-point.ts';

/** The stop, if a person is needed before the calls can end. */
export async function toolRound(run: LiveRun, signal: AbortSignal): Promise<StopPoint | undefined> {
  const batches = toBatches(run.memory.history.openCalls);
  for (const [index, calls] of batches.entries()) {
    let before: Promise<unknown> = Promise.resolve();
    const executed = calls.map((call) => {
      const outcome = executeCall(run, call, signal, before);
      before = outcome;
      // Handled below, in order; until then it must not count as unhandled.
      outcome.catch(() => undefined);
      return { call, outcome };
    });
    for (const { call, outcome } of executed) {
      const answered = await outcome.catch(
        (error: unknown): CallOutcome => ({ kind: 'suspended', stop: stopAtFault(run, call, error) }),
      );
      run.checkLog();
      if (answered.kind === 'suspended') {
        // What comes after a failed call has failed with it.
        await Promise.allSettled(executed.map((later) => later.outcome));
        return answered.stop;
      }
      if (hasGoneBack(call, answered)) {
        for (const later of batches.slice(index + 1).flat())
          endUnmade(run, later, 'The run went back before this call was made.');
        return undefined;
      }
    }
  }
  return undefined;
}

function hasGoneBack({ name }: LoggedToolCall, { content }: { readonly content: string }): boolean {
  return name === 'runtime.go_back' && content.startsWith('{"ok":true');
}

type CallOutcome =
  | { readonly kind: 'answered'; readonly content: string }
  | { readonly kind: 'suspended'; readonly stop: StopPoint };

async function executeCall(
  run: LiveRun,
  call: LoggedToolCall,
  signal: AbortSignal,
  reportAfter: Promise<unknown>,
): Promise<CallOutcome> {
  const pending = run.memory.pending?.callId === call.id ? run.memory.pending : undefined;
  // The answers to a server's question go to the server, which has not ended the call.
  const answers =
    pending?.kind === 'question' && effectKindOf(call.name) === 'external' ? pending.answers : undefined;
  if (pending?.kind === 'question' && !answers) return applyAnswers(run, call, pending);
  if (pending?.kind === 'approval' && !pending.resolved)
    return { kind: 'suspended', stop: approvalStop(pending) };
  requireProject(run);
  const { nodeId } = run.memory.history;
  const toolkit = run.toolkitOf(run.agentOf(nodeId));
  const path = subjectOf(call.arguments);
  // Emitted for an approved change as well: if the process dies now, the change may have been made.
  run.emit({ type: 'tool.started', callId: call.id, name: call.name, nodeId, path });
  if (run.log.settle && !isRead({ kind: toolkit.host.effectKindOf(call.name) })) await run.log.settle();
  await toolkit.prepare(signal);
  if (call.name === 'runtime.complete_node') await noteFoundFiles(run, call);
  const args = restoreKeys(run, call);
  if (args === undefined) {
    await reportAfter;
    return refuseUnknownKey(run, call);
  }
  const { id, name, isCutOff = false } = call;
  const request = { id, name, arguments: args, isCutOff };
  const options: ExecuteOptions = {
    ...consentOptions(run, signal),
    isAttended: run.sources.attendance?.isAttended() ?? true,
    answers,
    reportAfter,
    onProgress: (progress) => run.emit({ type: 'tool.progress', callId: id, name, ...progress }),
    approval: approvalOf(run, pending ?? run.memory.decidedAhead.get(id)),
    interrupted: interruptedActionOf(run, name),
  };
  const outcome = await toolkit.host.execute(request, options);
  const approval = outcome.kind === 'approval' ? await deniedByHook(run, outcome, signal) : undefined;
  return settle(
    run,
    call,
    approval ? await toolkit.host.execute(request, { ...options, approval }) : outcome,
    signal,
  );
}

/** The denial of a hook, as if a person had denied it; nobody is asked then. */
async function deniedByHook(
  { sources: { hooks }, memory, emit, saveInput }: LiveRun,
  asked: ApprovalRequest,
  signal: AbortSignal,
): Promise<Approval | undefined> {
  if (!hooks?.judgesApprovals) return undefined;
  const { denial, facts } = await hooks.beforeApproval(asked, memory.history.nodeId, signal);
  for (const fact of facts) emit(fact);
  if (denial === undefined) return undefined;
  await saveInput();
  return { isGranted: false, action: asked.action, note: denial, isByHook: true, isHeld: asked.isHeld };
}

/** Before the node is judged: what a host wrote with its own tools. */
async function noteFoundFiles(run: LiveRun, { id }: LoggedToolCall): Promise<void> {
  const { at } = await run.position();
  if (at) await run.foundFiles?.note(at, id);
}

function consentOptions(run: LiveRun, signal: AbortSignal): ExecuteOptions {
  return {
    signal,
    decidedAt: run.memory.history.nodeId ?? '',
    isGranted: (tool, path) => mayChange(run, tool, path),
    presetNow: async () => run.sources.readApproval?.(),
    rights: run.rights,
    checkWrite: () => checkWrite(run),
  };
}

/** What the calls after this one would change and need approval for. */
async function describeFollowing(
  run: LiveRun,
  call: LoggedToolCall,
  request: ApprovalRequest,
  signal: AbortSignal,
): Promise<FollowingChange[] | undefined> {
  // Hooks are asked about each change separately.
  if (run.sources.hooks?.judgesApprovals) return undefined;
  const { history } = run.memory;
  const { host } = run.toolkitOf(run.agentOf(history.nodeId));
  const index = history.openCalls.findIndex(({ id }) => id === call.id);
  const following = await findFollowingChanges(request, history.openCalls.slice(index + 1), async (later) => {
    const args = isForProject(later.arguments, run.memory.state.variables)
      ? restoreKeys(run, later)
      : undefined;
    if (args === undefined) return undefined;
    const { id, name, isCutOff = false } = later;
    return host.previewChange({ id, name, arguments: args, isCutOff }, consentOptions(run, signal));
  });
  return following.length === 0 ? undefined : following;
}

/**
 * Replaces key markers in the arguments. Content for the project gets the keys; content in the store, including `@state`,
 * keeps the markers. Undefined if a key is no longer known.
 */
function restoreKeys(
  { keys, memory }: LiveRun,
  { name, arguments: text }: LoggedToolCall,
): string | undefined {
  const isForFile = hasMarker(text) && isOfFiles({ kind: effectKindOf(name) });
  return isForFile && isForProject(text, memory.state.variables) ? keys.restore(text) : text;
}

function isForProject(args: string, variables: PathVariables): boolean {
  try {
    const { path } = JSON.parse(args) as { readonly path?: unknown };
    if (typeof path !== 'string') return true;
    const resolved = resolvePath(path, { variables });
    return resolved.ok && resolved.path.mount === '@project';
  } catch {
    // The tool host rejects arguments that are not JSON.
    return false;
  }
}

function refuseUnknownKey(run: LiveRun, call: LoggedToolCall): CallOutcome {
  const error = { code: 'TOOL_ARGS_INVALID', message: UNKNOWN_KEY } as const;
  const content = JSON.stringify({ ok: false, error });
  endCall(run, call, content, { outcome: 'failed', ...error });
  return { kind: 'answered', content };
}

const UNKNOWN_KEY =
  'The arguments contain a hidden API key that this run no longer knows, so the call was not made. Leave that part of the file unchanged, or ask the user to fill in the key.';

async function settle(
  run: LiveRun,
  call: LoggedToolCall,
  outcome: ToolOutcome,
  signal: AbortSignal,
): Promise<CallOutcome> {
  const { nodeId } = run.memory.history;
  const position = { callId: call.id, nodeId };
  switch (outcome.kind) {
    case 'done':
      return { kind: 'answered', content: outcome.content };
    case 'question':
      run.emit({ type: 'question.asked', ...position, questions: [...outcome.questions] });
      return { kind: 'suspended', stop: questionStop(outcome.questions) };
    case 'approval': {
      const { kind: _, name: tool, ...request } = outcome;
      const following = await describeFollowing(run, call, outcome, signal);
      run.emit({ type: 'approval.requested', ...position, tool, ...request, following });
      return { kind: 'suspended', stop: approvalStop({ tool, action: request.action }) };
    }
  }
}

/** Includes the question, so that a list can show it. */
function questionStop([first]: readonly Question[]): StopPoint {
  const details = first ? { prompt: first.prompt.slice(0, MAX_PROMPT) } : undefined;
  return waiting('question', 'The model asked you something.', details);
}

const MAX_PROMPT = 300;

function approvalStop({ tool, action }: { tool: string; action: DescribedAction }): StopPoint {
  return waiting('approval', `${action.title}.`, { tool, path: action.target });
}

/** The answers become the result of the call. */
function applyAnswers(
  run: LiveRun,
  call: LoggedToolCall,
  { answers, questions }: Extract<PendingCall, { kind: 'question' }>,
): CallOutcome {
  if (!answers) return { kind: 'suspended', stop: questionStop(questions) };
  const content = JSON.stringify({ ok: true, ...toAnswerResult(answers) });
  endCall(run, call, content, { outcome: 'ok' });
  return { kind: 'answered', content };
}

function approvalOf(run: LiveRun, asked: PendingCall | DecidedChange | undefined): Approval | undefined {
  if (!asked || !('action' in asked) || !asked.resolved) return undefined;
  const { decision, note, speaker } = asked.resolved;
  return {
    isGranted: decision !== 'no',
    action: restoreAction(run, asked.action),
    note,
    isUnattended: speaker !== undefined,
    isHeld: 'isHeld' in asked ? asked.isHeld : undefined,
  };
}

/** The person approved this change and the process ended while it was made: the same change is not asked about again. */
function interruptedActionOf(run: LiveRun, name: string): DescribedAction | undefined {
  const { interrupted } = run.memory;
  return interrupted?.tool === name ? restoreAction(run, interrupted.action) : undefined;
}

/** A file action as shown to the person has markers in place of keys. */
function restoreAction({ keys }: LiveRun, action: DescribedAction): DescribedAction {
  if (!isFileAction(action) || !hasMarker(action.target)) return action;
  const restore = (text: string): string => keys.restore(text) ?? text;
  const files = action.files?.map((fact) => ({ ...fact, path: restore(fact.path) }));
  return { ...action, target: restore(action.target), files };
}

async function mayChange({ memory, sources }: LiveRun, tool: string, path: string): Promise<boolean> {
  return isGranted(memory, tool, path) || (await sources.approvals.has(tool, path));
}

export async function saveStandingApproval(
  run: LiveRun,
  { tool, action, runsLater }: Extract<PendingCall, { kind: 'approval' }>,
  { decision, reach = 'file' }: ApprovalResponse,
): Promise<void> {
  if (decision === 'always' && !isOnceOnly({ action, runsLater }))
    await run.sources.approvals.add({ tool, path: action.target, reach });
}

/** Ends calls that were open when the process ended: their effect is unknown. */
export function abandonOpenCalls(run: LiveRun): void {
  const { pending, startedCalls, retriedCall, history } = run.memory;
  const isWaiting =
    isUnanswered(pending) ||
    (pending !== undefined && !isStarted(pending, startedCalls)) ||
    history.openCalls.some(({ id }) => id === retriedCall);
  if (!isWaiting) endOpenCalls(run);
}

/** An answer has no effect before it is sent; an approved change may have been made. */
function isStarted(pending: PendingCall, startedCalls: ReadonlySet<string>): boolean {
  return pending.kind === 'approval' && startedCalls.has(pending.callId);
}

/** `why`: message for calls that were not started. */
export function endOpenCalls(run: LiveRun, why = 'The run was interrupted before this call was made.'): void {
  const { history, startedCalls } = run.memory;
  for (const call of [...history.openCalls]) {
    const isInterrupted = startedCalls.has(call.id) || undefined;
    endUnmade(run, call, isInterrupted ? INTERRUPTED_CALL : why, isInterrupted);
  }
}

function endUnmade(run: LiveRun, call: LoggedToolCall, message: string, isInterrupted?: true): void {
  const failure = { ok: false, error: { code: 'ENGINE_ABORTED', message } };
  const ending = { outcome: 'failed', code: 'ENGINE_ABORTED', message, isInterrupted } as const;
  endCall(run, call, JSON.stringify(failure), ending);
}

function endCall(
  run: LiveRun,
  call: LoggedToolCall,
  content: string,
  ending: Pick<EventOf<'tool.ended'>, 'outcome' | 'code' | 'message' | 'isInterrupted'>,
): void {
  const { nodeId } = run.memory.history;
  const kind = run.toolkitOf(run.agentOf(nodeId)).host.effectKindOf(call.name);
  // The process died after the change, and before it could say so.
  const made = ending.isInterrupted
    ? run.sources.journal.list().filter(({ callId }) => callId === call.id)
    : [];
  const changed = [...new Set(made.map(({ path }) => path))].slice(0, MAX_CHANGED);
  run.emit({
    type: 'tool.ended',
    callId: call.id,
    name: call.name,
    nodeId,
    ...ending,
    durationMs: 0,
    content,
    effect: { kind, changed: changed.length > 0 ? changed : undefined },
  });
}

/** More are not listed in the log. */
const MAX_CHANGED = 500;

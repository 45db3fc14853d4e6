/** One turn: a request that fits the context and is valid, and its streamed reply. Errors are return values. */
import type { LoggedToolCall } from '@crewagent/protocol/event-messages';
import { toStrictJson } from '@crewagent/protocol/json-text';
import { addUsage, modelNameOf, type Usage } from '@crewagent/protocol/model';
import type { ChatOutcome, ChatProgress, ModelError, ModelReply } from '../llm/llm-adapter.ts';
import { withCost } from '../llm/provider/usage.ts';
import { hashRequest } from '../llm/serialise.ts';
import { parseTextCalls } from '../llm/text-calls.ts';
import type { ChatRequest } from '../llm/wire.ts';
import type { PromptMode } from '../prompt/base-rules.ts';
import { findProtocolIssue } from '../prompt/check-protocol.ts';
import type { PromptFrame } from '../prompt/prompt-composer.ts';
import { warmToolsSoon } from '../tools/files/change-text.ts';
import type { ToolHost } from '../tools/tool-host.ts';
import type { AgentToolkit } from './agent-toolkit.ts';
import { findFacts } from './context/anchor.ts';
import { compactIfNeeded, type FittingRequest } from './context/context-room.ts';
import { outlineIfWorthwhile } from './context/outline-exchanges.ts';
import { loadPicture } from './context/pictures.ts';
import { recordFrame } from './context/request-frame.ts';
import { type LiveRun, rulesOf } from './live-run.ts';
import { finishWait, LONG_WAIT_MS, recordWait } from './provider-wait.ts';
import type { RunMemory } from './run-memory.ts';
import { smallStepOf } from './small-profile.ts';

export type TurnOutcome =
  | { readonly kind: 'reply'; readonly calls: readonly LoggedToolCall[]; readonly finishReason: string }
  /** The reply has neither text nor calls, and is not in the history. */
  | { readonly kind: 'empty'; readonly error: ModelError }
  | { readonly kind: 'failed'; readonly error: ModelError }
  | { readonly kind: 'too-large'; readonly message: string }
  /** The history is not valid for any provider; it was dropped, and the node has to be announced again. */
  | { readonly kind: 'reset' }
  | { readonly kind: 'aborted' };

export async function takeTurn(
  run: LiveRun,
  { agentId, mode, mayRestart }: { agentId: string; mode: PromptMode; mayRestart: boolean },
  signal: AbortSignal,
): Promise<TurnOutcome> {
  run.sources.adapter.select?.({ agentId, nodeId: run.memory.history.nodeId });
  const toolkit = run.toolkitOf(agentId);
  await toolkit.prepare(signal);
  if (signal.aborted) return { kind: 'aborted' };
  const frame = toolkit.frame(mode, smallStepOf(run.memory, run.sources.adapter.traits));
  outlineIfWorthwhile(run, frame);
  await run.saveEarlierText();
  let refused: { readonly limitTokens: number | undefined } | undefined;
  let learnedRules = 0;
  for (;;) {
    const fitting = compactIfNeeded(run, frame, refused);
    if (!fitting.ok) return { kind: 'too-large', message: fitting.message };
    const issue = findProtocolIssue(fitting.request);
    if (issue) {
      run.emit({ type: 'context.reset', message: `The messages of this node could not be sent: ${issue}.` });
      return { kind: 'reset' };
    }
    const outcome = await sendRequest(run, { ...fitting, frame }, toolkit, signal);
    if (outcome.kind === 'failed' && outcome.error.code === 'LLM_CONTEXT_EXCEEDED' && !refused) {
      const limit = outcome.error.details?.contextTokens;
      refused = { limitTokens: typeof limit === 'number' && limit >= 1_000 ? limit : undefined };
      continue;
    }
    // The adapter learned a message rule from the provider's error.
    if (
      outcome.kind === 'failed' &&
      outcome.error.details?.messageRules &&
      learnedRules++ < MAX_LEARNED_RULES
    )
      continue;
    if (outcome.kind === 'failed' && mayRestart && isAboutReplies(run, outcome.error)) {
      run.emit({ type: 'context.reset', message: outcome.error.message });
      return { kind: 'reset' };
    }
    if (outcome.kind === 'failed' && outcome.error.details?.isEmpty === true)
      return { kind: 'empty', error: outcome.error };
    if (outcome.kind !== 'reply') return outcome;
    return acceptReply(run, outcome.reply, toolkit);
  }
}

/** Earlier replies and calls can be dropped; the brief of the node cannot. */
function isAboutReplies({ memory }: LiveRun, { code }: ModelError): boolean {
  return code === 'LLM_MESSAGES_REFUSED' && memory.history.messages.some(({ role }) => role === 'assistant');
}

/** At most one error per message rule. */
const MAX_LEARNED_RULES = 6;

async function sendRequest(
  run: LiveRun,
  { request, bytes, frame }: FittingRequest & { readonly frame: PromptFrame },
  toolkit: AgentToolkit,
  signal: AbortSignal,
): Promise<ChatOutcome> {
  const { memory, emit, sources } = run;
  const turn = memory.turn + 1;
  const { nodeId } = memory.history;
  const { firstByteMs, rules, isHost } = sources.adapter.traits;
  const origin = rules?.origin;
  emit({
    type: 'turn.started',
    turn,
    nodeId,
    agentId: toolkit.agentId,
    requestBytes: bytes,
    // A host is given texts: there is no request to prove.
    ...(isHost ? {} : { requestSha256: hashRequest(request), ...recordFrame(memory, frame, rulesOf(run)) }),
    estimatedTokens: Math.round(bytes / memory.bytesPerToken),
    model: findAskedModel(run),
    firstByteSeconds: firstByteMs === undefined ? undefined : firstByteMs / 1_000,
  });
  const partial = createPartialReply(
    () => sources.clock.monotonicMs(),
    (text) => void emit({ type: 'message.partial', turn, nodeId, text }),
  );
  const onProgress = (progress: ChatProgress): void => {
    switch (progress.type) {
      case 'started':
        // Screens see that the prompt is evaluated, and nothing else changes for them.
        emit({ type: 'reasoning.delta', turn, text: '' });
        return;
      case 'text':
        emit({ type: 'message.delta', turn, text: progress.text });
        partial.add(progress.text);
        return;
      case 'reasoning':
        emit({ type: 'reasoning.delta', turn, text: progress.text });
        return;
      case 'retry': {
        partial.reset();
        const { attempt, delayMs, error } = progress;
        emit({
          type: 'llm.retry',
          turn,
          attempt,
          delayMs: Math.round(delayMs),
          code: error.code,
          message: error.message,
          origin: delayMs > LONG_WAIT_MS ? origin : undefined,
          details: error.details && { ...error.details },
        });
        return;
      }
      case 'key': {
        partial.reset();
        const { from, to, error } = progress;
        const message = `${error.message} Key "${to}" is used instead of "${from}".`;
        emit({ type: 'warning', code: 'OTHER_KEY_USED', message, details: { from, to, cause: error.code } });
      }
    }
  };
  const wait = await finishWait(run, turn, signal);
  if (wait) return { kind: 'failed', error: wait };
  if (run.log.settle) await run.log.settle();
  if (signal.aborted) return { kind: 'aborted' };
  const requestWithFacts: ChatRequest = {
    ...request,
    facts: () => findFacts(run),
    loadPicture: (picture) => loadPicture(sources.files, picture),
  };
  const pendingOutcome = sources.adapter.chat(requestWithFacts, {
    signal,
    scope: sources.record.runId,
    maxWaitMs: sources.attendance?.maxWaitMs,
    settle: run.log.settle,
    onProgress,
  });
  if (turn === 1) warmToolsSoon();
  const outcome = await pendingOutcome;
  if (outcome.kind !== 'reply') partial.save();
  if (outcome.kind === 'failed') return { kind: 'failed', error: recordWait(run, turn, outcome.error) };
  return outcome;
}

/** Undefined if it is the model that the run was created with, and its only one. */
function findAskedModel({ memory, sources: { adapter, record } }: LiveRun): string | undefined {
  if (adapter.select) return adapter.traits.name;
  const name = modelNameOf(record.model);
  return memory.model === undefined || memory.model === name ? undefined : name;
}

/** Normalises the reply: calls that are written as text, unique call ids, internal tool names, strict JSON. */
function acceptReply(run: LiveRun, received: ModelReply, { host }: AgentToolkit): TurnOutcome {
  const { memory, emit } = run;
  const { reply, isFromText } = withTextCalls(received, host);
  const { traits } = run.sources.adapter;
  // The origin is only needed for fields that are specific to the provider.
  const hasFields = reply.extra !== undefined || reply.toolCalls.some(({ extra }) => extra !== undefined);
  const origin = hasFields ? traits.rules?.origin : undefined;
  const { turn } = memory;
  const { nodeId } = memory.history;
  const usedIds = new Set<string>();
  const isFree = (id: string): boolean => !memory.callIds.has(id) && !usedIds.has(id);
  const calls = reply.toolCalls.slice(0, MAX_CALLS).map((call, index): LoggedToolCall => {
    const isUsable = /^[\w-]{1,64}$/.test(call.id) && isFree(call.id);
    const id = isUsable ? call.id : makeCallId(turn, index, isFree);
    usedIds.add(id);
    return {
      id,
      name: host.nameOf(call.name),
      arguments: toStrictJson(call.arguments),
      isCutOff: call.isCutOff || undefined,
      isFromText,
      extra: call.extra && { ...call.extra },
    };
  });
  emit({
    type: 'message.completed',
    turn,
    role: 'assistant',
    purpose: 'reply',
    nodeId,
    content: reply.content,
    toolCalls: calls.length > 0 ? calls : undefined,
    finishReason: reply.finishReason,
    reasoning: reply.reasoning,
    extra: reply.extra && { ...reply.extra },
    origin,
  });
  if (reply.toolCalls.length > MAX_CALLS) {
    const message = `The model asked for ${reply.toolCalls.length} calls at once; only the first ${MAX_CALLS} are executed.`;
    emit({ type: 'warning', code: 'TOO_MANY_CALLS', message });
  }
  const usage = reply.usage ?? withCost(estimateUsage(memory, reply), traits.prices);
  emit({ type: 'usage.updated', turn, usage, total: addUsage(memory.usage, usage) });
  return { kind: 'reply', calls, finishReason: reply.finishReason };
}

/** To the provider, calls in the text become calls like any other. */
function withTextCalls(reply: ModelReply, host: ToolHost): { reply: ModelReply; isFromText?: true } {
  if (reply.toolCalls.length > 0 || reply.finishReason === 'length') return { reply };
  const found = parseTextCalls(reply.content, (name) => host.isTool(name));
  if (!found) return { reply };
  const toolCalls = found.calls.map((call) => ({ ...call, id: '', isCutOff: false }));
  return { reply: { ...reply, content: found.content, toolCalls }, isFromText: true };
}

/** Limit for one reply; far more than any task needs. */
const MAX_CALLS = 128;

/** Nine letters and digits: the only format that every provider accepts. */
function makeCallId(turn: number, index: number, isFree: (id: string) => boolean): string {
  for (let number = turn * MAX_CALLS + index; ; number += MAX_CALLS) {
    const id = `c${number.toString(36).padStart(8, '0')}`;
    if (isFree(id)) return id;
  }
}

const BYTES_PER_TOKEN = 4;

/** For providers that do not report usage, so that limits still apply. */
function estimateUsage(memory: RunMemory, { content, reasoning = '', toolCalls }: ModelReply): Usage {
  const bytes = toolCalls.reduce(
    (sum, call) => sum + call.arguments.length,
    content.length + reasoning.length,
  );
  return {
    promptTokens: Math.round(memory.requestBytes / memory.bytesPerToken),
    completionTokens: Math.round(bytes / BYTES_PER_TOKEN),
    cachedTokens: 0,
    isEstimated: true,
  };
}

const SAVE_EVERY_MS = 2_000;

/**
 * The text of a reply while it is streamed. It is stored every few seconds, and when the turn ends without a complete reply, so that
 * a stop, a failure or a crash does not lose what a person has already read.
 */
export function createPartialReply(monotonicMs: () => number, store: (text: string) => void) {
  let unsaved = '';
  let savedMs = monotonicMs();
  /** Stores the text that is not stored yet. */
  const save = (): void => {
    if (unsaved === '') return;
    const text = unsaved;
    unsaved = '';
    savedMs = monotonicMs();
    store(text);
  };
  return {
    add(text: string): void {
      unsaved += text;
      if (monotonicMs() - savedMs >= SAVE_EVERY_MS) save();
    },
    /** The request is sent again: the reply starts over. */
    reset(): void {
      unsaved = '';
    },
    save,
  };
}

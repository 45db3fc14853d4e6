/**
 * One turn: a request that fits and is sound, one reply, told as it arrives. A failure is a value.
 */
import type { LoggedToolCall } from '@crewagent/protocol/events';
import type { Usage } from '@crewagent/protocol/model';
import { addUsage } from '@crewagent/protocol/usage';
import type { ChatOutcome, ChatProgress, ModelError, ModelReply } from '../llm/llm-adapter.ts';
import { pause } from '../llm/provider/retry.ts';
import { withCost } from '../llm/provider/usage.ts';
import type { ChatRequest } from '../llm/wire.ts';
import type { PromptMode } from '../prompt/base-rules.ts';
import { findProtocolIssue } from '../prompt/check-protocol.ts';
import { composeRequest, requestBytes } from '../prompt/prompt-composer.ts';
import { warmTools } from '../tools/warm-tools.ts';
import type { AgentToolkit } from './agent-toolkit.ts';
import { findFacts } from './anchor.ts';
import { compactIfNeeded } from './context-room.ts';
import { type LiveRun, rulesOf } from './live-run.ts';
import { createPartialReply } from './partial-reply.ts';
import type { RunMemory } from './run-memory.ts';

export type TurnOutcome =
  | { readonly kind: 'reply'; readonly calls: readonly LoggedToolCall[]; readonly finishReason: string }
  | { readonly kind: 'failed'; readonly error: ModelError }
  | { readonly kind: 'no-room'; readonly message: string }
  /** The history is none a provider would take; it was dropped, and the node is to be told anew. */
  | { readonly kind: 'reset' }
  | { readonly kind: 'aborted' };

export async function takeTurn(
  run: LiveRun,
  { agentId, mode, mayRestart }: { agentId: string; mode: PromptMode; mayRestart: boolean },
  signal: AbortSignal,
): Promise<TurnOutcome> {
  run.sources.adapter.select?.({ agentId, nodeId: run.memory.history.nodeId });
  const toolkit = run.deskOf(agentId);
  await toolkit.prepare(signal);
  if (signal.aborted) return { kind: 'aborted' };
  const frame = toolkit.frame(mode);
  let refused: { readonly limitTokens: number | undefined } | undefined;
  let learned = 0;
  for (;;) {
    const room = compactIfNeeded(run, frame, refused);
    if (!room.ok) return { kind: 'no-room', message: room.message };
    const request = composeRequest(frame, run.memory.history.messages, rulesOf(run));
    const issue = findProtocolIssue(request);
    if (issue) {
      run.emit({ type: 'context.reset', message: `The messages of this node could not be sent: ${issue}.` });
      return { kind: 'reset' };
    }
    const outcome = await ask(run, request, toolkit, signal);
    if (outcome.kind === 'failed' && outcome.error.code === 'LLM_CONTEXT_EXCEEDED' && !refused) {
      const sent = outcome.error.details?.contextTokens;
      refused = { limitTokens: typeof sent === 'number' && sent >= 1_000 ? sent : undefined };
      continue;
    }
    // The provider's complaint taught the adapter how it wants its messages.
    if (outcome.kind === 'failed' && outcome.error.details?.messageRules && learned++ < MAX_LEARNED) continue;
    if (outcome.kind === 'failed' && mayRestart && isAboutReplies(run, outcome.error)) {
      run.emit({ type: 'context.reset', message: outcome.error.message });
      return { kind: 'reset' };
    }
    if (outcome.kind !== 'reply') return outcome;
    return acceptReply(run, outcome.reply, toolkit);
  }
}

/** What the model said and called before can be left out; the brief of the node cannot. */
function isAboutReplies({ memory }: LiveRun, { code }: ModelError): boolean {
  return code === 'LLM_MESSAGES_REFUSED' && memory.history.messages.some(({ role }) => role === 'assistant');
}

/** One complaint for each rule there is, at the most. */
const MAX_LEARNED = 6;

async function ask(
  run: LiveRun,
  request: ChatRequest,
  toolkit: AgentToolkit,
  signal: AbortSignal,
): Promise<ChatOutcome> {
  const { memory, emit, sources } = run;
  const bytes = requestBytes(request);
  const turn = memory.turn + 1;
  const { nodeId } = memory.history;
  const { firstByteMs, rules, name: model } = sources.adapter.traits;
  const origin = rules?.origin;
  const nodeField = nodeId === undefined ? {} : { nodeId };
  emit({
    type: 'turn.started',
    turn,
    ...nodeField,
    agentId: toolkit.agentId,
    requestBytes: bytes,
    estimatedTokens: Math.round(bytes / memory.bytesPerToken),
    ...(sources.adapter.select ? { model } : {}),
    ...(firstByteMs === undefined ? {} : { firstByteSeconds: firstByteMs / 1_000 }),
  });
  const partial = createPartialReply({
    monotonicMs: () => sources.clock.monotonicMs(),
    store: (text) => void emit({ type: 'message.partial', turn, ...nodeField, text }),
  });
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
          ...(delayMs > LONG_WAIT_MS && origin !== undefined ? { origin } : {}),
          ...(error.details ? { details: { ...error.details } } : {}),
        });
      }
    }
  };
  if (!(await waitOut(run, turn, signal))) return { kind: 'aborted' };
  const asked = { ...request, facts: () => findFacts(run) };
  const asking = sources.adapter.chat(asked, { signal, scope: sources.record.runId, onProgress });
  if (turn === 1) void warmTools();
  const outcome = await asking;
  if (outcome.kind !== 'reply') partial.save();
  return outcome;
}

/** A wait that is worth being remembered: shorter ones are over before anybody resumes. */
const LONG_WAIT_MS = 60_000;

/** What is left of a wait that the provider asked for before the process ended. False when it was stopped. */
async function waitOut(
  { memory, sources, emit }: LiveRun,
  turn: number,
  signal: AbortSignal,
): Promise<boolean> {
  const { wait } = memory;
  const origin = sources.adapter.traits.rules?.origin;
  if (!wait || wait.origin !== origin) return !signal.aborted;
  const delayMs = wait.untilMs - sources.clock.now().getTime();
  if (delayMs <= 0) return !signal.aborted;
  const message = `${sources.adapter.traits.name} asked to wait; ${Math.ceil(delayMs / 60_000)} minutes of it are left.`;
  emit({ type: 'llm.retry', turn, attempt: 1, delayMs, code: 'LLM_RATE_LIMITED', message, origin });
  await pause(delayMs, signal);
  return !signal.aborted;
}

/** The reply is the run's own from here on: ids are unique, names are ours. */
function acceptReply(run: LiveRun, reply: ModelReply, toolkit: AgentToolkit): TurnOutcome {
  const { memory, emit } = run;
  const { traits } = run.sources.adapter;
  // Where nothing belongs to the provider alone, nobody asks who it was.
  const hasFields = reply.extra !== undefined || reply.toolCalls.some(({ extra }) => extra !== undefined);
  const origin = hasFields ? traits.rules?.origin : undefined;
  const { turn } = memory;
  const { nodeId } = memory.history;
  const taken = new Set<string>();
  const isFree = (id: string): boolean => !memory.callIds.has(id) && !taken.has(id);
  const calls = reply.toolCalls.slice(0, MAX_CALLS).map((call, index): LoggedToolCall => {
    const isUsable = /^[\w-]{1,64}$/.test(call.id) && isFree(call.id);
    const id = isUsable ? call.id : makeCallId(turn, index, isFree);
    taken.add(id);
    return {
      id,
      name: toolkit.host.nameOf(call.name),
      arguments: call.arguments,
      ...(call.isCutOff ? { isCutOff: true } : {}),
      ...(call.extra ? { extra: { ...call.extra } } : {}),
    };
  });
  emit({
    type: 'message.completed',
    turn,
    role: 'assistant',
    purpose: 'reply',
    ...(nodeId === undefined ? {} : { nodeId }),
    content: reply.content,
    ...(calls.length > 0 ? { toolCalls: calls } : {}),
    finishReason: reply.finishReason,
    ...(reply.reasoning === undefined ? {} : { reasoning: reply.reasoning }),
    ...(reply.extra ? { extra: { ...reply.extra } } : {}),
    ...(origin === undefined ? {} : { origin }),
  });
  if (reply.toolCalls.length > MAX_CALLS) {
    const message = `The model asked for ${reply.toolCalls.length} calls at once; the first ${MAX_CALLS} are made.`;
    emit({ type: 'warning', code: 'TOO_MANY_CALLS', message });
  }
  const usage = reply.usage ?? withCost(estimateUsage(memory, reply), traits.prices);
  emit({ type: 'usage.updated', turn, usage, total: addUsage(memory.usage, usage) });
  return { kind: 'reply', calls, finishReason: reply.finishReason };
}

/** What one reply may ask for; far more than any task needs. */
const MAX_CALLS = 128;

/** Nine letters and digits: the only form every provider takes. */
function makeCallId(turn: number, index: number, isFree: (id: string) => boolean): string {
  for (let number = turn * MAX_CALLS + index; ; number += MAX_CALLS) {
    const id = `c${number.toString(36).padStart(8, '0')}`;
    if (isFree(id)) return id;
  }
}

const BYTES_PER_TOKEN = 4;

/** For providers that do not count, so that limits hold all the same. */
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

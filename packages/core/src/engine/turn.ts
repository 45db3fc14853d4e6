/**
 * One turn: a request that fits and is sound, one reply, told as it arrives. A failure is a value.
 */
import type { LoggedToolCall } from '@crewagent/protocol/events';
import type { Usage } from '@crewagent/protocol/model';
import type { ChatOutcome, ChatProgress, ModelError, ModelReply } from '../llm/llm-adapter.ts';
import type { ChatRequest } from '../llm/wire.ts';
import type { PromptMode } from '../prompt/base-rules.ts';
import { findProtocolFault } from '../prompt/check-protocol.ts';
import { composeRequest, requestBytes } from '../prompt/prompt-composer.ts';
import type { AgentDesk } from './agent-desk.ts';
import { makeRoom } from './context-room.ts';
import type { LiveRun } from './live-run.ts';

export type TurnOutcome =
  | { readonly kind: 'reply'; readonly calls: readonly LoggedToolCall[]; readonly finishReason: string }
  | { readonly kind: 'failed'; readonly error: ModelError }
  | { readonly kind: 'no-room'; readonly message: string }
  | { readonly kind: 'aborted' };

export async function takeTurn(
  run: LiveRun,
  { agentId, mode }: { agentId: string; mode: PromptMode },
  signal: AbortSignal,
): Promise<TurnOutcome> {
  const desk = run.deskOf(agentId);
  const frame = desk.frame(mode);
  for (let isRefused = false; ; isRefused = true) {
    const room = makeRoom(run, frame, isRefused);
    if (!room.ok) return { kind: 'no-room', message: room.message };
    const request = composeRequest(frame, run.memory.history.messages);
    const outcome = await ask(run, request, desk, signal);
    if (outcome.kind === 'failed' && outcome.error.code === 'LLM_CONTEXT_EXCEEDED' && !isRefused) continue;
    if (outcome.kind !== 'reply') return outcome;
    return acceptReply(run, outcome.reply, desk);
  }
}

async function ask(
  run: LiveRun,
  request: ChatRequest,
  desk: AgentDesk,
  signal: AbortSignal,
): Promise<ChatOutcome> {
  const { memory, emit, sources } = run;
  const fault = findProtocolFault(request);
  if (fault) throw new Error(`a request was put together wrongly: ${fault}`);
  const bytes = requestBytes(request);
  const turn = memory.turn + 1;
  const { nodeId } = memory.history;
  emit({
    type: 'turn.started',
    turn,
    ...(nodeId === undefined ? {} : { nodeId }),
    agentId: desk.agentId,
    requestBytes: bytes,
    estimatedTokens: Math.round(bytes / memory.bytesPerToken),
  });
  const onProgress = (progress: ChatProgress): void => {
    switch (progress.type) {
      case 'text':
        emit({ type: 'message.delta', turn, text: progress.text });
        return;
      case 'reasoning':
        emit({ type: 'reasoning.delta', turn, text: progress.text });
        return;
      case 'retry': {
        const { attempt, delayMs, error } = progress;
        emit({
          type: 'llm.retry',
          turn,
          attempt,
          delayMs: Math.round(delayMs),
          code: error.code,
          message: error.message,
        });
      }
    }
  };
  return sources.adapter.chat(request, { signal, onProgress });
}

/** The reply is the run's own from here on: ids are unique, names are ours. */
function acceptReply(run: LiveRun, reply: ModelReply, desk: AgentDesk): TurnOutcome {
  const { memory, emit } = run;
  const { turn } = memory;
  const { nodeId } = memory.history;
  const taken = new Set<string>();
  const calls = reply.toolCalls.map((call, index): LoggedToolCall => {
    const isUsable = /^[\w-]{1,64}$/.test(call.id) && !memory.callIds.has(call.id) && !taken.has(call.id);
    const id = isUsable ? call.id : makeCallId(turn, index);
    taken.add(id);
    return {
      id,
      name: desk.host.nameOf(call.name),
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
  });
  if (reply.usage)
    emit({ type: 'usage.updated', turn, usage: reply.usage, total: addUsage(memory.usage, reply.usage) });
  return { kind: 'reply', calls, finishReason: reply.finishReason };
}

/** Nine letters and digits: the only form every provider takes. */
function makeCallId(turn: number, index: number): string {
  return `c${turn.toString(36).padStart(5, '0')}${index.toString(36).padStart(3, '0')}`.slice(-9);
}

function addUsage(total: Usage, usage: Usage): Usage {
  const isPriced = usage.costUsd !== undefined || total.costUsd !== undefined;
  return {
    promptTokens: total.promptTokens + usage.promptTokens,
    completionTokens: total.completionTokens + usage.completionTokens,
    cachedTokens: total.cachedTokens + usage.cachedTokens,
    ...(isPriced ? { costUsd: (total.costUsd ?? 0) + (usage.costUsd ?? 0) } : {}),
  };
}

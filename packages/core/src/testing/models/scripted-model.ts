/**
 * A model that replies from a script and records every request, validated as by the strictest provider.
 */
import type {
  ChatOutcome,
  LLMAdapter,
  ModelError,
  ModelReply,
  ModelTraits,
  ReplyToolCall,
} from '../../llm/llm-adapter.ts';
import type { ChatRequest } from '../../llm/wire.ts';
import { findProtocolIssue } from '../../prompt/check-protocol.ts';

export interface ScriptedReply extends Partial<Omit<ModelReply, 'toolCalls'>> {
  readonly calls?: readonly ScriptedCall[];
}

export type ScriptedCall = Partial<Omit<ReplyToolCall, 'arguments'>> & {
  readonly name: string;
  /** An object is sent as JSON. */
  readonly arguments?: unknown;
};

export type ScriptLine =
  | string
  | ScriptedReply
  | Extract<ChatOutcome, { kind: 'failed' }>
  /** Streams a text and then fails, or waits until it is stopped. */
  | { readonly hangsAfter: string; readonly failsWith?: ModelError }
  /** Never replies; ends when it is aborted. */
  | 'hang';

export type Script = readonly ScriptLine[] | ((request: ChatRequest, index: number) => ScriptLine);

export interface ScriptedModel extends LLMAdapter {
  readonly requests: ChatRequest[];
}

export function createScriptedModel(script: Script, traits: Partial<ModelTraits> = {}): ScriptedModel {
  const requests: ChatRequest[] = [];
  return {
    requests,
    traits: {
      name: 'scripted',
      contextTokens: 128_000,
      takesSeveralSystemMessages: false,
      wantsReasoningBack: false,
      prices: undefined,
      stopsOnPurpose: true,
      ...traits,
    },
    async chat(request, { signal, onProgress }) {
      const issue = findProtocolIssue(request);
      if (issue) throw new Error(`a provider would reject this request: ${issue}`);
      const { messages, tools } = request;
      const index = requests.push({ messages, tools }) - 1;
      const line = typeof script === 'function' ? script(request, index) : script[index];
      if (line === undefined) throw new Error(`the script has no reply ${index + 1}`);
      // A listener for an abort that has happened already would wait forever.
      if (signal.aborted) return { kind: 'aborted' };
      if (typeof line === 'object' && 'hangsAfter' in line) {
        onProgress({ type: 'text', text: line.hangsAfter });
        if (line.failsWith) return { kind: 'failed', error: line.failsWith };
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        return { kind: 'aborted' };
      }
      if (line === 'hang') {
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        return { kind: 'aborted' };
      }
      if (typeof line === 'object' && 'kind' in line) return line;
      const reply = toReply(typeof line === 'string' ? { content: line } : line);
      if (reply.content) onProgress({ type: 'text', text: reply.content });
      return { kind: 'reply', reply };
    },
    close: () => undefined,
  };
}

/** One call as a reply. */
export function call(name: string, args: unknown, more: Partial<ScriptedReply> = {}): ScriptedReply {
  return { ...more, calls: [{ name, arguments: args }] };
}

/** The patch that completes a node and moves to the next, if given. */
export function finish(
  nodeId: string,
  next?: string,
  variables: Record<string, unknown> = {},
): ScriptedReply {
  return call('fs_apply_patch', finishArguments(nodeId, next, variables));
}

export function finishArguments(nodeId: string, next?: string, variables: Record<string, unknown> = {}) {
  return {
    path: '@state/workflow.md',
    patches: [
      {
        operation: 'updateFrontmatter',
        update: {
          stepsCompleted: { append: [nodeId] },
          variables: { set: variables },
          ...(next === undefined ? {} : { currentNodeId: { set: next } }),
        },
      },
    ],
  };
}

function toReply({ calls = [], ...reply }: ScriptedReply): ModelReply {
  return {
    content: '',
    reasoning: undefined,
    finishReason: calls.length > 0 ? 'tool_calls' : 'stop',
    extra: undefined,
    usage: undefined,
    toolCalls: calls.map(({ name, arguments: args = {}, ...rest }) => ({
      id: '',
      isCutOff: false,
      extra: undefined,
      ...rest,
      name,
      arguments: typeof args === 'string' ? args : JSON.stringify(args),
    })),
    ...reply,
  };
}

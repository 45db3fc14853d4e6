/**
 * Assembles a reply from the chunks of its stream, or from one complete response. Normalises what providers add, omit
 * or name differently. Pure.
 */
import { isObject } from '@crewagent/protocol/json-object';
import type { Usage } from '@crewagent/protocol/model';
import type { ChatProgress, ModelReply } from '../llm-adapter.ts';
import { type JsonRecord, textIn } from '../untrusted-json.ts';
import { createExtraFields, createToolCallAssembler } from './tool-call-assembler.ts';
import { toUsage } from './usage.ts';

/** `no choice`: the provider sent no message at all. `spent`: the output limit was used up before any text. `interrupted`: the provider failed. */
export type ReplyIssue = 'no choice' | 'empty' | 'spent' | 'interrupted' | 'unwritable arguments';

export type ReplyProgress = Extract<ChatProgress, { type: 'text' | 'reasoning' }>;

const KNOWN: ReadonlySet<string> = new Set([
  'role',
  'content',
  'refusal',
  'tool_calls',
  'function_call',
  'reasoning_content',
  'reasoning',
]);
const LENGTH_LIMIT = /^(?:length|max_tokens|max_output_tokens|model_length)$/i;
/** Finish reasons that mean a failure of the provider. */
const INTERRUPTED = /^(?:error|insufficient_system_resource)$/i;

export function createReplyAssembler(
  toolNames: readonly string[],
  onProgress: (progress: ReplyProgress) => void,
) {
  const toolCalls = createToolCallAssembler(toolNames);
  const extraFields = createExtraFields(KNOWN);
  let content = '';
  let reasoning = '';
  let finishReason = '';
  let usage: Usage | undefined;
  let length = 0;
  let hasChoice = false;

  /** Adds one chunk; returns the provider's error if the chunk contains one. */
  function add(chunk: JsonRecord): unknown {
    if (isError(chunk.error)) return chunk.error;
    const choice = firstChoice(chunk.choices);
    // Moonshot counts inside the choice, Groq in its own field.
    const groq = isObject(chunk.x_groq) ? chunk.x_groq.usage : undefined;
    usage = toUsage(chunk.usage) ?? toUsage(choice?.usage) ?? toUsage(groq) ?? usage;
    if (choice === undefined) return undefined;
    hasChoice = true;
    if (isError(choice.error)) return choice.error;
    if (isObject(choice.delta)) addMessage(choice.delta, false);
    else if (isObject(choice.message)) addMessage(choice.message, true);
    finishReason = textIn(choice.finish_reason) || finishReason;
    return undefined;
  }

  function addMessage(message: JsonRecord, isWhole: boolean): void {
    const thought = textIn(message.reasoning_content) || textIn(message.reasoning);
    if (thought !== '') {
      reasoning += thought;
      length += thought.length;
      onProgress({ type: 'reasoning', text: thought });
    }
    const text = textOfContent(message.content) + textIn(message.refusal);
    if (text !== '') {
      content += text;
      length += text.length;
      onProgress({ type: 'text', text });
    }
    if (hasEntries(message.tool_calls)) toolCalls.add(message.tool_calls, isWhole);
    else if (isObject(message.function_call))
      toolCalls.add({ index: 0, function: message.function_call }, isWhole);
    length += extraFields.add(message);
  }

  function toReply(): ModelReply | ReplyIssue {
    if (!hasChoice) return 'no choice';
    if (toolCalls.isBroken()) return 'unwritable arguments';
    if (INTERRUPTED.test(finishReason)) return 'interrupted';
    const isCutByLength = LENGTH_LIMIT.test(finishReason);
    const calls = toolCalls.toCalls(isCutByLength);
    const isEmpty = content === '' && reasoning === '' && calls.length === 0;
    if (isEmpty && finishReason !== 'content_filter') return isCutByLength ? 'spent' : 'empty';
    return {
      content,
      toolCalls: calls,
      reasoning: reasoning === '' ? undefined : reasoning,
      finishReason: isCutByLength ? 'length' : finishReason || (calls.length > 0 ? 'tool_calls' : 'stop'),
      extra: extraFields.toRecord(),
      usage,
    };
  }

  return {
    add,
    toReply,
    /** The model gave its finish reason: the reply is complete. */
    hasFinished: (): boolean => finishReason !== '',
    hasUsage: (): boolean => usage !== undefined,
    /** Characters received so far. */
    length: (): number => length + toolCalls.length(),
  };
}

function isError(value: unknown): boolean {
  return isObject(value) || (typeof value === 'string' && value !== '');
}

/** We request one choice; of several, the first is used. */
function firstChoice(choices: unknown): JsonRecord | undefined {
  if (!Array.isArray(choices)) return undefined;
  const found: unknown = choices.find((choice) => isObject(choice) && Number(choice.index ?? 0) === 0);
  return isObject(found) ? found : undefined;
}

function textOfContent(content: unknown): string {
  if (!Array.isArray(content)) return textIn(content);
  return content
    .map((part) => (isObject(part) ? textIn(part.text) || textIn(part.refusal) : textIn(part)))
    .join('');
}

function hasEntries(toolCalls: unknown): boolean {
  return Array.isArray(toolCalls) ? toolCalls.length > 0 : isObject(toolCalls);
}

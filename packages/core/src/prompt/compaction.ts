/**
 * Making room inside a node: whole old tool groups (a reply with tool calls and their answers) are put into a few words.
 * Never a half group: providers refuse a call without its answer.
 */
import type { ChatMessage, UserMessage, WireToolCall } from '../llm/wire.ts';

/**
 * Messages in which the first `count` tool groups are told instead of shown, and in which no user text is longer than
 * `textChars`.
 */
export function compactGroups(
  messages: readonly ChatMessage[],
  count: number,
  textChars = Number.POSITIVE_INFINITY,
): ChatMessage[] {
  const compacted: ChatMessage[] = [];
  let told: string[] = [];
  let left = count;
  const flush = (): void => {
    if (told.length > 0) addUserText(compacted, ['EARLIER_IN_THIS_NODE', ...told].join('\n'));
    told = [];
  };
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index];
    if (message?.role !== 'assistant' || !message.tool_calls || left === 0) {
      flush();
      if (message?.role === 'user') addUserText(compacted, message.content);
      else if (message) compacted.push(message);
      continue;
    }
    left--;
    if (message.content) told.push(`- you said: ${shorten(message.content, 200)}`);
    for (const call of message.tool_calls) {
      const answer = messages[++index];
      told.push(
        `- ${describeCall(call)}: ${answer?.role === 'tool' ? describeAnswer(answer.content) : 'no answer'}`,
      );
    }
  }
  flush();
  return compacted.map((message) => (message.role === 'user' ? shortenText(message, textChars) : message));
}

/** How many of the oldest groups must go to free so many bytes; the newest `kept` stay. */
export function groupsToCompact(
  messages: readonly ChatMessage[],
  bytesOf: (message: ChatMessage) => number,
  { bytesToFree, kept }: { bytesToFree: number; kept: number },
): number {
  const sizes = groupSizes(messages, bytesOf);
  let freed = 0;
  let count = 0;
  for (const size of sizes.slice(0, Math.max(0, sizes.length - kept))) {
    if (freed >= bytesToFree) break;
    freed += size;
    count++;
  }
  return count;
}

function groupSizes(messages: readonly ChatMessage[], bytesOf: (message: ChatMessage) => number): number[] {
  const sizes: number[] = [];
  for (const message of messages) {
    if (message.role === 'assistant' && message.tool_calls) sizes.push(bytesOf(message));
    else if (message.role === 'tool' && sizes.length > 0) sizes.push((sizes.pop() ?? 0) + bytesOf(message));
  }
  return sizes;
}

/** Beginning and end are kept: an anchor begins a message, the person's last words end it. */
function shortenText(message: UserMessage, chars: number): UserMessage {
  const { content } = message;
  if (content.length <= chars) return message;
  const head = Math.ceil(chars * 0.7);
  const left = content.length - chars;
  const tail = content.slice(content.length - (chars - head));
  return { role: 'user', content: `${content.slice(0, head)}\n… (${left} characters left out)\n${tail}` };
}

/** Many chat templates want users and assistants to take turns: what is said twice in a row is said at once. */
export function addUserText(messages: ChatMessage[], text: string): void {
  const last = messages.at(-1);
  if (last?.role === 'user')
    messages[messages.length - 1] = { role: 'user', content: `${last.content}\n\n${text}` };
  else messages.push({ role: 'user', content: text });
}

function describeCall({ function: { name, arguments: text } }: WireToolCall): string {
  const args = parseObject(text);
  const told = args?.path ?? args?.query ?? args?.nodeId;
  return typeof told === 'string' ? `${name} ${shorten(told, 200)}` : `${name} ${shorten(text, 80)}`;
}

function describeAnswer(content: string): string {
  const answer = parseObject(content);
  if (answer?.ok === true) return 'ok';
  const { code } = { ...(answer?.error as { code?: unknown } | undefined) };
  return typeof code === 'string' ? `refused, ${code}` : 'answered';
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function shorten(text: string, length: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > length ? `${line.slice(0, length)}…` : line;
}

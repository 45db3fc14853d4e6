/**
 * Compares requests of a recording and of a replay: ids, hashes, dates, durations, and facts of the prompt that depend on
 * the day and the machine are ignored, everything else counts. Also describes the first difference. Pure.
 */
import { isObject, parseObject } from '@crewagent/protocol/json-object';
import { createTwoFilesPatch } from 'diff';
import { sha256Of } from '../../base/sha256.ts';
import type { ChatMessage, ChatRequest } from '../wire.ts';

/** A request without the values that vary between runs. */
export interface ComparableRequest {
  readonly messages: readonly string[];
  readonly tools: string;
  /** Equal for equivalent requests. */
  readonly hash: string;
}

export function toComparable({ messages, tools }: ChatRequest): ComparableRequest {
  const scrub = createScrubber();
  const callId = createNumbering('call');
  const texts = messages.map((message) => scrub(toCanonical(withoutVarying(message, callId))));
  const toolText = scrub(toCanonical(tools));
  return { messages: texts, tools: toolText, hash: sha256Of([...texts, toolText].join('\n')) };
}

/**
 * Where in a run a request is, whatever the texts say: the node, and who said something or called a tool in it. Equal for a request of a
 * package whose texts were edited since.
 */
export function toOutline({ messages }: Pick<ChatRequest, 'messages'>): string {
  const start = messages.findLastIndex(({ role, content }) => role === 'user' && content?.includes(BRIEF));
  const node = /^currentNodeId: (.*)$/m.exec(messages[start]?.content ?? '')?.[1] ?? '';
  const since = messages.slice(Math.max(start, 0)).map((message) => {
    const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
    return [message.role, ...calls.map((call) => call.function.name)].join(' ');
  });
  return [node, ...since].join('\n');
}

const BRIEF = 'NODE_BRIEF\n';

export interface Difference {
  /** From 0, including the system message; undefined if only the tools differ. */
  readonly message?: number;
  readonly role?: string;
  readonly sentence: string;
  /** Unified diff, bounded. */
  readonly diff: string;
}

/** The first difference between a recorded request and the current one. */
export function findDifference(recorded: ComparableRequest, now: ComparableRequest): Difference {
  const count = Math.max(recorded.messages.length, now.messages.length);
  for (let index = 0; index < count; index++) {
    const [before, after] = [recorded.messages[index], now.messages[index]];
    if (before === after) continue;
    const role = roleOf(after ?? before);
    return {
      message: index,
      role,
      sentence: describeDifference(index, role, before, after),
      diff: diffOf(before, after),
    };
  }
  return { sentence: 'the tools differ', diff: diffOf(recorded.tools, now.tools) };
}

const VARYING =
  /(?<uuid>(?<![0-9a-f-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f-]))|(?<sha>(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f]))|(?<time>(?<!\d)\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)|(?!\d)))|(?<=durationMs\\*":)(?<duration>\d+)|(?<=(?:project_name|directory_name|user_name|communication_language|document_output_language)(?:\\*")?:)(?<fact> ?(?:\\*")?[^"\\]*(?:\\*")?)/gi;

/** Facts about the machine and the person, at the beginning of the BACKGROUND of a prompt. */
const BACKGROUND_FACTS =
  /(?<=^BACKGROUND\n)(?:- (?:date|project|user|language|document language): .*(?:\n|$))+/m;

/** Ids and hashes are numbered in order of appearance, so that equal ones stay equal. */
function createScrubber(): (text: string) => string {
  const [uuid, sha] = [createNumbering('uuid'), createNumbering('sha256')];
  return (text) =>
    text.replace(VARYING, (whole: string, ...rest: unknown[]) => {
      const groups = rest.at(-1) as Readonly<Record<string, string | undefined>>;
      if (groups.uuid !== undefined) return uuid(whole.toLowerCase());
      if (groups.sha !== undefined) return sha(whole.toLowerCase());
      if (groups.fact !== undefined) return '<fact>';
      return groups.time === undefined ? '0' : '<time>';
    });
}

function createNumbering(kind: string): (name: string) => string {
  const known = new Map<string, string>();
  return (name) => {
    const number = known.get(name) ?? `<${kind}-${known.size + 1}>`;
    known.set(name, number);
    return number;
  };
}

function withoutVarying(message: ChatMessage, callId: (id: string) => string): unknown {
  if (message.role === 'system')
    return { ...message, content: message.content.replace(BACKGROUND_FACTS, '<facts>\n') };
  if (message.role === 'tool') return { ...message, tool_call_id: callId(message.tool_call_id) };
  if (message.role !== 'assistant' || !message.tool_calls) return message;
  return { ...message, tool_calls: message.tool_calls.map((call) => ({ ...call, id: callId(call.id) })) };
}

/** The order of keys is ignored. */
function toCanonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

function roleOf(message: string | undefined): string {
  const role = parseObject(message ?? '')?.role;
  return typeof role === 'string' ? role : 'unknown';
}

function describeDifference(
  index: number,
  role: string,
  before: string | undefined,
  after: string | undefined,
): string {
  if (before === undefined) return `message ${index} (${role}) is not in the recording`;
  if (after === undefined) return `message ${index} (${role}) of the recording is missing`;
  return `message ${index} (${role}) differs`;
}

const MAX_DIFF_BYTES = 4_096;
const DIFF_OPTIONS = { context: 2, timeout: 500 };

function diffOf(before: string | undefined, after: string | undefined): string {
  const [old, current] = [toLines(before), toLines(after)];
  const patch = createTwoFilesPatch('recorded', 'now', old, current, undefined, undefined, DIFF_OPTIONS);
  if (patch === undefined) return `recorded: ${before?.length ?? 0} characters, now: ${after?.length ?? 0}`;
  if (Buffer.byteLength(patch) <= MAX_DIFF_BYTES) return patch;
  const mark = '\n… (cut)\n';
  const room = MAX_DIFF_BYTES - Buffer.byteLength(mark);
  // A character that was cut in two is dropped.
  return (
    Buffer.from(patch)
      .subarray(0, room)
      .toString('utf8')
      .replace(/\uFFFD+$/, '') + mark
  );
}

const LINE_CHARS = 160;

/** A message formatted for people: nested JSON is expanded, long lines are wrapped. */
function toLines(canonical: string | undefined): string {
  if (canonical === undefined) return '';
  const value: unknown = JSON.parse(canonical);
  const spread = JSON.stringify(unfold(value), null, 2).replaceAll('\\n', '\n');
  return `${spread.replace(new RegExp(`.{${LINE_CHARS}}(?=.)`, 'g'), '$&\n')}\n`;
}

function unfold(value: unknown): unknown {
  if (typeof value === 'string') {
    const inner = parseObject(value);
    return inner === undefined ? value : unfold(inner);
  }
  if (Array.isArray(value)) return value.map(unfold);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, unfold(part)]));
}

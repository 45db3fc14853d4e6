/**
 * Reads a request as a model does: the node, its step and what happened since, from nothing but the text. Undefined where no
 * node is active.
 */
import { parse } from 'yaml';
import type { ChatMessage } from '../../llm/wire.ts';

export interface RequestText {
  readonly nodeId: string;
  readonly type: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly ways: readonly { readonly to: string; readonly label: string; readonly isDefault: boolean }[];
  /** Keys of the step's frontmatter with a text as value. */
  readonly keys: Readonly<Record<string, string>>;
  /** Values for what the step sets. */
  readonly variables: Readonly<Record<string, string>>;
  readonly isHalting: boolean;
  readonly menu: readonly { readonly code: string; readonly words: string }[];
  /** The step that the prose says to load. */
  readonly nextFile: string | undefined;
  readonly calls: readonly { readonly name: string; readonly isOk: boolean }[];
  /** Headings that the last refusal asked for; empty after the file was written again. */
  readonly missingHeadings: readonly string[];
  /** What the person said or answered in this node. */
  readonly said: readonly string[];
  /** Replies since they last did. */
  readonly afterLastInput: number;
}

function findMissingHeadings(messages: readonly ChatMessage[]): string[] {
  const results = messages.flatMap(({ role, content }) => (role === 'tool' ? [content ?? ''] : []));
  const refused = results.findLastIndex((text) => text.includes('E_OUTPUT_INCOMPLETE'));
  if (refused < 0 || results.slice(refused).some((text) => text.includes('sha256After'))) return [];
  const [, list = ''] = /lacks the headings? ((?:\\"[^"\\]*\\"(?:, )?)+)/.exec(results[refused] ?? '') ?? [];
  return [...list.matchAll(/\\"([^"\\]*)\\"/g)].map(([, heading = '']) => heading);
}

export function readRequest(messages: readonly ChatMessage[]): RequestText | undefined {
  const start = messages.findLastIndex(
    (message) => message.role === 'user' && message.content.includes('\nSTEP_FILE @pkg/'),
  );
  if (start === -1) return undefined;
  const texts = messages
    .slice(start)
    .flatMap(({ role, content }) => (role === 'user' ? [content ?? ''] : []));
  const brief =
    texts
      .findLast((text) => text.includes('NODE_BRIEF\n'))
      ?.split('NODE_BRIEF\n')
      .at(-1) ?? '';
  const step = /\nSTEP_FILE @pkg\/\S+\n([\s\S]*?)\nEND_STEP_FILE/.exec(texts[0] ?? '')?.[1] ?? '';
  const [, head = '', body = ''] = /^---\n([\s\S]*?)\n---\n?([\s\S]*)$/.exec(step) ?? [];
  const matter = (parse(head) ?? {}) as Record<string, unknown>;
  const names = Array.isArray(matter.setsVariables) ? matter.setsVariables.map(String) : [];
  const keys = Object.fromEntries(
    Object.entries(matter).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
  const menu = findMenu(body);
  return {
    nodeId: lineOf(brief, 'currentNodeId'),
    missingHeadings: findMissingHeadings(messages.slice(start)),
    type: lineOf(brief, 'type'),
    inputs: listOf(brief, 'inputsMap').map(afterArrow),
    outputs: listOf(brief, 'outputsMap').map(afterArrow),
    ways: listOf(brief, 'allowedNext').map((line) => ({
      to: line.split(' ')[0] ?? '',
      label: /label=("(?:[^"\\]|\\.)*"|[^,)]*)/.exec(line)?.[1]?.replaceAll('"', '') ?? '',
      isDefault: /, default\b/.test(line),
    })),
    keys,
    variables: Object.fromEntries(names.map((name) => [name, `the-${name}`])),
    isHalting:
      menu.length > 0 || /\b(?:HALT|WAIT)\b|\bwait for (?:the )?(?:user|person)|<ask>|等待/.test(body),
    menu,
    nextFile: /`?(\.\/[\w./-]*step[\w.-]*\.md)`?/.exec(body)?.[1] ?? keys.nextStepFile,
    ...readSince(messages.slice(start)),
  };
}

function readSince(messages: readonly ChatMessage[]): Pick<RequestText, 'calls' | 'said' | 'afterLastInput'> {
  const names = new Map<string, string>();
  const calls: { name: string; isOk: boolean }[] = [];
  const said: string[] = [];
  let afterLastInput = 0;
  const hear = (words: string): void => {
    said.push(words.trim());
    afterLastInput = 0;
  };
  for (const message of messages) {
    if (message.role === 'assistant') {
      afterLastInput++;
      for (const { id, function: made } of message.tool_calls ?? []) names.set(id, made.name);
    } else if (message.role === 'user') {
      const words = message.content.split(/(?:^|\n)USER_INPUT\n- forNodeId: .*\n/).slice(1);
      for (const text of words) hear(text);
    } else if (message.role === 'tool') {
      const name = names.get(message.tool_call_id) ?? '';
      const result = JSON.parse(message.content) as { ok: boolean; answers?: Record<string, unknown> };
      calls.push({ name, isOk: result.ok });
      if (name === 'ui_ask_user' && result.ok) hear(toWords(Object.values(result.answers ?? {})[0]));
    }
  }
  return { calls, said, afterLastInput };
}

/** The letter, where the answer is a line of the menu. */
function toWords(answer: unknown): string {
  const text = String(answer);
  return /^\[(\w{1,2})\]/.exec(text)?.[1] ?? text;
}

/** `[A] Ask deeper [C] Continue`, in a line or in several. */
function findMenu(body: string): { code: string; words: string }[] {
  const found = new Map<string, string>();
  for (const [, code = '', words = ''] of body.matchAll(/\[([A-Z]{1,2})\]\**\s+([^[\n]*[^[\n\s])/g))
    if (!found.has(code)) found.set(code, words.replaceAll('*', '').trim());
  return found.size < 2 ? [] : [...found].map(([code, words]) => ({ code, words }));
}

function lineOf(brief: string, name: string): string {
  return new RegExp(`^- ${name}: (.*)$`, 'm').exec(brief)?.[1] ?? '';
}

function listOf(brief: string, name: string): string[] {
  const lines = brief.split('\n');
  const start = lines.indexOf(`- ${name}:`);
  if (start === -1) return [];
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => !line.startsWith('  - '));
  return rest.slice(0, end === -1 ? rest.length : end).map((line) => line.slice(4));
}

function afterArrow(line: string): string {
  return line.split(' -> ').at(-1) ?? line;
}

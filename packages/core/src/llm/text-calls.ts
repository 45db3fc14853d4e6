/**
 * Reads tool calls that a model wrote as text instead of making them: JSON with or without a code fence, `<tool_call>`,
 * `[TOOL_CALLS]`, `<function=…>`, `functions.name({…})`. Only a reply that consists of calls, with at most one sentence beside
 * them, is read: a call inside a longer text is a quotation. Pure; takes time in proportion to the text.
 */
import { isObject } from '@crewagent/protocol/json-object';
import { endOfJson, findRepeatedKey, isNestedTooDeep, toStrictJson } from '@crewagent/protocol/json-text';

export interface TextCalls {
  /** The sentence beside the calls; empty if there is none. */
  readonly content: string;
  readonly calls: readonly TextCall[];
}

interface TextCall {
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

/** Undefined unless every call names a tool. */
export function parseTextCalls(text: string, isTool: (name: string) => boolean): TextCalls | undefined {
  const start = BEGIN.exec(text)?.index;
  if (start === undefined) return undefined;
  const read = readCalls(text, start);
  if (!read?.calls.every(({ name }) => isTool(name))) return undefined;
  const before = text.slice(0, start).trim();
  const after = text.slice(read.end).trim();
  if ((before !== '' && after !== '') || !isOneSentence(before + after)) return undefined;
  return { content: before + after, calls: read.calls };
}

/** Where the first call may begin: at a marker, or at the beginning of a line. */
const BEGIN =
  /<tool_call>|<function=|\[TOOL_CALLS\]|<\|python_tag\|>|^[ \t]*(?=```|[{[]|[A-Za-z][\w.-]{0,79}\(\s{0,20}\{)/m;

const MAX_SENTENCE_CHARS = 240;
/** Words of a text that shows or offers a call. */
const NOT_MEANT =
  /[?？>#]|\b(?:example|e\.g|instance|would|could|should|like this|format|syntax|do not|don't|never)\b|例如|示例|格式|比如|如下所示/i;

function isOneSentence(text: string): boolean {
  return text.length <= MAX_SENTENCE_CHARS && !text.includes('\n') && !NOT_MEANT.test(text);
}

interface ReadCalls {
  readonly calls: readonly TextCall[];
  /** Index after the last call. */
  readonly end: number;
}

/** One call after the other, as far as they go. `levels`: how many wrappers may be around them. */
function readCalls(text: string, start: number, levels = 3): ReadCalls | undefined {
  const calls: TextCall[] = [];
  let end = start;
  for (;;) {
    const next = readNext(text, skip(text, end, BETWEEN), levels);
    if (!next) break;
    calls.push(...next.calls);
    end = next.end;
  }
  return calls.length > 0 ? { calls, end } : undefined;
}

const BETWEEN = /[\s,;]*/y;
const BLANKS = /\s*/y;

function readNext(text: string, at: number, levels: number): ReadCalls | undefined {
  for (const [opening, closing] of WRAPPERS) {
    const inside = skip(text, at, opening);
    if (inside === at) continue;
    const read = levels > 0 ? readCalls(text, inside, levels - 1) : undefined;
    if (!read || !closing) return read;
    const close = skip(text, read.end, BLANKS);
    const end = skip(text, close, closing);
    // Models leave out the last closing tag.
    return end > close || close === text.length ? { ...read, end } : undefined;
  }
  return readFunctionTag(text, at) ?? readJson(text, at) ?? readNamed(text, at);
}

/** Opening and closing of what models put around their calls. */
const WRAPPERS: readonly (readonly [RegExp, RegExp?])[] = [
  [/```[\w-]{0,20}[ \t]*\n?/y, /```/y],
  [/<tool_call>/y, /<\/tool_call>/y],
  [/\[TOOL_CALLS\]/y],
  [/<\|python_tag\|>/y],
];

/** `<function=name>` with a JSON object or with `<parameter=name>` elements. */
function readFunctionTag(text: string, at: number): ReadCalls | undefined {
  const [tag, name = ''] = match(text, at, /<function=["']?([\w.-]{1,80})["']?>\s*/y) ?? [];
  if (tag === undefined) return undefined;
  let end = at + tag.length;
  const json = readObject(text, end);
  const parameters: Record<string, string> = {};
  if (json) end = json.end;
  else {
    for (;;) {
      const [opening, key = ''] = match(text, end, /\s*<parameter=["']?([\w.-]{1,80})["']?>\r?\n?/y) ?? [];
      if (opening === undefined) break;
      const close = text.indexOf('</parameter>', end);
      if (close === -1 || Object.hasOwn(parameters, key)) return undefined;
      parameters[key] = text.slice(end + opening.length, close).replace(/\r?\n$/, '');
      end = close + '</parameter>'.length;
    }
  }
  const [closing] = match(text, end, /\s*<\/function>/y) ?? [];
  if (closing === undefined && text.slice(end).trim() !== '') return undefined;
  const call = { name, arguments: json?.text ?? JSON.stringify(parameters) };
  return { calls: [call], end: closing === undefined ? text.length : end + closing.length };
}

/** `functions.name({…})`, and `name[ARGS]{…}` as Mistral writes it after its marker. */
function readNamed(text: string, at: number): ReadCalls | undefined {
  const [start, name = '', bracket] = match(text, at, /([A-Za-z][\w.-]{0,79})(\(|\[ARGS\]|(?=\{))\s*/y) ?? [];
  if (start === undefined) return undefined;
  const json = readObject(text, at + start.length);
  if (!json) return undefined;
  const [closing] = bracket === '(' ? (match(text, json.end, /\s*\)/y) ?? []) : [''];
  if (closing === undefined) return undefined;
  return { calls: [{ name, arguments: json.text }], end: json.end + closing.length };
}

/** `{"name": …, "arguments": {…}}` in its variants, or a list of these. */
function readJson(text: string, at: number): ReadCalls | undefined {
  const json = readValue(text, at);
  const calls = json && toCalls(json.value);
  return calls && calls.length > 0 ? { calls, end: json.end } : undefined;
}

function readObject(text: string, at: number): { readonly text: string; readonly end: number } | undefined {
  const json = text[at] === '{' ? readValue(text, at) : undefined;
  return json && { text: json.text, end: json.end };
}

function readValue(text: string, at: number) {
  if (text[at] !== '{' && text[at] !== '[') return undefined;
  const end = endOfJson(text, at);
  if (end === undefined) return undefined;
  const json = toStrictJson(text.slice(at, end));
  if (isNestedTooDeep(json)) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    // Of two values for one key it is not certain which is meant.
    return findRepeatedKey(json) === undefined ? { text: json, value, end } : undefined;
  } catch {
    return undefined;
  }
}

const NAME_KEYS = ['name', 'tool', 'tool_name', 'function'] as const;
const ARGUMENT_KEYS = ['arguments', 'parameters', 'args', 'input'] as const;
const OTHER_KEYS: readonly string[] = ['id', 'type', 'index'];

function toCalls(value: unknown): readonly TextCall[] | undefined {
  if (Array.isArray(value)) {
    const lists = value.map((item: unknown) => (isObject(item) ? toCalls(item) : undefined));
    return lists.every((list) => list !== undefined) ? lists.flat() : undefined;
  }
  if (!isObject(value)) return undefined;
  const keys = Object.keys(value).filter((key) => !OTHER_KEYS.includes(key));
  if (keys.length === 1 && Array.isArray(value.tool_calls)) return toCalls(value.tool_calls);
  if (keys.length === 1 && isObject(value.function)) return toCalls(value.function);
  const nameKey = NAME_KEYS.find((key) => typeof value[key] === 'string');
  const argumentKey = ARGUMENT_KEYS.find((key) => key in value);
  if (nameKey === undefined || argumentKey === undefined || keys.length !== 2) return undefined;
  const args = value[argumentKey];
  if (typeof args !== 'string' && !isObject(args)) return undefined;
  return [
    { name: String(value[nameKey]), arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  ];
}

function skip(text: string, at: number, pattern: RegExp): number {
  return at + (match(text, at, pattern)?.[0].length ?? 0);
}

/** `pattern` is sticky: it matches at this index only. */
function match(text: string, at: number, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/**
 * The lines of a method that mean something: `Waits.`, `Produces: path`, `→ Heading (when …)`, in English and Chinese, with
 * half-width or full-width punctuation. Pure.
 */
import { isObject } from '@crewagent/protocol/json-object';
import { parseFullYaml } from '../../workflow/full-yaml.ts';
import { findSimilar } from '../findings/similar-name.ts';

export type KeywordKind =
  | 'edge'
  | 'choose'
  | 'end'
  | 'waits'
  | 'produces'
  | 'reads'
  | 'sets'
  | 'agent'
  | 'verify';

export interface Keyword {
  readonly kind: KeywordKind;
  /** What follows the colon or the arrow. */
  readonly value: string;
  /** What a step waits for. */
  readonly wait?: 'message' | 'choice' | 'approval' | undefined;
}

/** Longer lines are prose. Bounds the time of the expressions. */
const MAX_LINE = 2_000;

const KEYWORDS: readonly (readonly [KeywordKind, RegExp])[] = [
  ['edge', /^(?:→|⇒|->|=>)\s*(\S.*)$/],
  ['choose', /^(?:###+\s*)?(?:choose|选择)\s*[:：]?$/i],
  ['end', /^(?:end|结束)[.。]$/i],
  ['produces', /^(?:produces|产出)\s*[:：]\s*(\S.*)$/i],
  ['reads', /^(?:reads|读取)\s*[:：]\s*(\S.*)$/i],
  ['sets', /^(?:sets|设置)\s*[:：]\s*(\S.*)$/i],
  ['agent', /^(?:agent|角色)\s*[:：]\s*(\S.*)$/i],
  ['verify', /^(?:verify|核验)\s*[:：]\s*(\S.*)$/i],
];

const WAITS =
  /^(?:waits|等待)(?:\s*(?:for\s+)?(?:an?\s+)?(message|choice|approval|回复|选择|批准))?\s*(?:[:：]\s*(\S.*?))?[.。]?$/i;
const WAITED = { message: 'message', choice: 'choice', approval: 'approval' } as const;
const WAITED_ZH = { 回复: 'message', 选择: 'choice', 批准: 'approval' } as const;

export function toKeyword(line: string): Keyword | undefined {
  if (line.length > MAX_LINE) return undefined;
  const text = line.trimEnd();
  for (const [kind, form] of KEYWORDS) {
    const found = form.exec(text);
    if (found) return { kind, value: kind === 'edge' ? (found[1] ?? '') : toPlain(found[1] ?? '') };
  }
  const [isWait, what = '', value = ''] = WAITS.exec(text) ?? [];
  if (isWait === undefined) return undefined;
  const known: Readonly<Record<string, Keyword['wait']>> = { ...WAITED, ...WAITED_ZH };
  return { kind: 'waits', value, wait: known[what.toLowerCase()] };
}

const RESEMBLING: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:wait|waiting)(?:\s*(?:for\s+)?(?:an?\s+)?(?:message|choice|approval))?\s*(?:[:：].*)?[.。]?$/i,
    'Waits.',
  ],
  [/[.?!]\s+Waits\.$/, 'Waits.'],
  [/[。？！]\s*等待。$/, '等待。'],
  [/^(?:the\s+)?(?:end|结束)$/i, 'End.'],
  [/^(?:produces|产出)\s+`?[^\s:：]+[./][^\s:：]+$/i, 'Produces: path'],
  [/^(?:reads|读取)\s+`?[^\s:：]+[./][^\s:：]+$/i, 'Reads: path'],
  [/^##[^#\s]/, '## Heading'],
];
const NAMED = { Produces: 'path', Reads: 'path', Sets: 'name', Agent: 'name', Verify: 'command' } as const;

/** The line that was probably meant by one that is none of the above, such as "Wait." or "Produce: path". */
export function findMeant(line: string): string | undefined {
  if (line.length > 200) return undefined;
  const text = line.trimEnd();
  const [, word] = /^([A-Za-z]{3,12})\s*[:：]\s*\S/.exec(text) ?? [];
  const name = word && findSimilar(word, Object.keys(NAMED));
  if (name) return `${name}: ${NAMED[name as keyof typeof NAMED]}`;
  return RESEMBLING.find(([form]) => form.test(text))?.[1];
}

/** Without the backticks and the full stop around a path or a command. */
function toPlain(value: string): string {
  return value
    .trim()
    .replace(/[.。]$/, '')
    .replace(/^`(.*)`$/, '$1');
}

/** The text of an item of a list. */
export function toItem(line: string): string | undefined {
  return line.length > MAX_LINE ? undefined : /^\s{0,8}[-*+]\s+(\S.*)$/.exec(line)?.[1]?.trimEnd();
}

export interface Target {
  /** What leads there, before the arrow. */
  readonly label: string | undefined;
  readonly heading: string;
  /** After "when". */
  readonly condition: string | undefined;
  /** Marked as what is taken if nothing else fits. */
  readonly isOtherwise: boolean;
}

const ARROW = /^(.*?\S)\s*(?:→|⇒|->|=>)\s*(\S.*)$/;
const CONDITION =
  /^(.*?\S)\s*[(（]\s*(?:(?:when|if|当|若|如果)[\s:：]*(\S.*?)|(otherwise|default|否则|默认))\s*[)）][.。]?$/i;

/** `Label → Heading (when …)`; label and condition may be missing. */
export function toTarget(text: string): Target {
  const [, rest = text, condition, otherwise] = CONDITION.exec(text) ?? [];
  const [, label, heading = rest] = ARROW.exec(rest) ?? [];
  return { label: label?.replace(/[:：]$/, ''), heading, condition, isOtherwise: otherwise !== undefined };
}

/** `name = value` as an expression over the variables; other conditions are for the model to judge. */
export function toExpression(condition: string): { text: string; expr?: Record<string, unknown> } {
  const [, name, value] =
    /^([A-Za-z_]\w{0,99})\s*={1,2}\s*["'“‘]?([^"'”’=]{1,200}?)["'”’]?$/.exec(condition) ?? [];
  if (name === undefined || value === undefined) return { text: condition };
  return {
    text: `variables.${name} == '${value}'`,
    expr: { '==': [{ var: `variables.${name}` }, value] },
  };
}

/** Names of a list in prose, or in YAML if a name has a comma. */
export function toNames(value: string): string[] {
  const parsed = toYaml(value);
  if (Array.isArray(parsed)) return parsed.map(String);
  return value
    .split(/[,，、;；]/)
    .map((name) => toPlain(name).replace(/^["'“](.*)["'”]$/, '$1'))
    .filter((name) => name !== '');
}

const FIELD_NAMES: Readonly<Record<string, string>> = {
  标题: 'headings',
  最少字数: 'minWords',
  列: 'columns',
  包含: 'contains',
  不含: 'notContains',
  数量: 'count',
  改动: 'change',
  结构: 'schema',
  可选: 'optional',
  必读: 'read',
  询问: 'ask',
};
const LISTS: ReadonlySet<string> = new Set(['headings', 'columns', 'contains', 'notContains']);

/** `minWords: 120` under "Produces" or "Reads": a key of the format with its value. Undefined if it is none. */
export function toField(item: string): { key: string; value: unknown } | undefined {
  const [, name = '', written = ''] = /^([\p{L}]{1,40})\s*[:：]\s*(\S.*)$/u.exec(item) ?? [];
  if (name === '') return undefined;
  const key = FIELD_NAMES[name] ?? name;
  if (key === 'headings') return { key, value: toHeadings(written) };
  if (LISTS.has(key)) return { key, value: toNames(written) };
  const parsed = toYaml(written);
  if (key === 'optional') return { key, value: parsed === '是' ? true : parsed };
  if (key === 'read') return { key, value: 'required' };
  return { key, value: parsed };
}

/** A list, or `from assets/template.md`. */
function toHeadings(written: string): unknown {
  const [, from] = /^(?:from|取自)\s+`?([^`\s]+?)`?$/i.exec(written) ?? [];
  if (from !== undefined) return { from };
  const parsed = toYaml(written);
  return isObject(parsed) ? parsed : toNames(written);
}

/** Most values are plain; the parser is for lists and maps. */
function toYaml(written: string): unknown {
  if (/^[\d０-９]{1,9}$/.test(written)) return Number(written.normalize('NFKC'));
  if (written === 'true' || written === 'false') return written === 'true';
  if (!/^[[{"']/.test(written)) return written;
  const parsed = parseFullYaml(`value: ${written}`);
  return parsed.ok ? parsed.value.value : written;
}

/**
 * Finds where a step waits for a person: a letter menu, a halt, a question of a classic instruction, or prose that says to ask.
 * Questions under a condition do not count, since a run may never get to them. Pure.
 */
import type { Certainty } from '@crewagent/protocol/import-report';
import type { WrittenProof } from '@crewagent/protocol/proof';
import { type ScopedLine, toScopedLines } from './line-conditions.ts';
import { findLetter } from './step-moves.ts';

export interface FoundWait {
  readonly waits: NonNullable<WrittenProof['waits']>;
  readonly certainty: Certainty;
  /** Index of the line, from 0. */
  readonly index: number;
  readonly text: string;
}

export function findWait(body: string): FoundWait | undefined {
  const lines = toScopedLines(body).filter(({ text }) => text.length <= 4_000);
  return findMenu(lines) ?? findHalt(lines) ?? findAsk(body, lines) ?? findQuestion(lines);
}

const OPTION = /\[([A-Z]{1,2})\](?=[*_)\s:：-]*[^\s\]])/g;
const MENU_LINE = /\b(?:select|choose|choice|display|options?|menu|pick|show)\b|请选择/i;

/** Letters in brackets that the text offers: where a menu begins, at the start of lines, or with a rule for each. */
function findMenu(lines: readonly ScopedLine[]): FoundWait | undefined {
  const handled = new Map(lines.map((line) => [findLetter(line.text), line]));
  const options = new Map<string, ScopedLine>();
  for (const line of lines) {
    // Items of task lists, and rows of tables.
    if (line.text.length > 1_000 || /^\s*[-*]\s+\[[Xx]\]|^\s*\|/.test(line.text)) continue;
    let isOffered = false;
    for (const { 1: code = '', index } of line.text.matchAll(OPTION)) {
      const before = line.text.slice(0, index);
      const isRule = ![undefined, line].includes(handled.get(code)) && !isQuoted(line.text);
      isOffered ||= /^[\s>"“'*_-]*$/.test(before) || MENU_LINE.test(before) || isRule;
      if (isOffered && !options.has(code)) options.set(code, line);
    }
  }
  const codes = [...options.keys()];
  const [first] = options.values();
  const isMenu =
    codes.some((code) => handled.has(code)) ||
    (codes.length > 1 && MENU_LINE.test(first?.text ?? '')) ||
    lines.some(isHalt);
  if (!first || !isMenu) return undefined;
  return { waits: { for: 'choice', options: codes }, certainty: 'exact', ...at(first) };
}

const HALT =
  /\bhalts? and (?:wait|give|ask|let|present|show)|\b(?:stop|pause) and wait\b|\bwait(?:s|ing)? for (?:the |your |their |an? |exact |explicit )*(?:user|person|human|confirmation|response|reply|answers?|input|selection|approval|choice|decision|me|them)\b|\bpause for (?:the |your |user |human )*(?:feedback|approval|confirmation|review|input)\b|\bget (?:the |your |explicit )*(?:user|person|human|human partner)(?:'s)? (?:approval|confirmation|sign-?off)\b|等待用户|等待(?:回答|回复|答复|选择)/i;
const NEGATED = /\b(?:without|do not|don't|never|not|no)\b/i;

/** A negation in the same clause is one of the halt. */
function isHalt({ text, applies }: ScopedLine): boolean {
  const { index } = HALT.exec(text) ?? /\bWAIT\b/.exec(text) ?? {};
  if (index === undefined || applies === 'sometimes' || isQuoted(text)) return false;
  return !NEGATED.test(
    text
      .slice(0, index)
      .split(/[.,;:!—–]/)
      .at(-1) ?? '',
  );
}

function findHalt(lines: readonly ScopedLine[]): FoundWait | undefined {
  const line = lines.find(isHalt);
  return line && { waits: true, certainty: 'exact', ...at(line) };
}

/** `<ask>` outside of every `<check>`; numbered answers are options. */
function findAsk(body: string, lines: readonly ScopedLine[]): FoundWait | undefined {
  const line = lines.find(({ text, applies }) => applies === 'always' && /<ask[\s>]/.test(text));
  if (!line) return undefined;
  const rest = body.split('\n').slice(line.index).join('\n');
  const question = rest.slice(rest.indexOf('<ask'), rest.indexOf('</ask>') >>> 0);
  const options = [...question.matchAll(/^[ \t]*(\d{1,2})[.)]\s/gm)].map(([, number = '']) => number);
  const waits = options.length > 1 ? { for: 'choice' as const, options: [...new Set(options)] } : true;
  return { waits, certainty: 'exact', ...at(line) };
}

const ASKS =
  /(?:^|[:,;—–]\s+|\band |\bthen )ask\b(?! yourself)(?: up front)?(?::| (?:questions\b|(?:\S{1,20} ){1,3}questions\b|the (?:user|person|team)\b|user\b|them\b|for\b|whether\b|if\b|which\b|what\b|who\b|how\b|(?:one|two|three|five|a few|each)\b[^.]{0,30}\bquestions?\b))|\bconfirm\b[^.]{0,60}\bwith (?:the |your )?(?:user|person|human)\b/i;
const NOT_ASKS =
  /\b(?:do not|don't|never|without|rather than|instead of|headless|if|when|unless|whenever)\b/i;

function findQuestion(lines: readonly ScopedLine[]): FoundWait | undefined {
  let heading = '';
  let isExample = false;
  for (const line of lines) {
    if (/^\s*(?:```|~~~)/.test(line.text)) isExample = !isExample;
    if (/^#{1,6}\s/.test(line.text)) heading = line.text;
    if (isExample) continue;
    if (line.applies === 'sometimes' || /headless/i.test(heading) || isQuoted(line.text)) continue;
    if (toSentences(line.text).some(isRequest)) return { waits: true, certainty: 'inferred', ...at(line) };
  }
  return undefined;
}

function isRequest(sentence: string): boolean {
  const asks = ASKS.exec(sentence);
  return asks !== null && !NOT_ASKS.test(sentence.slice(0, asks.index));
}

function toSentences(text: string): string[] {
  return text
    .replaceAll('**', '')
    .replace(/^[\s>#-]*(?:\d+[.)]\s+)?(?:[^\p{L}\p{N}<{[("'`]{1,8}\s)?/u, '')
    .split(/(?<=[.!?])\s+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => !/^(?:if|when|whenever|unless|otherwise|once)\b/i.test(sentence));
}

/** Words that the step is to say, or a success criterion. */
function isQuoted(text: string): boolean {
  return /^\s*(?:[-*]\s+)?(?:["“>]|❌|✅)/u.test(text);
}

/** A step that shows its result in the conversation. For workflows in which nothing else can be checked. */
export function findPresentation(body: string): FoundWait | undefined {
  const line = toScopedLines(body).find(({ text }) => text.length <= 4_000 && PRESENTS.test(text));
  return line && { waits: true, certainty: 'inferred', ...at(line) };
}

const PRESENTS =
  /\b(?:present|show|report|return|deliver|display)\w*\b[^.]{0,80}\b(?:in chat|inline|in the conversation|to the (?:user|person)|to \{user_name\})/i;

function at({ index, text }: ScopedLine): Pick<FoundWait, 'index' | 'text'> {
  return { index, text: text.trim() };
}

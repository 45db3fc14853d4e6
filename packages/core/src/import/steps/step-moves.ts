/**
 * Finds the successors of a step in its frontmatter and prose: "IF C: … read fully and follow {nextStepFile}" becomes an edge
 * with the letter as label and the sentence as condition. Pure.
 */
import type { Certainty, Evidence } from '@crewagent/protocol/import-report';
import { clip } from '../source/import-notes.ts';
import { cellOf, tableRows } from '../source/markdown-tables.ts';
import type { EdgeDraft } from '../source/package-draft.ts';
import { pathTokens } from '../source/resolve-reference.ts';

export interface StepText {
  readonly file: string;
  readonly body: string;
  /** Number of lines before the body. */
  readonly bodyLine: number;
  /** Whether this is the text of the workflow: an arrow in it describes a sequence of steps, it leads to none. */
  readonly isOverview?: boolean;
  /** Frontmatter keys whose value is a step of the workflow. */
  readonly keys: readonly { readonly key: string; readonly to: string; readonly line: number }[];
  /** Resolves a path in the text to a step; `missing` for a step that is not in the source. */
  resolveStep(written: string): { readonly to: string; readonly isExact: boolean } | 'missing' | undefined;
}

/** An edge from the step. */
export type Move = Omit<EdgeDraft, 'from'>;

interface StepMention {
  readonly to: string;
  readonly key?: string | undefined;
  readonly letter?: string | undefined;
  /** The letter of the heading or list item above. */
  readonly outerLetter?: string | undefined;
  readonly condition?: string | undefined;
  /** Whether nothing in the sentence is a condition. */
  readonly isPlain?: boolean;
  readonly sentence?: string | undefined;
  readonly certainty: Certainty;
  readonly evidence: Evidence;
}

export function findMoves(step: StepText): Move[] {
  const found: StepMention[] = [
    ...step.keys.map(({ key, to, line }) => {
      const evidence = { file: step.file, line, text: key };
      return { to, key, certainty: 'exact' as const, evidence };
    }),
    ...findProse(step),
    ...findTableMoves(step),
  ];
  const targets = new Map<string, StepMention[]>();
  for (const one of found) targets.set(one.to, [...(targets.get(one.to) ?? []), one]);
  return [...targets].map(([to, mentions]) => toMove(to, mentions));
}

const NEXT_COLUMN = /^(?:next(?: step)?|go to|goto|route(?: to)?|load|target|then|destination)$/i;

/** Rows of a table with a column such as "Next step": the other cells are the condition. */
function findTableMoves({ file, body, bodyLine, resolveStep }: StepText): StepMention[] {
  return tableRows(body).flatMap((row): StepMention[] => {
    const written = pathTokens(cellOf(row, NEXT_COLUMN) ?? '')[0]?.written;
    const target = written === undefined ? undefined : resolveStep(written);
    if (target === undefined || target === 'missing') return [];
    const others = row.cells.flatMap((cell, column) => {
      const name = row.header[column] ?? '';
      return cell === '' || NEXT_COLUMN.test(name) ? [] : [{ cell, text: `${name}: ${cell}` }];
    });
    return [
      {
        to: target.to,
        condition: others[0] && clip(others[0].cell, 60),
        sentence: clip(others.map(({ text }) => text).join(', '), 300),
        certainty: 'exact',
        evidence: { file, line: bodyLine + row.line + 1, text: clip(row.text.trim(), 300) },
      },
    ];
  });
}

/** Merges all mentions of one target into one edge: a letter is its label, the sentences are its condition. */
function toMove(to: string, mentions: readonly StepMention[]): Move {
  const first = (field: 'key' | 'letter' | 'outerLetter' | 'condition'): string | undefined =>
    mentions.find((mention) => mention[field] !== undefined)?.[field];
  const [key, condition] = [first('key'), first('condition')];
  const letter = first('letter') ?? first('outerLetter');
  const sentences = new Set(mentions.flatMap(({ sentence }) => sentence ?? []));
  const isPlain = mentions.some(
    (mention) =>
      mention.isPlain && (mention.letter ?? mention.outerLetter ?? mention.condition) === undefined,
  );
  const isExact = mentions.some(({ certainty }) => certainty === 'exact');
  const isMissing = mentions.every(({ certainty }) => certainty === 'dropped');
  return {
    to,
    label:
      letter ??
      (key !== undefined ? toLabel(key) : isPlain || condition === undefined ? toPlainLabel(to) : condition),
    isDefault:
      key === undefined
        ? (letter === 'C' || (isPlain && letter === undefined)) && !isContinueName(to)
        : /^next/i.test(key),
    conditionText: sentences.size === 0 ? undefined : clip([...sentences].slice(0, 3).join(' / '), 600),
    certainty: isMissing ? 'dropped' : isExact ? 'exact' : 'inferred',
    evidence: mentions.map(({ evidence }) => evidence).slice(0, 6),
  };
}

export function isContinueName(id: string): boolean {
  return /(?:continue|resume|continuation)/i.test(id);
}

function toPlainLabel(to: string): string {
  return isContinueName(to) ? 'continue' : 'next';
}

/** `nextStepFile` → `next`, `skipToStepFile` → `skip-to`. */
function toLabel(key: string): string {
  const label = key
    .replace(/_?(?:Step|step)?_?(?:File|file|Path|path)?$/, '')
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase();
  return label || 'next';
}

const VERB =
  /\b(?:load(?:ing)?|read|follow|execute|proceed|go ?(?:to|back|on)|back to|return|continue|jump|route|move|start|restart|repeat|resume|begin|open|hand(?:ed)? off|advance|invoke|exit to|loop back|switch to|turn to)\b/i;
/** "`draft` → step-02.md": an arrow before a step says where to go. */
const ARROW = /(?:→|->|=>)[\s`*[({'"]*$/;
const NEGATED =
  /\b(?:do not|don't|never|not yet|forbidden to|without (?:loading|reading)|instead of)\b(?![^.;]*\b(?:then|will you)\b)|\bnot\s+[`*[({'"]*$/i;
const EXAMPLE = /\b(?:example|e\.g\.|for instance)\b/i;

function findProse(step: StepText): StepMention[] {
  const lines = step.body.split('\n');
  const byKey = new Map(step.keys.map(({ key, to }) => [key, to]));
  return lines.flatMap((text, index): StepMention[] => {
    if (text.length > 4_000 || !(VERB.test(text) || /→|->|=>/.test(text))) return [];
    return pathTokens(text, true).flatMap(({ written, at }): StepMention[] => {
      const key = /^\{([\w-]+)\}$/.exec(written)?.[1];
      const keyed = key === undefined ? undefined : byKey.get(key);
      const target = keyed === undefined ? step.resolveStep(written) : { to: keyed, isExact: true };
      const before = text.slice(0, at);
      const own = before.slice(sentenceStart(before));
      if (
        target === undefined ||
        !(VERB.test(before) || (!step.isOverview && ARROW.test(before))) ||
        NEGATED.test(own) ||
        isExample(lines, index, before)
      )
        return [];
      const above = caseAbove(lines, index);
      const context = contextOf(lines, index);
      const evidence = { file: step.file, line: step.bodyLine + index + 1, text: clip(text.trim(), 300) };
      const found = {
        letter: findLetter(text),
        outerLetter: context && findLetter(context),
        condition: toCondition(text) ?? toLead(text) ?? toCaseLabel(above),
        sentence: toSentence(
          text.length > MAX_SENTENCE ? own + text.slice(at) : text,
          context ?? toLead(text) ?? above,
        ),
        isPlain: above === undefined && !/\b(?:if|when|unless|otherwise|only)\b/i.test(own),
        evidence,
      };
      if (target === 'missing') return [{ to: written, certainty: 'dropped', ...found }];
      const certainty = target.isExact ? 'exact' : 'inferred';
      return [{ to: target.to, key: keyed && key, certainty, ...found }];
    });
  });
}

/** Where the sentence begins that a text ends in. */
export function sentenceStart(before: string): number {
  const end = [...before.matchAll(/(?:[.!?]["')*`]{0,3}\s+(?=["'(*`[]{0,3}[\p{Lu}\d])|;\s)/gu)].at(-1);
  return end ? end.index + end[0].length : 0;
}

/** "**bad_spec** — …": the name of a case. */
function toLead(text: string): string | undefined {
  return /^\s*(?:[-*+]|\d{1,2}[.)])\s+\*\*([^*]{1,40}?)[:.]?\*\*\s*(?:[—–:-]|$)/.exec(text)?.[1]?.trim();
}

/** "**If they have documents:**" above a line that begins with an arrow: the case in which it holds. */
function caseAbove(lines: readonly string[], index: number): string | undefined {
  if (!/^\s*(?:→|->|=>)/.test(lines[index] ?? '')) return undefined;
  const above = lines.slice(Math.max(0, index - 2), index).findLast((line) => line.trim() !== '');
  return above !== undefined && /^[\s>*_-]*(?:if|when|unless|otherwise|else)\b.{0,300}:[*_\s]*$/i.test(above)
    ? above
    : undefined;
}

function toCaseLabel(line: string | undefined): string | undefined {
  const words = line?.replace(/[*_>]|:\W*$/g, '').trim();
  return words && clip(words.replace(/^if\s+(?=\S+\s)/i, ''), 60);
}

/** Whether the line is an example, or an item of a list of examples. */
function isExample(lines: readonly string[], index: number, before: string): boolean {
  if (EXAMPLE.test(before)) return true;
  for (let at = index - 1; at >= Math.max(0, index - 10); at--) {
    const line = (lines[at] ?? '').trim();
    if (/^\*{0,2}examples?\b.{0,40}:\*{0,2}$/i.test(line)) return true;
    if (line !== '' && !/^(?:[-*]|\d+\.)\s/.test(line)) return false;
  }
  return false;
}

const LETTERS = [
  /\b(?:IF|If|if|When|WHEN)\s+(?:the )?(?:user (?:selects|chooses|picks)\s+)?['"‘“`[(]*([A-Z0-9])['"’”`\])]*(?=\s*[:(,]|\*{0,2}\s*[—–]|\s+is\b|\s*$)/,
  /\b(?:selects?|selected|chooses?|picks?|press(?:es)?)\s+['"‘“`[(]+([A-Z0-9])['"’”`\])]/,
  /\bWHEN \[([A-Z])\b/,
  /\b(?:when|after|once)\s+([A-Z]) is (?:selected|chosen)/i,
  /^[\s*#-]*\*{0,2}\[([A-Z0-9])\]/,
];

/** The menu letter that a line is about. */
export function findLetter(text: string): string | undefined {
  return LETTERS.map((pattern) => pattern.exec(text)?.[1]).find((letter) => letter !== undefined);
}

/** In "`[1, 2]` → Load …" and "If `lastStep = 1` → Load …" the condition is before the arrow. */
function toCondition(text: string): string | undefined {
  const [, written] = /^[\s*-]*(.{1,80}?)\s*(?:→|->|=>)\s*\S/.exec(text) ?? [];
  const condition = written
    ?.replace(/[`*]/g, '')
    .replace(/^if\s+/i, '')
    .trim();
  return condition || undefined;
}

/** The heading or less indented line above that a line belongs to. */
function contextOf(lines: readonly string[], index: number): string | undefined {
  let indent = indentOf(lines[index] ?? '');
  for (let at = index - 1; at >= Math.max(0, index - 20); at--) {
    const line = lines[at] ?? '';
    if (line.trim() === '') continue;
    if (/^#{1,6}\s/.test(line)) return findLetter(line) === undefined ? undefined : line;
    if (indentOf(line) >= indent) continue;
    indent = indentOf(line);
    if (findLetter(line) !== undefined) return line;
  }
  return undefined;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** A longer line is more than a condition: only the sentence with the step is cited. */
const MAX_SENTENCE = 300;

function toSentence(text: string, context: string | undefined): string {
  const plain = (line: string): string =>
    line
      .replace(/^[\s>#*-]*(?:\d+\.\s+)?/, '')
      .replaceAll('**', '')
      .trim();
  const head = context === undefined ? '' : `${plain(context).replace(/:$/, '')}: `;
  return clip(head + plain(text), 300);
}

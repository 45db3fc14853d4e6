/**
 * Which lines of a step apply in every run of it, and which only under a condition: of the line itself, of the list item or
 * heading above it, or of a `<check if="…">` around it. Pure.
 */
import { findLetter } from './step-moves.ts';

/**
 * `always`; `setup` below a heading such as "Set up (if no document exists)", after which the same holds as without it;
 * `sometimes` for any other condition.
 */
export type Applies = 'always' | 'setup' | 'sometimes';

export interface ScopedLine {
  readonly text: string;
  /** From 0. */
  readonly index: number;
  readonly applies: Applies;
}

interface Scope {
  readonly level: number;
  readonly applies: Applies;
}

/** Conditions are at the start of a line. */
const MAX_START = 500;

/** `leads`: letters of menu options that lead on; what the text says about them is done in every run. */
export function toScopedLines(body: string, leads: readonly string[] = ['C']): ScopedLine[] {
  let headings: Scope[] = [];
  let items: Scope[] = [];
  let checks = 0;
  return body.split('\n').map((text, index) => {
    const before = checks;
    checks = Math.max(0, checks + countOf(text, '<check') - countOf(text, '</check>'));
    const start = text.slice(0, MAX_START);
    const own = conditionOf(start, leads);
    const level = headingLevel(start);
    if (level !== undefined) {
      headings = [...headings.filter((heading) => heading.level < level), { level, applies: own }];
      items = [];
    } else if (text.trim() !== '') {
      const indent = text.length - text.trimStart().length;
      items = items.filter((item) => item.level < indent);
      if (/^\s*(?:[-*]|\d+[.)])\s/.test(text)) items.push({ level: indent, applies: own });
    }
    const outer = [...headings, ...items].map(({ applies }) => applies);
    const all = [own, ...outer, ...(Math.max(before, checks) > 0 ? (['sometimes'] as const) : [])];
    const applies = all.includes('sometimes') ? 'sometimes' : all.includes('setup') ? 'setup' : 'always';
    return { text, index, applies };
  });
}

/** A line in bold that ends with a colon is a heading, too. */
function headingLevel(text: string): number | undefined {
  const hashes = /^\s{0,3}(#{1,6})\s/.exec(text)?.[1];
  if (hashes !== undefined) return hashes.length;
  return /^\*\*[^*]{1,200}\*\*:?\s*$/.test(text) ? 7 : undefined;
}

const CONDITION = /^(?:if|when|whenever|unless|otherwise|else|only if)\b/i;

/** "When saving the document, …" */
const MOMENT = /^when (?:saving|writing|appending|creating|you (?:save|write|append))\b/i;

function conditionOf(text: string, leads: readonly string[]): Applies {
  const plain = text.replace(/^[\s>#*"'`\d.)(-]*(?:[^\p{L}\p{N}[{<]{1,4}\s)?[*_]*/u, '');
  const isTag = /<(?:action|ask|output|template-output)\b[^>]{0,300}\sif="/.test(text);
  const isCondition = CONDITION.test(plain) && !MOMENT.test(plain);
  if (isCondition || /^\s*[-*]\s+\*{0,2}\[[A-Z]\]/.test(text) || isTag) {
    const letter = findLetter(text);
    return letter !== undefined && leads.includes(letter) ? 'always' : 'sometimes';
  }
  return headingLevel(text) !== undefined && /\(if\b[^)]*\)/i.test(text) ? 'setup' : 'always';
}

function countOf(text: string, part: string): number {
  return text.split(part).length - 1;
}

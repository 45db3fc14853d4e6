/**
 * Formulas in Markdown: `$…$` and `\(…\)` in a line, `$$…$$` and `\[…\]` as blocks. A dollar sign before a space or after a
 * word, as in prices and names of variables, opens none.
 */
import type { Token } from 'marked';

export interface FormulaToken {
  readonly type: 'formula';
  readonly raw: string;
  readonly source: string;
  readonly isBlock: boolean;
}

/** Undefined for a token of another type. */
export function asFormula(token: { readonly type: string }): FormulaToken | undefined {
  return token.type === 'formula' ? (token as FormulaToken) : undefined;
}

const BLOCK = /^ {0,3}(?:\$\$([^$]{1,4000}?)\$\$|\\\[([^$]{1,4000}?)\\\])[ \t]*(?:\n|$)/;
const INLINE =
  /^(?:\$\$([^$]{1,2000}?)\$\$|\$(?![\s$])([^$\n]{1,2000}?)(?<![\s\\])\$(?![\w$])|\\\(([^\n]{1,2000}?)\\\))/;
/** An escaped bracket of ordinary prose is none of these. */
const MATHEMATICAL = /[\\^_=+<>{}|]|^\s*\S{1,3}\s*$/;

/** As a block of its own. Does not interrupt a paragraph: looking ahead for it would take quadratic time. */
export function readFormulaBlock(text: string): (FormulaToken & Token) | undefined {
  return toToken(BLOCK.exec(text), true);
}

/** In a line. */
export function readFormula(text: string): (FormulaToken & Token) | undefined {
  const match = INLINE.exec(text);
  if (match?.[3] !== undefined && !MATHEMATICAL.test(match[3])) return undefined;
  return toToken(match, match?.[1] !== undefined);
}

/** Index of the next sign that may open a formula; a dollar sign after a letter, a digit or another one does not. */
export function findFormula(text: string): number | undefined {
  return /(?<![\w$\\])\$|\\\(/.exec(text)?.index;
}

function toToken(match: RegExpExecArray | null, isBlock: boolean): (FormulaToken & Token) | undefined {
  const source = match
    ?.slice(1)
    .find((part) => part !== undefined)
    ?.trim();
  return match && source ? { type: 'formula', raw: match[0], source, isBlock } : undefined;
}

/**
 * Globs and rules as in `.gitignore` files: `*`, `?`, `[a-z]`, `{a,b}` and `**`, matched in time linear in the path, so
 * that no pattern can stall a search. Pure.
 */
type Token =
  | { readonly kind: 'character'; readonly character: string }
  | { readonly kind: 'class'; readonly pattern: RegExp }
  /** `*`, `**` as a whole part before a slash, `**` as the last part: these may stand for nothing. */
  | { readonly kind: 'star' | 'folders' | 'everything' };

/** One list of tokens for each way to choose from its braces. */
export type Glob = readonly (readonly Token[])[];

export interface IgnoreRule {
  readonly glob: Glob;
  readonly isNegated: boolean;
  readonly foldersOnly: boolean;
  /** Without a slash a rule is about the last part of a path, wherever it is. */
  readonly namesOnly: boolean;
}

/** What cannot be understood is no rule. */
export function parseRules(lines: readonly string[]): IgnoreRule[] {
  return lines.map(parseRule).filter((rule) => rule !== undefined);
}

/** What the last rule that fits says of a path: ignore it (true), keep it (false), nothing (undefined). */
export function isIgnoredBy(
  rules: readonly IgnoreRule[],
  path: string,
  isFolder: boolean,
): boolean | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  for (let at = rules.length - 1; at >= 0; at--) {
    const rule = rules[at];
    if (!rule || (rule.foldersOnly && !isFolder)) continue;
    if (matchesGlob(rule.glob, rule.namesOnly ? name : path)) return !rule.isNegated;
  }
  return undefined;
}

export function matchesGlob(glob: Glob, path: string): boolean {
  return glob.some((tokens) => matchesTokens(tokens, path));
}

/** Undefined when brackets or braces do not close, or offer too many ways. */
export function parseGlob(text: string): Glob | undefined {
  const choices = expandBraces(text);
  const glob = choices?.map(tokenize).filter((tokens) => tokens !== undefined);
  return glob && glob.length === choices?.length ? glob : undefined;
}

function parseRule(line: string): IgnoreRule | undefined {
  if (line.startsWith('#')) return undefined;
  let text = line.endsWith('\\ ') ? line : line.trimEnd();
  const isNegated = text.startsWith('!');
  if (isNegated) text = text.slice(1);
  const isAnchored = text.startsWith('/');
  if (isAnchored) text = text.slice(1);
  const foldersOnly = text.endsWith('/');
  if (foldersOnly) text = text.slice(0, -1);
  if (text === '') return undefined;
  const glob = parseGlob(text);
  return glob && { glob, isNegated, foldersOnly, namesOnly: !isAnchored && !text.includes('/') };
}

function expandBraces(text: string): string[] | undefined {
  let depth = 0;
  let bounds: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '\\') at++;
    else if (character === '[') at = endOfClass(text, at);
    else if (character === '{' && depth++ === 0) bounds = [at];
    else if (character === ',' && depth === 1) bounds.push(at);
    else if (character === '}' && --depth <= 0) return depth < 0 ? undefined : choose(text, [...bounds, at]);
  }
  return depth === 0 ? [text] : undefined;
}

const MAX_CHOICES = 64;

/** The text with each choice in place of its outermost braces; `bounds` are brace, commas, brace. */
function choose(text: string, bounds: readonly number[]): string[] | undefined {
  const expanded: string[] = [];
  for (let at = 1; at < bounds.length; at++) {
    const choice = text.slice((bounds[at - 1] ?? 0) + 1, bounds[at]);
    const more = expandBraces(text.slice(0, bounds[0]) + choice + text.slice((bounds.at(-1) ?? 0) + 1));
    if (!more || expanded.push(...more) > MAX_CHOICES) return undefined;
  }
  return expanded;
}

/** Where a class ends; a `]` right at its start belongs to it. The end of the text when it does not end. */
function endOfClass(text: string, open: number): number {
  const first = /^\[[!^]?\]?/.exec(text.slice(open))?.[0].length ?? 1;
  const end = text.indexOf(']', open + first);
  return end === -1 ? text.length : end;
}

function tokenize(text: string): Token[] | undefined {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const [token, length] = tokenAt(text, at);
    if (!token) return undefined;
    tokens.push(token);
    at += length;
  }
  return tokens;
}

function tokenAt(text: string, at: number): [token: Token | undefined, length: number] {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (character === '?') return [{ kind: 'class', pattern: /[^/]/u }, 1];
  if (character === '[') {
    const end = endOfClass(text, at);
    return [end === text.length ? undefined : toClass(text.slice(at + 1, end)), end + 1 - at];
  }
  if (character === '*') {
    const stars = /^\*+/.exec(text.slice(at))?.[0].length ?? 1;
    const isWholePart = stars === 2 && (at === 0 || text[at - 1] === '/');
    if (isWholePart && text[at + stars] === '/') return [{ kind: 'folders' }, stars + 1];
    return [{ kind: isWholePart && at + stars === text.length ? 'everything' : 'star' }, stars];
  }
  if (character !== '\\') return [{ kind: 'character', character }, character.length];
  const escaped = text.codePointAt(at + 1);
  if (escaped === undefined) return [undefined, 1];
  const literal = String.fromCodePoint(escaped);
  return [{ kind: 'character', character: literal }, 1 + literal.length];
}

function toClass(body: string): Token | undefined {
  const isNegated = /^[!^]/.test(body);
  const members = (isNegated ? body.slice(1) : body).replace(/[\\\][^]/g, '\\$&');
  try {
    return { kind: 'class', pattern: new RegExp(`[${isNegated ? '^' : ''}${members}]`, 'u') };
  } catch {
    return undefined;
  }
}

/** All ways through the tokens are followed at once, character by character. */
function matchesTokens(tokens: readonly Token[], path: string): boolean {
  let places: number[] = [];
  enter(tokens, places, 0);
  for (const character of path) {
    const next: number[] = [];
    for (const place of places) step(tokens, next, place, character);
    if (next.length === 0) return false;
    places = next;
  }
  return places.includes(tokens.length);
}

/** Adds a place, and the one behind it where a token may stand for nothing. */
function enter(tokens: readonly Token[], places: number[], place: number): void {
  if (places.includes(place)) return;
  places.push(place);
  const token = tokens[place];
  if (token && token.kind !== 'character' && token.kind !== 'class') enter(tokens, places, place + 1);
}

function step(tokens: readonly Token[], next: number[], place: number, character: string): void {
  const token = tokens[place];
  switch (token?.kind) {
    case undefined:
      return;
    case 'character':
      if (token.character === character) enter(tokens, next, place + 1);
      return;
    case 'class':
      if (character !== '/' && token.pattern.test(character)) enter(tokens, next, place + 1);
      return;
    case 'star':
      if (character !== '/') enter(tokens, next, place);
      return;
    case 'everything':
      enter(tokens, next, place);
      return;
    case 'folders':
      // Still inside a folder's name, unless this is its end.
      if (!next.includes(place)) next.push(place);
      if (character === '/') enter(tokens, next, place + 1);
  }
}

/**
 * `.gitignore` globs and rules: `*`, `?`, `[a-z]`, `{a,b}` and `**`. Matching is linear in the path, so no pattern can
 * stall a search. Pure.
 */
type Token =
  | { readonly kind: 'character'; readonly character: string }
  | { readonly kind: 'class'; readonly pattern: RegExp }
  /** `*`, `**` before a slash, and `**` as the last segment. All of them also match the empty string. */
  | { readonly kind: 'star' | 'folders' | 'everything' };

/** One list of tokens for each alternative of the braces. */
export type Glob = readonly (readonly Token[])[];

export interface IgnoreRule {
  readonly glob: Glob;
  readonly isNegated: boolean;
  readonly foldersOnly: boolean;
  /** A rule without a slash matches the last segment of a path at any depth. */
  readonly namesOnly: boolean;
}

/** Skips invalid rules. */
export function parseRules(lines: readonly string[]): IgnoreRule[] {
  return lines.map(parseRule).filter((rule) => rule !== undefined);
}

/** Verdict of the last matching rule: ignored (true), not ignored (false), no match (undefined). */
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

/** Returns undefined if brackets or braces are unbalanced, or if there are too many alternatives. */
export function parseGlob(text: string): Glob | undefined {
  const alternatives = expandBraces(text);
  const glob = alternatives?.map(tokenize).filter((tokens) => tokens !== undefined);
  return glob && glob.length === alternatives?.length ? glob : undefined;
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
    else if (character === '}' && --depth <= 0)
      return depth < 0 ? undefined : expandAlternatives(text, [...bounds, at]);
  }
  return depth === 0 ? [text] : undefined;
}

const MAX_ALTERNATIVES = 64;

/** Expands the outermost braces; `bounds` holds the indexes of the opening brace, the commas and the closing brace. */
function expandAlternatives(text: string, bounds: readonly number[]): string[] | undefined {
  const expanded: string[] = [];
  for (let at = 1; at < bounds.length; at++) {
    const alternative = text.slice((bounds[at - 1] ?? 0) + 1, bounds[at]);
    const more = expandBraces(text.slice(0, bounds[0]) + alternative + text.slice((bounds.at(-1) ?? 0) + 1));
    if (!more || expanded.push(...more) > MAX_ALTERNATIVES) return undefined;
  }
  return expanded;
}

/**
 * Index of the closing bracket of a character class, or the length of the text if there is none. A leading `]` is a
 * member.
 */
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

/** Simulates an NFA: all reachable token positions are advanced character by character. */
function matchesTokens(tokens: readonly Token[], path: string): boolean {
  let positions = new Set<number>();
  addPosition(tokens, positions, 0);
  for (const character of path) {
    const next = new Set<number>();
    for (const position of positions) step(tokens, next, position, character);
    if (next.size === 0) return false;
    positions = next;
  }
  return positions.has(tokens.length);
}

/** Adds a position, and the next one if the token can match the empty string. */
function addPosition(tokens: readonly Token[], positions: Set<number>, position: number): void {
  if (positions.has(position)) return;
  positions.add(position);
  const token = tokens[position];
  if (token && token.kind !== 'character' && token.kind !== 'class')
    addPosition(tokens, positions, position + 1);
}

function step(tokens: readonly Token[], next: Set<number>, position: number, character: string): void {
  const token = tokens[position];
  switch (token?.kind) {
    case undefined:
      return;
    case 'character':
      if (token.character === character) addPosition(tokens, next, position + 1);
      return;
    case 'class':
      if (character !== '/' && token.pattern.test(character)) addPosition(tokens, next, position + 1);
      return;
    case 'star':
      if (character !== '/') addPosition(tokens, next, position);
      return;
    case 'everything':
      addPosition(tokens, next, position);
      return;
    case 'folders':
      // Stay within the folder name; a slash may also end the token.
      next.add(position);
      if (character === '/') addPosition(tokens, next, position + 1);
  }
}

/**
 * Matches typed text against the items of a menu: by number, by name, by the best-scored part of its texts. Pure; each matcher
 * scans every text of the menu once.
 */
import type { Confidence, MatchedBy } from '@crewagent/protocol/commands';
import { toAlternatives, toKey, toLoose } from './folded-text.ts';
import type { MenuHandler, MenuTarget, VisibleItem } from './menu.ts';

export interface Hit {
  readonly item: VisibleItem;
  readonly handler?: MenuHandler;
  readonly by: MatchedBy;
}

export interface Match {
  readonly confidence: Confidence;
  /** Several if they match equally well. */
  readonly hits: readonly Hit[];
}

/** `3`, or `3.1` for the first handler of item 3. */
export function matchNumber(key: string, menu: readonly VisibleItem[]): Match | undefined {
  const [, number, sub] = /^([0-9]+)(?:\.([0-9]+))?$/.exec(key) ?? [];
  if (number === undefined) return undefined;
  const item = menu[Number(number) - 1];
  const handler = sub === undefined ? undefined : item?.handlers[Number(sub) - 1];
  if (!item || (sub !== undefined && !handler)) return undefined;
  return { confidence: 'exact', hits: [{ item, handler, by: 'number' }] };
}

/** An explicit name takes precedence over a derived one. */
export function matchName(key: string, menu: readonly VisibleItem[]): Match | undefined {
  for (const kind of ['names', 'derivedNames'] as const) {
    const hits = menu.flatMap((item): Hit[] => {
      const name = item[kind].find((candidate) => candidate.key === key);
      return name ? [{ item, by: name.source }] : [];
    });
    if (hits.length > 0) return { confidence: 'exact', hits };
  }
  return undefined;
}

/** Matches the names of targets; hyphens and underscores count as spaces. Finds the targets of items only for a name of one. */
export function matchTarget(
  key: string,
  menu: readonly VisibleItem[],
  names: { readonly all: readonly string[]; of(target: MenuTarget): readonly string[] },
): Match | undefined {
  const text = toLoose(key);
  if (text === '' || text.length > MAX_QUERY_CHARS) return undefined;
  const isText = (name: string): boolean => toLoose(toKey(name)) === text;
  if (!names.all.some(isText)) return undefined;
  const isMatch = (target: MenuTarget): boolean => names.of(target).some(isText);
  const hits = menu.flatMap((item) => [
    ...(isMatch(item.item) ? [{ item, by: 'target' } as const] : []),
    ...item.handlers
      .filter(({ target }) => isMatch(target))
      .map((handler) => ({ item, handler, by: 'target' }) as const),
  ]);
  return hits.length === 0 ? undefined : { confidence: 'exact', hits };
}

/** A longer line is chat; the limits also bound the work for texts designed to be slow to search. */
const MAX_QUERY_CHARS = 200;
const MAX_SEARCHED_CHARS = 2_000;

/** The best-scored item or handler, or all that share the best score. */
export function matchWords(key: string, menu: readonly VisibleItem[]): Match | undefined {
  const query = toLoose(key);
  if (query === '' || query.length > MAX_QUERY_CHARS) return undefined;
  let best = 0;
  let hits: Hit[] = [];
  const consider = (hit: Hit, score: number): void => {
    if (score === 0 || score < best) return;
    if (score > best) hits = [];
    hits.push(hit);
    best = score;
  };
  for (const item of menu) {
    consider(...bestOfItem(item, query));
    for (const handler of item.handlers)
      consider({ item, handler, by: 'handler' }, scoreOf(handler.key, query, 'handler'));
  }
  return best === 0 ? undefined : { confidence: toConfidence(best), hits };
}

function bestOfItem(item: VisibleItem, query: string): [hit: Hit, score: number] {
  let best: [hit: Hit, score: number] = [
    { item, by: 'description' },
    scoreOf(toKey(item.item.description.slice(0, MAX_SEARCHED_CHARS)), query, 'description'),
  ];
  for (const { source, key } of item.names) {
    const score = scoreOf(key, query, 'name');
    if (score > best[1]) best = [{ item, by: source }, score];
  }
  return best;
}

type Fit = 'whole' | 'words' | 'part';
type MatchedField = 'name' | 'handler' | 'description';

/** The kind of match counts first, the matched field second. */
const SCORES: Readonly<Record<Fit, Readonly<Record<MatchedField, number>>>> = {
  whole: { name: 100, handler: 90, description: 80 },
  words: { name: 70, handler: 60, description: 50 },
  part: { name: 40, handler: 30, description: 20 },
};

function toConfidence(score: number): Confidence {
  return score >= 60 ? 'high' : score >= 40 ? 'medium' : 'low';
}

/** Zero if the query does not occur, or is too short to be meaningful. */
function scoreOf(key: string, query: string, field: MatchedField): number {
  if (toLoose(key) === query) return SCORES.whole[field];
  const scores = toAlternatives(key).map((text) => {
    const fit = findFit(toLoose(text).slice(0, MAX_SEARCHED_CHARS), query);
    if (fit === undefined) return 0;
    const needsLength = fit === 'part' || (fit === 'words' && field === 'description');
    return needsLength && isShort(query) ? 0 : SCORES[fit][field];
  });
  return scores.reduce((best, score) => Math.max(best, score), 0);
}

function findFit(text: string, query: string): Fit | undefined {
  if (text === query) return 'whole';
  let fit: Fit | undefined;
  for (let at = text.indexOf(query); at !== -1; at = text.indexOf(query, at + query.length)) {
    const end = at + query.length;
    const continuesBefore = isOneWord(text.slice(Math.max(0, at - 2), at), text.slice(at, at + 2));
    const continuesAfter = isOneWord(text.slice(Math.max(at, end - 2), end), text.slice(end, end + 2));
    if (!continuesBefore && !continuesAfter) return 'words';
    fit = 'part';
  }
  return fit;
}

/** Whether one word spans both texts; never between scripts with and without spaces. */
function isOneWord(before: string, after: string): boolean {
  // V8 takes milliseconds for the first use of the other patterns.
  if (ASCII.test(before + after)) return /[A-Za-z0-9]$/.test(before) && /^[A-Za-z0-9]/.test(after);
  if (!ENDS_IN_WORD.test(before) || !STARTS_IN_WORD.test(after)) return false;
  return ENDS_UNSPACED.test(before) === STARTS_UNSPACED.test(after);
}

const ASCII = /^[\0-\x7f]*$/;
/** Two code units contain one character of any plane. */
const ENDS_IN_WORD = /[\p{L}\p{N}\p{M}]$/u;
const STARTS_IN_WORD = /^[\p{L}\p{N}\p{M}]/u;
const ENDS_UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]$/u;
const STARTS_UNSPACED = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]/u;

/** "it" and "no" occur in many texts; in scripts without spaces two characters are already a word. */
function isShort(query: string): boolean {
  if (ASCII.test(query)) return query.length < 3;
  const minLength = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u.test(query) ? 2 : 3;
  return Array.from(query).length < minLength;
}

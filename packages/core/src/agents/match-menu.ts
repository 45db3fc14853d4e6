/**
 * Which items of a menu typed words mean: by number, by name, by the best-scored part of its texts. Pure; every way
 * looks at each text of the menu once.
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
  /** More than one where the words fit several equally well. */
  readonly hits: readonly Hit[];
}

/** `3`, or `3.1` for the first handler of item 3. */
export function matchNumber(key: string, menu: readonly VisibleItem[]): Match | undefined {
  const [, number, sub] = /^([0-9]+)(?:\.([0-9]+))?$/.exec(key) ?? [];
  if (number === undefined) return undefined;
  const item = menu[Number(number) - 1];
  const handler = sub === undefined ? undefined : item?.handlers[Number(sub) - 1];
  if (!item || (sub !== undefined && !handler)) return undefined;
  return { confidence: 'exact', hits: [{ item, ...(handler ? { handler } : {}), by: 'number' }] };
}

/** A name that was written comes before one that was only read out of a text. */
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

/** By what the target is called; hyphens and underscores count as spaces. */
export function matchTarget(
  key: string,
  menu: readonly VisibleItem[],
  namesOf: (target: MenuTarget) => readonly string[],
): Match | undefined {
  const words = toLoose(key);
  if (words === '' || words.length > MAX_WORDS_CHARS) return undefined;
  const isMeant = (target: MenuTarget): boolean =>
    namesOf(target).some((name) => toLoose(toKey(name)) === words);
  const hits = menu.flatMap((item): Hit[] => [
    ...(isMeant(item.item) ? [{ item, by: 'target' } as const] : []),
    ...item.handlers
      .filter(({ target }) => isMeant(target))
      .map((handler) => ({ item, handler, by: 'target' }) as const),
  ]);
  return hits.length === 0 ? undefined : { confidence: 'exact', hits };
}

/** A longer line is talk; the bounds also keep the work small for texts made to be slow to search. */
const MAX_WORDS_CHARS = 200;
const MAX_SEARCHED_CHARS = 2_000;

/** The one best-scored item or handler, or all that share the best score. */
export function matchWords(key: string, menu: readonly VisibleItem[]): Match | undefined {
  const words = toLoose(key);
  if (words === '' || words.length > MAX_WORDS_CHARS) return undefined;
  let best = 0;
  let hits: Hit[] = [];
  const consider = (hit: Hit, score: number): void => {
    if (score === 0 || score < best) return;
    if (score > best) hits = [];
    hits.push(hit);
    best = score;
  };
  for (const item of menu) {
    consider(...bestOfItem(item, words));
    for (const handler of item.handlers)
      consider({ item, handler, by: 'handler' }, scoreOf(handler.key, words, 'handler'));
  }
  return best === 0 ? undefined : { confidence: toConfidence(best), hits };
}

function bestOfItem(item: VisibleItem, words: string): [hit: Hit, score: number] {
  let best: [hit: Hit, score: number] = [
    { item, by: 'description' },
    scoreOf(toKey(item.item.description.slice(0, MAX_SEARCHED_CHARS)), words, 'description'),
  ];
  for (const { source, key } of item.names) {
    const score = scoreOf(key, words, 'name');
    if (score > best[1]) best = [{ item, by: source }, score];
  }
  return best;
}

type Fit = 'whole' | 'words' | 'part';
type MatchedField = 'name' | 'handler' | 'description';

/** How well the words fit comes first, where they were found second. */
const SCORES: Readonly<Record<Fit, Readonly<Record<MatchedField, number>>>> = {
  whole: { name: 100, handler: 90, description: 80 },
  words: { name: 70, handler: 60, description: 50 },
  part: { name: 40, handler: 30, description: 20 },
};

function toConfidence(score: number): Confidence {
  return score >= 60 ? 'high' : score >= 40 ? 'medium' : 'low';
}

/** Zero where the words do not occur, or are too short to mean anything. */
function scoreOf(key: string, words: string, field: MatchedField): number {
  if (toLoose(key) === words) return SCORES.whole[field];
  const scores = toAlternatives(key).map((text) => {
    const fit = findFit(toLoose(text).slice(0, MAX_SEARCHED_CHARS), words);
    if (fit === undefined) return 0;
    const needsLength = fit === 'part' || (fit === 'words' && field === 'description');
    return needsLength && isShort(words) ? 0 : SCORES[fit][field];
  });
  return scores.reduce((best, score) => Math.max(best, score), 0);
}

function findFit(text: string, words: string): Fit | undefined {
  if (text === words) return 'whole';
  let fit: Fit | undefined;
  for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + words.length)) {
    const end = at + words.length;
    const isBegun = isOneWord(text.slice(Math.max(0, at - 2), at), text.slice(at, at + 2));
    const isEnded = isOneWord(text.slice(Math.max(at, end - 2), end), text.slice(end, end + 2));
    if (!isBegun && !isEnded) return 'words';
    fit = 'part';
  }
  return fit;
}

/** Whether a word goes on from one text to the next; between scripts with and without spaces it does not. */
function isOneWord(before: string, after: string): boolean {
  if (!ENDS_IN_WORD.test(before) || !STARTS_IN_WORD.test(after)) return false;
  return ENDS_UNSPACED.test(before) === STARTS_UNSPACED.test(after);
}

/** Two units hold one character of any plane. */
const ENDS_IN_WORD = /[\p{L}\p{N}\p{M}]$/u;
const STARTS_IN_WORD = /^[\p{L}\p{N}\p{M}]/u;
const ENDS_UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]$/u;
const STARTS_UNSPACED = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]/u;

/** "it" and "no" stand in many texts; in scripts that need no spaces two signs are already a word. */
function isShort(words: string): boolean {
  const least = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u.test(words) ? 2 : 3;
  return Array.from(words).length < least;
}

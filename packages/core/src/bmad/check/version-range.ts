/** Ranges of versions as npm writes them: `>=0.2 <1`, `^1.2.0`, `~1.2`, `1.x`, `1.0.0 || 2.0.0`. Numbers only: a pre-release counts as its release. Pure. */
import { compareVersions } from './compare-versions.ts';

/** Undefined if the text is not a range. */
export function satisfies(version: string, range: string): boolean | undefined {
  const sets = range.slice(0, 200).split('||').map(parseSet);
  if (sets.some((set) => set === undefined)) return undefined;
  return sets.some((set) => set?.every((test) => test(version)));
}

type Test = (version: string) => boolean;

const COMPARATOR =
  /^(>=|<=|>|<|=|\^|~)?v?(\d{1,9}|[x*])(?:\.(\d{1,9}|[x*]))?(?:\.(\d{1,9}|[x*]))?(?:[-+][\w.+-]*)?$/i;

/** All of them must hold. */
function parseSet(text: string): readonly Test[] | undefined {
  const words = text
    .replace(/(>=|<=|>|<|=|\^|~)\s+/g, '$1')
    .split(/\s+/)
    .filter(Boolean);
  const tests = words.map(parseComparator);
  return tests.every((test) => test !== undefined) ? tests : undefined;
}

function parseComparator(word: string): Test | undefined {
  const [, operator = '=', ...parts] = COMPARATOR.exec(word) ?? [];
  if (parts.length === 0) return undefined;
  const numbers: number[] = [];
  for (const part of parts) {
    if (part === undefined || !/^\d+$/.test(part)) break;
    numbers.push(Number(part));
  }
  if (numbers.length === 0) return operator === '<' || operator === '>' ? () => false : () => true;
  const from = numbers.join('.');
  const end = nextAfter(numbers, depthOf(operator, numbers));
  switch (operator) {
    case '>=':
      return (version) => compareVersions(version, from) >= 0;
    case '<':
      return (version) => compareVersions(version, from) < 0;
    case '>':
      return (version) => compareVersions(version, end) >= 0;
    case '<=':
      return (version) => compareVersions(version, end) < 0;
    default:
      return (version) => compareVersions(version, from) >= 0 && compareVersions(version, end) < 0;
  }
}

/** How many numbers stay the same: `^` up to the first that is not zero, `~` the first two. */
function depthOf(operator: string, numbers: readonly number[]): number {
  if (operator === '~') return Math.min(2, numbers.length);
  if (operator !== '^') return numbers.length;
  const first = numbers.findIndex((number) => number > 0);
  return first === -1 ? numbers.length : first + 1;
}

function nextAfter(numbers: readonly number[], depth: number): string {
  return numbers
    .slice(0, depth)
    .map((number, index) => (index === depth - 1 ? number + 1 : number))
    .join('.');
}

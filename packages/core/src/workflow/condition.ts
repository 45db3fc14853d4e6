/**
 * Evaluates an edge's JSONLogic condition over the variables of a run, as advice: true, false, or unknown if a variable
 * is missing or an operation is not supported. Pure, bounded, and never executes code of a package.
 */
export type Verdict = boolean | 'unknown';

const MAX_OPERATIONS = 1_000;
const UNKNOWN: unique symbol = Symbol('unknown');

export function evaluateCondition(
  expression: unknown,
  variables: Readonly<Record<string, unknown>>,
): Verdict {
  const budget = { left: MAX_OPERATIONS };
  const value = evaluate(expression, { variables }, budget, 0);
  return value === UNKNOWN ? 'unknown' : isTruthy(value);
}

type Operation = (values: readonly unknown[]) => unknown;

/** Operations whose operands are all known. */
const OPERATIONS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  // biome-ignore lint/suspicious/noDoubleEquals: JSONLogic defines == as the loose comparison
  ['==', ([a, b]) => isScalar(a) && isScalar(b) && a == b],
  ['===', ([a, b]) => a === b],
  // biome-ignore lint/suspicious/noDoubleEquals: JSONLogic defines != as the loose comparison
  ['!=', ([a, b]) => !(isScalar(a) && isScalar(b) && a == b)],
  ['!==', ([a, b]) => a !== b],
  ['!', ([a]) => !isTruthy(a)],
  ['!!', ([a]) => isTruthy(a)],
  ['>', ([a, b]) => compare(a, b, (x, y) => x > y)],
  ['>=', ([a, b]) => compare(a, b, (x, y) => x >= y)],
  ['<', ([a, b, c]) => compare(a, b, (x, y) => x < y) && (c === undefined || compare(b, c, (x, y) => x < y))],
  [
    '<=',
    ([a, b, c]) => compare(a, b, (x, y) => x <= y) && (c === undefined || compare(b, c, (x, y) => x <= y)),
  ],
  ['in', ([needle, hay]) => isIn(needle, hay)],
  ['+', (values) => values.reduce<number>((sum, value) => sum + Number(value), 0)],
  ['-', ([a, b]) => (b === undefined ? -Number(a) : Number(a) - Number(b))],
  ['*', (values) => values.reduce<number>((product, value) => product * Number(value), 1)],
  ['/', ([a, b]) => Number(a) / Number(b)],
  ['%', ([a, b]) => Number(a) % Number(b)],
  ['min', (values) => Math.min(...values.map(Number))],
  ['max', (values) => Math.max(...values.map(Number))],
  ['cat', (values) => values.map(String).join('').slice(0, 10_000)],
]);

function evaluate(expression: unknown, data: unknown, budget: { left: number }, depth: number): unknown {
  if (--budget.left < 0 || depth > 50) return UNKNOWN;
  if (Array.isArray(expression)) {
    const items = expression.map((item) => evaluate(item, data, budget, depth + 1));
    return items.includes(UNKNOWN) ? UNKNOWN : items;
  }
  if (typeof expression !== 'object' || expression === null) return expression;
  const [entry, ...others] = Object.entries(expression);
  if (!entry || others.length > 0) return UNKNOWN;
  const [name, operand] = entry as [string, unknown];
  const operands: unknown[] = Array.isArray(operand) ? operand : [operand];
  const next = (operandAt: unknown): unknown => evaluate(operandAt, data, budget, depth + 1);
  switch (name) {
    case 'var':
      return resolveVariable(data, next(operands[0]), operands.length > 1 ? next(operands[1]) : UNKNOWN);
    case 'and':
      return combine(operands, next, false);
    case 'or':
      return combine(operands, next, true);
    case 'if':
    case '?:':
      return choose(operands, next);
    default: {
      const operation = OPERATIONS.get(name);
      const values = operands.map(next);
      return !operation || values.includes(UNKNOWN) ? UNKNOWN : operation(values);
    }
  }
}

/** Resolves a path like `a.b.0` in objects and lists, own keys only. */
function resolveVariable(data: unknown, path: unknown, fallback: unknown): unknown {
  if (path === '' || path === null || path === undefined) return data;
  let current = data;
  for (const key of String(path).split('.')) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return fallback;
    current = (current as Record<string, unknown>)[key];
  }
  return current ?? fallback;
}

/** Stops at the first operand that decides. An unknown operand makes the result unknown unless a later one decides. */
function combine(
  operands: readonly unknown[],
  next: (operand: unknown) => unknown,
  stopAt: boolean,
): unknown {
  let last: unknown = !stopAt;
  let sawUnknown = false;
  for (const operand of operands) {
    last = next(operand);
    if (last === UNKNOWN) sawUnknown = true;
    else if (isTruthy(last) === stopAt) return last;
  }
  return sawUnknown ? UNKNOWN : last;
}

function choose(operands: readonly unknown[], next: (operand: unknown) => unknown): unknown {
  for (let at = 0; at + 1 < operands.length; at += 2) {
    const condition = next(operands[at]);
    if (condition === UNKNOWN) return UNKNOWN;
    if (isTruthy(condition)) return next(operands[at + 1]);
  }
  return operands.length % 2 === 1 ? next(operands.at(-1)) : null;
}

function compare(
  a: unknown,
  b: unknown,
  holds: (a: number | string, b: number | string) => boolean,
): boolean {
  if (typeof a === 'string' && typeof b === 'string') return holds(a, b);
  return holds(Number(a), Number(b));
}

function isIn(needle: unknown, hay: unknown): boolean {
  if (typeof hay === 'string') return hay.includes(String(needle));
  return Array.isArray(hay) && hay.includes(needle);
}

function isScalar(value: unknown): value is string | number | boolean | null | undefined {
  return typeof value !== 'object' || value === null;
}

/** JSONLogic: an empty list is false. */
function isTruthy(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/**
 * Conditions of edges as rows that a form can show: a variable, an operator, a value; joined by "and" or "or". JSONLogic that does
 * not fit is edited as JSON. Pure.
 */
import { isObject } from '@crewagent/protocol/json-object';

export const OPERATORS = ['==', '!=', '>', '>=', '<', '<=', 'in', '!!', '!'] as const;
export type Operator = (typeof OPERATORS)[number];

export interface ConditionRow {
  /** Without `variables.`. */
  readonly variable: string;
  readonly operator: Operator;
  /** JSON, or plain text for a string; unused by operators with one operand. */
  readonly value: string;
}

export interface Condition {
  readonly joiner: 'and' | 'or';
  readonly rows: readonly ConditionRow[];
}

export function hasValue(operator: Operator): boolean {
  return operator !== '!!' && operator !== '!';
}

/** Undefined if the expression does not fit. */
export function toCondition(
  expression: Readonly<Record<string, unknown>> | undefined,
): Condition | undefined {
  if (!expression) return { joiner: 'and', rows: [] };
  const [[joiner, inner] = [], ...others] = Object.entries(expression);
  if (others.length > 0) return undefined;
  const isJoined = joiner === 'and' || joiner === 'or';
  const rows = (isJoined && Array.isArray(inner) ? inner : [expression]).map(toRow);
  if (!rows.every((row) => row !== undefined)) return undefined;
  return { joiner: joiner === 'or' ? 'or' : 'and', rows };
}

function toRow(expression: unknown): ConditionRow | undefined {
  const [[name, operands] = [], ...others] = isObject(expression) ? Object.entries(expression) : [];
  const operator = OPERATORS.find((known) => known === name);
  if (operator === undefined || others.length > 0) return undefined;
  const [first, second, ...rest] = Array.isArray(operands) ? (operands as unknown[]) : [operands];
  const path = isObject(first) && Object.keys(first).length === 1 ? first.var : undefined;
  if (typeof path !== 'string' || !path.startsWith(PREFIX) || rest.length > 0) return undefined;
  if (hasValue(operator) !== (second !== undefined)) return undefined;
  return { variable: path.slice(PREFIX.length), operator, value: toTyped(second) };
}

const PREFIX = 'variables.';

/** A string is shown as it is, unless it looks like another value. */
function toTyped(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' && parseTyped(value) === value ? value : JSON.stringify(value);
}

function parseTyped(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Undefined for a condition without complete rows. */
export function toExpression({ joiner, rows }: Condition): Record<string, unknown> | undefined {
  const parts = rows
    .filter(({ variable }) => variable !== '')
    .map(({ variable, operator, value }): Record<string, unknown> => {
      const operand = { var: PREFIX + variable };
      return { [operator]: hasValue(operator) ? [operand, parseTyped(value)] : [operand] };
    });
  return parts.length > 1 ? { [joiner]: parts } : parts[0];
}

/** The condition for readers. */
export function toConditionText({ joiner, rows }: Condition): string {
  return rows
    .filter(({ variable }) => variable !== '')
    .map(({ variable, operator, value }) => {
      if (!hasValue(operator)) return `${operator === '!' ? 'not ' : ''}${PREFIX}${variable}`;
      const typed = parseTyped(value);
      return `${PREFIX}${variable} ${operator} ${typeof typed === 'string' ? `'${typed}'` : value}`;
    })
    .join(` ${joiner} `);
}

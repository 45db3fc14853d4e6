/** What the turns of a commit cost, stored by the same statement. */
import type { CostSum } from '@crewagent/protocol/costs';
import type { Parameter } from '../database/database.ts';

export interface Spending {
  readonly model: string;
  readonly cost: CostSum;
}

const TYPES = ['text[]', 'text[]', 'integer[]', 'bigint[]', 'bigint[]', 'float8[]', 'bigint[]'];

/** Providers report anything; sums must stay within what the columns hold. */
const bound = (count: number): number => Math.min(count, 1e9);

/** A call of `add_spending`; its parameters are added to the others. */
export function addSpending(
  spent: readonly (Spending & { readonly workId: string })[],
  parameters: Parameter[],
): string {
  const places = TYPES.map((type, index) => `$${parameters.length + index + 1}::${type}`);
  const costs = spent.map(({ cost }) => cost);
  parameters.push(
    spent.map(({ workId }) => workId),
    // PostgreSQL has no text with this character.
    spent.map(({ model }) => model.replaceAll('\0', '')),
    costs.map(({ requests }) => requests),
    costs.map(({ promptTokens }) => bound(promptTokens)),
    costs.map(({ completionTokens }) => bound(completionTokens)),
    costs.map(({ costUsd }) => bound(costUsd)),
    costs.map(({ unpricedTokens }) => bound(unpricedTokens)),
  );
  return `add_spending(${places.join(', ')})`;
}
